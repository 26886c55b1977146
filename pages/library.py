"""Library: every debate, found, opened, compared, replayed, exported, imported, deleted and brought back.

Runs nothing. Search, filters, view, comparison and replay stand in the URL.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import streamlit as st

from pages.parts import inert, links, measured, pieces, replay, sample, shelf, state, theme
from vada.errors import NotFoundError, VadaError
from vada.models.run import Run
from vada.models.vocabulary import DebateState
from vada.store import DebateRow
from vada.views import words

PER_PAGE = 20
REFRESH = 3.0
"""Seconds between looks at the record while something runs."""
VIEWS = {"list": "List", "tree": "Family tree"}


def page() -> None:
    """The whole screen."""
    pieces.styles()
    if replayed := st.query_params.get("replay"):
        replay.page(replayed)
        return
    st.session_state.pop("library.changed", None)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.title("Library", anchor=False, width="stretch")
        _import()
        links.link("new", "New debate", icon=":material/add:")
        sample.again()
    _undo()
    _filters()
    rows = _found()
    _comparison(rows)
    alive = any(not row.state.ended for row in rows)
    st.fragment(_debates, run_every=REFRESH if alive else None)()


# Finding.


def _filters() -> None:
    """Search and filters; all of them stand in the URL."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.text_input(
            "Search",
            key="q",
            bind="query-params",
            icon=":material/search:",
            live=True,
            width="stretch",
            placeholder="Words of a question, a decision or a result",
            label_visibility="collapsed",
        )
        st.segmented_control("View", list(VIEWS), key="view", default="list", bind="query-params", required=True,
                             format_func=VIEWS.__getitem__, label_visibility="collapsed")  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html('<div class="vada-quiet" aria-hidden="true">State</div>', width="content")
        st.pills(
            "State",
            [s.value for s in DebateState],
            key="state",
            selection_mode="multi",
            bind="query-params",
            wrap=True,
            format_func=lambda s: theme.STATES[DebateState(s)].word,
            label_visibility="collapsed",
        )
        st.toggle("Deleted", key="deleted", bind="query-params", help="Deleted debates can be brought back.")


def _found() -> list[DebateRow]:
    """The debates the filters let through; a word may stand in the question or in anything that came of it."""
    chosen = [DebateState(s) for s in st.session_state.get("state") or () if s in set(DebateState)]
    rows = state.debates().list(states=chosen, deleted=bool(st.session_state.get("deleted")))
    wanted = (st.session_state.get("q") or "").casefold().split()
    return [row for row in rows if all(word in _text(row.id, row.updated_at) for word in wanted)]


@st.cache_data(show_spinner="Reading the debates…", max_entries=2000)
def _text(id: str, updated_at: str) -> str:
    """Everything of a debate that a search looks at."""
    return shelf.searchable(state.debates().run(id))


def _filtered() -> bool:
    return bool(st.session_state.get("q") or st.session_state.get("state") or st.session_state.get("deleted"))


# The list.


