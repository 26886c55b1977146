"""Files a person gives: what is read, and what is refused in which words."""

import io
import zipfile

import docx
import pypdf
import pytest

from pages.parts import material
from pages.parts.material import clean_name, read
from vada.errors import InputError


def a_docx() -> bytes:
    document = docx.Document()
    document.add_heading("Plan", 1)
    document.add_paragraph("Two engineers, eight weeks.")
    table = document.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "cost", "$40,000"
    document.add_paragraph("The end.")
    return saved(document.save)


def a_pdf(password: str = "") -> bytes:
    """A PDF with one page that says Hello."""
    content = b"BT /F1 24 Tf 72 720 Td (Hello from the file) Tj ET"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
    ]
    body = b"%PDF-1.4\n" + b"".join(b"%d 0 obj\n%s\nendobj\n" % (i, o) for i, o in enumerate(objects, 1))
    whole = body + b"trailer << /Root 1 0 R /Size 5 >>\nstartxref\n0\n%%EOF"
    if not password:
        return whole
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(whole))
    writer.encrypt(password, algorithm="RC4-128")
    return saved(writer.write)


def saved(write: object) -> bytes:
    out = io.BytesIO()
    write(out)  # type: ignore[operator]
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("notes.txt", "naïve plan".encode(), "naïve plan"),
        ("notes.md", b"\xef\xbb\xbf# Plan", "# Plan"),
        ("notes.txt", "größer".encode("cp1252"), "größer"),
        ("notes.txt", "größer".encode("utf-16"), "größer"),
        ("costs.csv", b"a,b\r\n1,2", "a,b\n1,2"),
        ("plan.docx", a_docx(), "Plan\nTwo engineers, eight weeks.\ncost | $40,000\nThe end."),
        ("plan.PDF", a_pdf(), "Hello from the file"),
    ],
)
def test_a_file_becomes_its_text(name: str, data: bytes, text: str) -> None:
    assert read(name, data).text == text


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("empty.txt", b"  \n", "holds no text"),
        ("photo.txt", b"\x89PNG\0\0", "not a text file"),
        ("broken.pdf", b"%PDF-1.7 nonsense", "not a readable PDF"),
        ("locked.pdf", a_pdf("secret"), "locked with a password"),
        ("broken.docx", b"PK nonsense", "not a readable DOCX"),
        ("renamed.docx", b"just text", "not a readable DOCX"),
        ("bad.txt", b"\xff\xfe\x00", "cannot be read"),
    ],
)
def test_an_unusable_file_is_refused_at_its_field(name: str, data: bytes, says: str) -> None:
    with pytest.raises(InputError, match=says) as raised:
        read(name, data)
    assert raised.value.field == "material"
    assert name in raised.value.message
    assert raised.value.next_step


def test_a_docx_of_foreign_xml_is_refused() -> None:
    with zipfile.ZipFile(io.BytesIO(a_docx())) as whole:
        parts = {name: whole.read(name) for name in whole.namelist()}
    parts["word/document.xml"] = b"<not-closed"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    with pytest.raises(InputError, match="not a readable DOCX"):
        read("evil.docx", out.getvalue())


def test_a_docx_bomb_is_refused_before_it_is_unpacked() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"0" * (material.MAX_UNPACKED + 1))
    assert len(out.getvalue()) < 200_000
    with pytest.raises(InputError, match="unpacks to more"):
        read("bomb.docx", out.getvalue())


def test_too_long_a_text_is_refused_with_its_length() -> None:
    with pytest.raises(InputError, match="600,001 characters"):
        read("long.txt", b"x" * 600_001)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\temp\\plan.txt", "plan.txt"),
        ("a\nb\u202etxt.exe", "a btxt.exe"),
        ("///", "untitled"),
    ],
)
def test_a_name_is_one_harmless_line(given: str, shown: str) -> None:
    assert clean_name(given) == shown
