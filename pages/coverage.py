"""The failure-mode matrix: eleven ways a debate goes wrong by eight phases, as designed and as measured."""

from pages.parts import heading, links, matrix, pieces

pieces.styles()
run = heading.opened(offer=False) if links.debate_id() else None
if run:
    heading.top(run, "coverage")
matrix.screen(run)
