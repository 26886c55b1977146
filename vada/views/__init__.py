"""A run in tables, figures' data and plain words: what the pages show, worked out once and without a browser.

`words` turns values into words, `references` finds what an id means, `room` is a debate at a glance and live, `record`
a round's outputs, `movement` positions and scores over the rounds, `decision` the gate, `coverage` the failure-mode
matrix, `result` the deliverable. All pure; no Streamlit, no HTML, no store.
"""
