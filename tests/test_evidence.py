"""One source has one id; a citation the search never returned is not verified."""

import pytest

from vada import evidence
from vada.llm.base import SearchHit
from vada.models.debate import Material
from vada.models.replies import SourceReply


@pytest.mark.parametrize(
    "other",
    [
        "http://www.example.org/a/",
        "https://example.org/a?utm_source=x",
        "https://EXAMPLE.org/a#part",
        "https://example.org/a",
    ],
)
def test_the_same_page_is_the_same_evidence(other):
    assert evidence.item_id(other) == evidence.item_id("https://example.org/a")


@pytest.mark.parametrize(
    "hostile", ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "not a url", "http://[bad"]
)
def test_what_is_no_web_address_is_none(hostile):
    assert evidence.canonical(hostile) == ""


def test_only_what_the_search_returned_is_verified():
    hits = [SearchHit(url="https://example.org/a?utm_medium=x", title="A page", age="2 days")]
    sources = [
        SourceReply(ref="S1", title="a", url="https://www.example.org/a"),
        SourceReply(ref="S2", title="b", url="https://made.up/b"),
    ]
    items = evidence.items(sources, hits, ())
    assert items["S1"].verified
    assert items["S1"].title == "A page"
    assert not items["S2"].verified


def test_a_quote_from_the_material_is_verified_and_an_invented_one_is_not():
    material = [Material(name="notes.txt", text="Deploys take 40 minutes on average.")]
    good = SourceReply(ref="S1", title="notes.txt", quote="Deploys take 40 minutes on average")
    bad = SourceReply(ref="S2", title="a study", quote="Deploys take 4 minutes")
    short = SourceReply(ref="S3", title="anything", quote="take 40")
    faked = SourceReply(ref="S4", title="a page", url="https://made.up/x", quote="Deploys take 40 minutes on average")
    items = evidence.items([good, bad, short, faked], (), material)
    assert not items["S3"].verified
    assert not items["S4"].verified
    assert items["S1"].kind == "material"
    assert items["S1"].verified
    assert items["S2"].kind == "named"
    assert not items["S2"].verified
