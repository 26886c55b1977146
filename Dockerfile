# The page server or a worker, from the same image: the command decides.
FROM python:3.11-slim-bookworm AS build
WORKDIR /source
COPY . .
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.11-slim-bookworm
# Pango prints the PDF export; the fonts are what it prints with.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        libpango-1.0-0 libpangoft2-1.0-0 fonts-liberation fonts-dejavu-core \
    && rm -rf /var/lib/apt/lists/*
COPY requirements.lock /
RUN pip install --no-cache-dir --require-hashes -r /requirements.lock
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir --no-deps /wheels/*.whl \
    && useradd --create-home --uid 10001 vada \
    && install --directory --owner vada /data
USER vada
WORKDIR /data
ENV VADA_HOME=/data
VOLUME /data
EXPOSE 8501
CMD ["vada", "--host", "0.0.0.0", "--port", "8501"]
