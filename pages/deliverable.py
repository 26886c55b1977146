"""The result of a debate: its state above everything, the page, and what the page rests on, with its exports."""

from pages.parts import heading, pieces, result

pieces.styles()
run = heading.opened()
if run:
    result.screen(run)
