"""Write sentences for a buyer: how good a model is for a device and a use, with warnings."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from django.utils.translation import gettext as _

from submissions.domain.ranking.advice import AbilityValue, Advice
from submissions.domain.ranking.boards import Board
from submissions.domain.ranking.gates import Gate
from submissions.domain.ranking.interfaces import Interface
from submissions.domain.ranking.order import NeedState
from submissions.domain.ranking.summary import Summary
from submissions.domain.ranking.wish import Wish
from submissions.models import CardModel
from submissions.pages.content import advice_words, finding_lines

_DEFECT = "known defect"  # reasons of quirks begin so
# The fastest cards reach the rate of a slot to within a few percent.
_AT_THE_CAP = 0.95


class Verdict(NamedTuple):
    """The verdict on a model, in sentences: `headline` with yes or no and warnings, `details` with value and limits."""

    headline: tuple[str, ...]
    details: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join(self.headline + self.details)


def write_verdict(wish: Wish, model: CardModel, advice: Advice, summary: Summary) -> Verdict:
    """Return the verdict on a model for a device and use: whether it is good enough, how sure that is, and warnings."""
    headline = advice_words.write_headline(advice)
    return Verdict((headline, *_beware(model, summary)), tuple(_details(wish, model, advice, summary)))


def _details(wish: Wish, model: CardModel, advice: Advice, summary: Summary) -> Iterator[str]:
    if advice.facts.losers:
        yield from finding_lines.list_losses(summary.findings)
    if Gate.DOES_NOT_FIT in advice.gates:
        words = {"form": model.form, "slot": wish.board.form}
        yield _("Its form is %(form)s, but the slot accepts only %(slot)s.") % words
    if advice.is_excluded:
        return
    if advice.leading is None:
        if model.known_cards:
            yield _(
                "Cards are ranked by %(ability)s here, and no such measurement of this model counts yet."
            ) % {"ability": advice_words.name_ability(advice.use.leading)}
        return
    yield _place(advice)
    yield from describe_value(advice.leading, wish.board)
    yield from _limits(advice, wish.board.interface)
    yield from _not_measured(advice)


def _place(advice: Advice) -> str:
    words = {"use": advice.use.title, "place": advice_words.describe_place(advice.place)}
    if advice.place is None:
        return (
            _(
                "%(use)s: not ranked, because the only report is from someone whose results we have not been "
                "able to check."
            )
            % words
        )
    return _("%(use)s: place %(place)s of %(listed)s.") % {**words, "listed": advice.place.listed}


def describe_value(value: AbilityValue | None, board: Board) -> Iterator[str]:
    """Yield sentences on a value in a device, such as its figure and the range of a usual card; none without one."""
    if value:
        yield advice_words.describe_measured(value, board)
        yield from filter(None, (describe_range(value), advice_words.explain_difference(value)))


def describe_range(value: AbilityValue) -> str:
    """Return the range of values of a usual card of a model, "" if the value is only a lower bound."""
    interval = advice_words.describe_interval(value)
    if not interval:
        return ""
    if value.cards > 1:
        return _("For 95 of 100 cards of this model, the value is %(interval)s.") % {"interval": interval}
    return _("For a typical card of this model, the value is %(interval)s (95 %% sure).") % {
        "interval": interval
    }


def _limits(advice: Advice, interface: Interface) -> Iterator[str]:
    for value in (advice.abilities[name] for name in advice.use.abilities if name in advice.abilities):
        if is_at_cap(value, interface):
            words = {"ability": advice_words.name_ability(value.ability)}
            words |= {"amount": advice_words.describe_amount(value)}
            yield (
                _(
                    "The device limits %(ability)s to %(amount)s; a faster card would make no difference there."
                )
                % words
            )


def is_at_cap(value: AbilityValue, interface: Interface) -> bool:
    """Return whether a value reaches the rate of this class of slots, so that no card can be faster there."""
    practical = interface.practical_bytes_per_second
    return value.row.is_linked and practical is not None and value.value >= _AT_THE_CAP * practical


def _not_measured(advice: Advice) -> Iterable[str]:
    missing = [result.need.ability for result in advice.needs if result.state is NeedState.NOT_MEASURED]
    if missing:
        names = _(" and ").join(map(advice_words.name_ability, missing))
        yield _("Nobody has measured its %(abilities)s yet.") % {"abilities": names}


def _beware(model: CardModel, summary: Summary) -> Iterator[str]:
    defects = (doubt.reason for doubt in summary.doubts if doubt.reason.startswith(_DEFECT))
    for reason in dict.fromkeys(defects):
        yield f"{reason[:1].upper()}{reason[1:]}."
    if model.varies:
        yield _("Beware: different cards are sold under this name.")
