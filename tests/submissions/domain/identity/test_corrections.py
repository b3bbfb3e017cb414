"""Tests of corrections of model names: they are followed in any order, and circles end."""

from collections.abc import Collection
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from submissions.domain.identity.model_names import ModelName, NameCorrection, VariantKey, correct

TOSHIBA = VariantKey("SD", 0x02, 0x544D, "SA04G", "1.1", 3_904_897_024)
PHISON = replace(TOSHIBA, mid=0x27, oid=0x5048)


def name(slug: str) -> ModelName:
    return ModelName(slug.upper(), slug, slug.upper(), "", "", 4, "label")


def decision(slug: str, to: str, silicon: VariantKey | None = None) -> NameCorrection:
    return NameCorrection(slug, silicon, name(to))


def follow(slug: str, *decisions: NameCorrection, silicon: VariantKey = TOSHIBA) -> str:
    def find(wanted: str) -> Collection[NameCorrection]:
        return [decision for decision in decisions if decision.slug == wanted]

    return correct(name(slug), silicon, find).slug


def test_it_works() -> None:
    assert follow("a", decision("a", "b")) == "b"


def test_without_a_decision_the_reports_have_it() -> None:
    assert follow("a", decision("x", "b")) == "a"


def test_decisions_are_followed_one_after_the_other() -> None:
    assert follow("a", decision("b", "c"), decision("a", "b")) == "c"


def test_a_decision_about_silicon_wins_over_one_about_the_model() -> None:
    decisions = (decision("a", "b"), decision("a", "c", PHISON))
    assert follow("a", *decisions) == "b"
    assert follow("a", *decisions, silicon=PHISON) == "c"


def test_a_decision_that_leads_to_itself_fixes_the_writing() -> None:
    fixed = NameCorrection("a", None, replace(name("a"), name="A, well written"))
    assert correct(name("a"), TOSHIBA, lambda slug: [fixed] if slug == "a" else []).name == "A, well written"


def test_a_circle_ends() -> None:
    assert follow("a", decision("a", "b"), decision("b", "a")) == "a"


LETTERS = st.sampled_from("abcde")
DECISIONS = st.lists(st.tuples(LETTERS, LETTERS, st.booleans()), unique_by=lambda row: (row[0], row[2]))


@given(DECISIONS)
def test_every_walk_ends_and_what_is_reached_from_its_end_is_itself(
    rows: list[tuple[str, str, bool]],
) -> None:
    """Unless corrections form a circle, the name that they lead to is not corrected again."""
    decisions = [decision(slug, to, TOSHIBA if narrow else None) for slug, to, narrow in rows]
    reached = follow("a", *decisions)
    onwards = [
        decision.to.slug for decision in decisions if decision.slug == reached and decision.to.slug != reached
    ]
    assert follow(reached, *decisions) == reached or onwards