def _debates() -> None:
    """The debates as a list or as a tree, a page at a time. A change in here that shows outside reruns the page."""
    if st.session_state.pop("library.changed", False):
        st.rerun()
    rows = _found()
    if not rows:
        _empty()
        return
    as_tree = st.session_state.get("view") == "tree"
    leaves = shelf.tree(rows) if as_tree else [shelf.Leaf(row, 0) for row in shelf.ordered(rows)]
    pages = -(-len(leaves) // PER_PAGE)
    at = min(int(st.session_state.get("p") or 1), pages) - 1
    st.caption(f"{words.plural(len(rows), 'debate')}" + (" found" if _filtered() else ""))
    for leaf in leaves[at * PER_PAGE : (at + 1) * PER_PAGE]:
        _debate(leaf)
    if pages > 1:
        st.pagination(pages, key="p", bind="query-params")


def _empty() -> None:
    """What will stand here, and the way to it."""
    if _filtered():
        pieces.later("No debate matches. Change the words or the states above.")
        return
    with st.container(border=True, horizontal_alignment="center", key="empty"):
        st.subheader("No debates yet", anchor=False, text_alignment="center")
        st.caption(
            "Each debate you start stands here with its state, score, rounds and cost, from its first minute on. "
            "Without a key it is a rehearsal, which costs nothing.",
            text_alignment="center",
        )
        links.link("new", "Ask the first question", icon=":material/add:")
        sample.offer()


def _debate(leaf: shelf.Leaf) -> None:
    """One debate: state, question, what came of it, and what can be done with it."""
    row = leaf.row
    with st.container(horizontal=True, gap=None):
        if leaf.depth:
            st.space(28 * min(leaf.depth, 4))
        with st.container(
            border=True, horizontal=True, vertical_alignment="center", gap="small", key=f"row.{row.id}", width="stretch"
        ):
            st.html(_line(row), width="stretch")
            _actions(row)


def _line(row: DebateRow) -> str:
    """State, question, score, cost and age, as our own HTML in columns."""
    sign = theme.STATES[row.state]
    cost = "rehearsal" if row.rehearsal else words.money(row.dollars)
    cells = {"Score": words.score(row.score), "Cost": cost, "Changed": shelf.ago(row.updated_at, datetime.now(UTC))}
    numbers = "".join(
        f'<div class="n"><small>{name}</small>{inert.escaped(value)}</div>' for name, value in cells.items()
    )
    return (
        f'<div class="vada-row vada-num"><div class="state">{pieces.chip(sign.word, theme.tone(row.state))}</div>'
        f'<div class="q"><div>{inert.escaped(row.question)}</div><small>{inert.escaped(_facts(row))}</small></div>'
        f"{numbers}</div>"
    )


def _facts(row: DebateRow) -> str:
    """Where it comes from, its domain and its rounds."""
    packs = state.prompts().packs
    facts = [
        packs[row.pack].name if row.pack in packs else row.pack,
        words.plural(row.rounds, "round") if row.rounds else "",
        shelf.origin(row),
    ]
    return " · ".join(fact for fact in facts if fact)


def _actions(row: DebateRow) -> None:
    """Open, compare, and what is needed less often."""
    if st.session_state.get("deleted"):
        st.button("Bring back", key=f"restore.{row.id}", icon=":material/undo:", on_click=_restore, args=(row.id,))
        return
    key = f"pick.{row.id}"
    if key not in st.session_state:
        st.session_state[key] = row.id in _compared()
    st.checkbox("Compare", key=key, on_change=_pick, args=(row.id,))
    links.link("debate", "Open", icon=":material/arrow_forward:", id=row.id)
    with st.popover("More", type="tertiary", key=f"more.{row.id}"), st.container(gap=None, key=f"menu.{row.id}"):
        _menu(row)


def _menu(row: DebateRow) -> None:
    """What is needed less often."""
    if row.state.ended:
        links.link("deliverable", "Deliverable", icon=":material/description:", id=row.id)
    links.link("calls", "Model calls", icon=":material/receipt_long:", id=row.id)
    st.button("Replay", key=f"replay.{row.id}", type="tertiary", icon=":material/replay:", on_click=_replay,
              args=(row.id,))  # fmt: skip
    links.link("new", "Ask a follow-up", icon=":material/subdirectory_arrow_right:", **{"from": row.id})
    links.link("new", "Ask again with changes", icon=":material/edit:", like=row.id)
    st.download_button("Export the record", data=lambda: state.debates().export_bundle(row.id), on_click="ignore",
                       file_name=f"vada-{row.id}.zip", key=f"export.{row.id}", type="tertiary",
                       icon=":material/download:")  # fmt: skip
    st.button("Delete", key=f"delete.{row.id}", type="tertiary", icon=":material/delete:", on_click=_delete,
              args=(row.id,))  # fmt: skip


def _replay(id: str) -> None:
    st.query_params["replay"] = id
    st.session_state["library.changed"] = True


# Deleting, bringing back, importing.


def _delete(id: str) -> None:
    state.debates().delete(id)
    st.session_state["library.deleted"] = id
    st.session_state["library.changed"] = True


def _restore(id: str) -> None:
    state.debates().restore(id)
    st.session_state.pop("library.deleted", None)
    st.session_state["library.changed"] = True


def _undo() -> None:
    """The way back, right after something was deleted."""
    id = st.session_state.get("library.deleted")
    if not id or st.session_state.get("deleted"):
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="undo"):
        st.markdown("Deleted. It can be brought back from the deleted ones for as long as it is kept.", width="stretch")
        st.button("Undo", key="undo.delete", icon=":material/undo:", on_click=_restore, args=(id,))


