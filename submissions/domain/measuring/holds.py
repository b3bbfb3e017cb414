"""Which submissions wait for a second look. Held ones are shown with the reason, and kept out of every ranking."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from submissions.domain.measuring.normalize import Measured, NotUnderstood

# So many visitors must say "wrong", and more than say "same here".
VISITORS_TO_HOLD = 3
# Fewer measurements than these say nothing by their majority.
_SOME = 3
_SLIPS = ("value_out_of_range",)
MANY_AT_ONCE = "many_at_once"
CALLED_WRONG = "called_wrong"


@dataclass(frozen=True, slots=True)
class Facts:
    """What rules look at. Counts, but for `other_registers`: an earlier report of the same card has another CSD.

    `measured`, `impossible`: measurements, and those no card can have shown. `slips`: values beyond anything in their
    unit. `cards_in_a_day`: cards of this model by this submitter within a day up to this one.
    `same`, `wrong`: returning visitors who say so. `no_card`: why it may not be ranked as a card, by
    `measuring.medium`. `sent_again`: the submission that counts in its place. `looks_like`: an earlier brand.
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
class HoldRule:
    """A reason to hold a submission; what stands in braces in it is a field of Facts. `by_visitors`: visitors cause
    it, not the report. `final`: no second look is due, it is kept and not ranked."""

    code: str
    applies: Callable[[Facts], bool]
    reason: str
    by_visitors: bool = False
    final: bool = False


@dataclass(frozen=True, slots=True)
class Hold:
    """Why a submission is held. `final`: it is decided, no second look is due."""

    code: str
    reason: str
    by_visitors: bool = False
    final: bool = False


# First match wins.
RULES = (
    HoldRule("no_card", lambda facts: bool(facts.no_card), "{no_card}", final=True),
    HoldRule(
        "sent_again",
        lambda facts: bool(facts.sent_again),
        "it is the same result as {sent_again}, which counts: one result has one voice, however often it is sent",
        final=True,
    ),
    HoldRule(
        "other_registers",
        lambda facts: facts.other_registers,
        "an earlier report of this card tells other registers: one of the two is of another card",
    ),
    HoldRule(
        "looks_like",
        lambda facts: bool(facts.looks_like),
        "its brand looks like “{looks_like}” and is spelled otherwise",
    ),
    HoldRule(
        "unit_suspected",
        lambda facts: facts.slips > 0,
        "a value is beyond anything a card can show in its unit, so the other units are doubtful, too",
    ),
    HoldRule(
        "mostly_impossible",
        lambda facts: facts.measured >= _SOME and facts.impossible * 2 > facts.measured,
        "more than half of its measurements are impossible on this host",
    ),
    HoldRule(
        MANY_AT_ONCE,
        lambda facts: 0 < facts.most_cards_in_a_day < facts.cards_in_a_day,
        "one submitter has sent unusually many cards of this model within a day",
    ),
    HoldRule(
        CALLED_WRONG,
        lambda facts: facts.wrong >= VISITORS_TO_HOLD and facts.wrong > facts.same,
        "several returning visitors say that it is wrong",
        by_visitors=True,
    ),
)


def hold(facts: Facts) -> Hold | None:
    """The hold of the first rule that applies, None when none does."""
    for rule in RULES:
        if rule.applies(facts):
            reason = rule.reason.format(
                no_card=facts.no_card, sent_again=facts.sent_again, looks_like=facts.looks_like
            )
            return Hold(rule.code, reason, rule.by_visitors, rule.final)
    return None


def facts_of_report(
    measured: Sequence[Measured], missed: Sequence[NotUnderstood], *, no_card: str = ""
) -> dict[str, int | str]:
    """Fields of Facts that one report determines, without those that are 0 or empty."""
    counts: dict[str, int | str] = {
        "measured": len(measured),
        "impossible": sum(measurement.verdict == "impossible" for measurement in measured),
        "slips": sum(value.code in _SLIPS for value in missed),
        "no_card": no_card,
    }
    return {name: count for name, count in counts.items() if count}
