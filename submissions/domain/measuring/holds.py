"""Find submissions that wait for a second look: they are shown with the reason, and kept out of every ranking."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

from submissions.domain.measuring.normalize import Measured, NotUnderstood

# Least number of visitors who must say "wrong"; more must do so than say "same here".
VISITORS_TO_HOLD = 3
# The majority of fewer measurements says nothing.
_SOME = 3
_SLIPS = ("value_out_of_range",)
MANY_AT_ONCE = "many_at_once"
CALLED_WRONG = "called_wrong"


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts about one submission that the rules of holds use.

    `other_registers`: an earlier report of the same card has another CSD. `measured`, `impossible`: number of
    measurements, and of those that no card can show. `slips`: number of values beyond anything in their unit.
    `cards_in_a_day`: number of cards of this model that this submitter has sent within a day up to this submission;
    `most_cards_in_a_day`: its limit, 0 for no limit. `same`, `wrong`: number of returning visitors who confirm or deny
    it. `no_card`: why it may not be ranked as a card, by `measuring.medium`. `sent_again`: the submission that counts
    in its place. `looks_like`: an earlier brand that looks the same.
    """

    measured: int = 0
    impossible: int = 0
    slips: int = 0
    other_registers: bool = False
    cards_in_a_day: int = 0
    most_cards_in_a_day: int = 0
    same: int = 0
    wrong: int = 0
    no_card: str = ""
    sent_again: str = ""
    looks_like: str = ""


@dataclass(frozen=True, slots=True)
class Hold:
    """A reason to keep a submission out of rankings; a word in braces in the reason of a rule is a field of `Facts`.

    `by_visitors`: visitors cause it, not the report. `final`: no second look follows; the submission is kept, not
    ranked.
    """

    code: str
    reason: str
    by_visitors: bool = False
    final: bool = False


# First match wins.
RULES: tuple[tuple[Callable[[Facts], object], Hold], ...] = (
    (lambda facts: facts.no_card, Hold("no_card", "{no_card}", final=True)),
    (
        lambda facts: facts.sent_again,
        Hold(
            "sent_again",
            "it is the same result as {sent_again}, which we count: one result counts once, however often"
            " it is sent",
            final=True,
        ),
    ),
    (
        lambda facts: facts.other_registers,
        Hold(
            "other_registers",
            "an earlier report about this card shows different registers: one of the two is about a"
            " different card",
        ),
    ),
    (
        lambda facts: facts.looks_like,
        Hold("looks_like", "its brand looks like “{looks_like}” but is spelled differently"),
    ),
    (
        lambda facts: facts.slips,
        Hold(
            "unit_suspected",
            "one value is far beyond what any card can reach in its unit, so the other units are doubtful,"
            " too",
        ),
    ),
    (
        lambda facts: facts.measured >= _SOME and facts.impossible * 2 > facts.measured,
        Hold("mostly_impossible", "more than half of its measurements are impossible on this host"),
    ),
    (
        lambda facts: 0 < facts.most_cards_in_a_day < facts.cards_in_a_day,
        Hold(MANY_AT_ONCE, "one person has sent unusually many cards of this model within a day"),
    ),
    (
        lambda facts: facts.wrong >= VISITORS_TO_HOLD and facts.wrong > facts.same,
        Hold(CALLED_WRONG, "several regular visitors say that it is wrong", by_visitors=True),
    ),
)


def hold(facts: Facts) -> Hold | None:
    """Return the reason to hold a submission by the first rule that applies, None if no rule applies."""
    held = next((held for applies, held in RULES if applies(facts)), None)
    return held and replace(held, reason=held.reason.format_map(asdict(facts)))


def facts_of_report(
    measured: Sequence[Measured], missed: Sequence[NotUnderstood], *, no_card: str = ""
) -> dict[str, int | str]:
    """Return by name the facts of one report that decide about a hold (a reason to keep it out of rankings).

    Facts that are 0 or empty are left out.
    """
    counts: dict[str, int | str] = {
        "measured": len(measured),
        "impossible": sum(measurement.verdict == "impossible" for measurement in measured),
        "slips": sum(value.code in _SLIPS for value in missed),
        "no_card": no_card,
    }
    return {name: count for name, count in counts.items() if count}