def _import() -> None:
    """Take up a record that was exported here or elsewhere."""
    number = st.session_state.setdefault("import.number", 0)
    with st.popover("Import", icon=":material/upload:", type="tertiary"):
        st.file_uploader(
            "An exported record", key=f"import.{number}", max_upload_size=20, on_change=_take, args=(number,)
        )
        st.caption("Its chain of hashes is checked before it is taken up; nothing in it is run.")
        if refused := st.session_state.get("import.refused"):
            state.problem(refused)
        if id := st.session_state.get("import.taken"):
            links.link("debate", "Imported. Open it", icon=":material/check:", id=id)


def _take(number: int) -> None:
    """Import the file; what is wrong with it is said below the upload."""
    file = st.session_state.get(f"import.{number}")
    if file is None:
        return
    st.session_state["import.refused"] = st.session_state["import.taken"] = None
    try:
        st.session_state["import.taken"] = state.debates().import_bundle(file.getvalue())
    except VadaError as error:
        st.session_state["import.refused"] = error
    st.session_state["import.number"] = number + 1


# Comparing two.


def _compared() -> list[str]:
    """The debates chosen for comparison; they stand in the URL."""
    return st.query_params.get_all("compare")


def _pick(id: str) -> None:
    """Choose a debate or drop it; a third pushes the oldest choice out."""
    others = [other for other in _compared() if other != id]
    chosen = [*others, id][-2:] if st.session_state[f"pick.{id}"] else others
    for dropped in set(others) - set(chosen):
        st.session_state[f"pick.{dropped}"] = False
    st.query_params["compare"] = chosen
    st.session_state["library.changed"] = True


def _comparison(rows: Sequence[DebateRow]) -> None:
    """Two debates side by side, or how to choose the second."""
    chosen = _compared()
    if len(chosen) == 1 and any(row.id == chosen[0] for row in rows):
        st.caption(":material/compare: One chosen. Choose a second one to compare.")
    if len(chosen) != 2:
        return
    try:
        left, right = (state.snapshot(id) for id in chosen)
    except NotFoundError as error:
        state.problem(error)
        return
    with st.container(border=True, key="comparison"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.subheader("Compared", anchor=False, width="stretch")
            links.link("debate", "Open the left one", id=left.id)
            links.link("debate", "Open the right one", id=right.id)
            st.button("Close", key="compare.close", type="tertiary", icon=":material/close:", on_click=_close)
        _pairs("What was asked", [_pair("Question", left, right, lambda run: run.config.question),
                                  _pair("Domain", left, right, lambda run: run.config.pack.name),
                                  _pair("Started", left, right, lambda run: f"{words.moment(run.created_at):%d %b %Y}"),
                                  _pair("State", left, right, lambda run: theme.STATES[run.state].word),
                                  _pair("Rounds", left, right, lambda run: str(len(run.rounds))),
                                  _pair("Cost", left, right, _cost)])  # fmt: skip
        _pairs("Decisions", shelf.decisions(left, right))
        _pairs("Scores", shelf.scores(left, right))
        _pairs("Failure modes", shelf.modes(measured.findings(left), measured.findings(right)))


def _pair(name: str, left: Run, right: Run, of: Callable[[Run], str]) -> shelf.Pair:
    return shelf.Pair(name, of(left), of(right), None)


def _cost(run: Run) -> str:
    return "rehearsal" if run.config.rehearsal else words.money(run.usage.dollars)


def _pairs(title: str, pairs: Sequence[shelf.Pair]) -> None:
    """A table of things in both debates; where both can be compared, whether they agree."""
    if not pairs:
        return
    body = "".join(
        f"<tr><th scope='row'>{inert.escaped(p.name)}{_agreement(p.same)}</th>"
        f"<td>{inert.escaped(p.left)}</td><td>{inert.escaped(p.right)}</td></tr>"
        for p in pairs
    )
    st.html(f'<table class="vada-pairs"><caption>{title}</caption><tbody>{body}</tbody></table>')


def _agreement(same: bool | None) -> str:
    if same is None:
        return ""
    return f"<br>{pieces.chip('Same', 'good') if same else pieces.chip('Different', 'caution')}"


def _close() -> None:
    for id in _compared():
        st.session_state[f"pick.{id}"] = False
    st.query_params.pop("compare", None)


page()
