"""Every id of a record leads to a name and its words."""

from tests.builders import a_run
from vada.failure_modes import Link, LinkKind
from vada.models.outputs import Evidence
from vada.views import references


def test_every_id_a_run_cites_has_a_name() -> None:
    run = a_run()
    found = references.index(run)
    cited = {
        *(p.id for r in run.rounds for x in r.replied for p in x.points),
        *(e for r in run.rounds for x in r.replied for p in x.points for e in p.evidence),
        *(c.id for r in run.rounds if r.challenges for c in r.challenges.challenges),
        *(i for r in run.rounds if r.synthesis for x in r.synthesis.rulings for i in x.cites),
        *(m.point for r in run.rounds if r.synthesis for m in r.synthesis.minority),
        *(i.id for r in run.rounds if r.verification for i in r.verification.issues),
        "C1",
        "r2.synthesis",
        "r1.optimizer_a",
    }
    assert cited <= found.keys()


def test_a_name_says_who_what_and_when() -> None:
    found = references.index(a_run())
    assert references.name_of("r2.optimizer_a.p3", found) == "Optimizer A, point 3, round 2"
    assert references.name_of("r1.x2", found) == "Challenge 2, round 1"
    assert references.name_of("nobody.knows", found) == "nobody.knows"


def test_a_source_is_shown_with_its_host_and_only_a_web_address_is_kept() -> None:
    web = references.source(Evidence(id="e1", title="T", url="https://www.example.org/a?b", kind="web", verified=True))
    assert (web.site, web.url) == ("example.org", "https://www.example.org/a?b")
    script = references.source(Evidence(id="e2", title="T", url="javascript:alert(1)", kind="web"))
    assert (script.site, script.url) == ("web", "")
    material = references.source(Evidence(id="e3", title="a.md", kind="material"))
    assert material.site == "your material"


def test_a_sentence_is_found_in_the_text_it_stands_in() -> None:
    found = references.index(a_run())
    link = Link(kind=LinkKind.SENTENCE, id="r1.synthesis", round=1, quote="the tables stay shared for now.")
    p = references.passage(link, found)
    assert p.name == "Synthesis, round 1"
    assert p.text[p.start : p.end] == "The tables stay shared for now."
    assert len(p.text) > p.end - p.start


def test_a_decision_is_found_in_its_round_and_a_missing_quote_stands_alone() -> None:
    found = references.index(a_run())
    assert (
        references.passage(Link(kind=LinkKind.DECISION, id="data", round=2), found).text == "Billing owns its tables."
    )
    lost = references.passage(Link(kind=LinkKind.SENTENCE, id="r1.synthesis", round=1, quote="not in it"), found)
    assert (lost.text, lost.start, lost.end) == ("not in it", 0, 9)
