"""The room of a debate: watch it, read every round of it, decide at its gates. The debate is in the URL (`?id=`)."""

from pages.parts import heading, live, pieces

pieces.styles()
run = heading.opened()
if run:
    live.page(run)
