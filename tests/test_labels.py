"""Labels hide who wrote what, lead back to stable ids, and never mean two things."""

from tests.builders import a_register, proposals
from vada.labels import Labels


def labels(salt: str = "s") -> Labels:
    return Labels(proposals(1).proposals, a_register(1), ("C1", "C2"), salt)


def test_a_label_means_one_thing():
    made = labels()
    shown = [p.label for i in made.proposals for p in i.points]
    shown += [*made.sources, *made.vetoes, *(c.label for c in made.challenges), "C1", "C2"]
    assert len(shown) == len(set(shown))
    assert made.id("C1") == "C1"


def test_the_order_is_shuffled_by_the_salt_and_stable():
    orders = {tuple(labels(str(i)).letters.values()) for i in range(20)}
    assert len(orders) > 3
    assert labels("x").letters == labels("x").letters


def test_every_label_leads_back_to_its_id():
    made = labels()
    for item in made.proposals:
        for p in item.points:
            assert made.id(p.label) == p.point.id
            assert made.id(f"[{p.label.lower()}]") == p.point.id
        assert made.roles([f"Proposal {item.letter}"]) == (item.proposal.role,)
    assert made.id("Z9") is None
    assert made.ids(["Z9", "C2", "C2"]) == ("C2",)
