"""List the pros and cons of a model in a few words, without the warnings (gates) that pages show first."""

from collections.abc import Iterator
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from submissions.domain.ranking.advice import Advice
from submissions.domain.ranking.order import NeedState
from submissions.domain.ranking.proof import Proof
from submissions.models import CardModel
from submissions.pages.content import advice_words

_MOST = 3


class ProsCons(NamedTuple):
    """The pros and cons of a model: at most three sentences each, the most important first."""

    pros: tuple[str, ...]
    cons: tuple[str, ...]


def list_pros_and_cons(model: CardModel, advice: Advice) -> ProsCons:
    """Return the pros and cons of a model; none if it is excluded, or if the ability that ranks it was not measured."""
    if advice.is_excluded or advice.leading is None:
        return ProsCons((), ())
    return ProsCons(tuple(_list_pros(advice))[:_MOST], tuple(_list_cons(model, advice))[:_MOST])


def _list_pros(advice: Advice) -> Iterator[str]:
    leading = advice.leading
    if advice.passes_needs:
        yield ngettext(
            "It passes the only requirement of “%(use)s”",
            "It passes all %(count)s requirements of “%(use)s”",
            len(advice.needs),
        ) % {"count": len(advice.needs), "use": advice.use.title}
    if leading and leading.proof == Proof.CONFIRMED:
        yield _("Tested by several people: %(proof)s") % {"proof": advice_words.describe_proof(leading)}
    if advice.use.wants_endurance and advice.facts.endurance:
        yield _("Its maker promises %(endurance)s") % {
            "endurance": advice_words.describe_endurance(advice.facts.endurance)
        }
    if leading and leading.is_measured:
        yield _("Measured in such a slot")
    if advice.facts.is_sold:
        yield _("Still on sale")


def _list_cons(model: CardModel, advice: Advice) -> Iterator[str]:
    for state, words in (
        (NeedState.FAIL, _("Too slow: %(abilities)s")),
        (NeedState.UNCLEAR, _("May be too slow: %(abilities)s")),
        (NeedState.NOT_MEASURED, _("Not measured yet: %(abilities)s")),
    ):
        names = [
            advice_words.name_ability(result.need.ability) for result in advice.needs if result.state is state
        ]
        if names:
            yield words % {"abilities": ", ".join(names)}
    if len(model.products) > 1:
        yield _("One of %(count)s products with this name; the tests do not show which") % {
            "count": len(model.products)
        }
    if model.varies:
        yield _("Different cards are sold under this name")
    if advice.use.wants_endurance and not advice.facts.endurance:
        yield _("We know of no endurance promise")
    if advice.leading and advice.leading.proof < Proof.CONFIRMED:
        yield _("Few tests: %(proof)s") % {"proof": advice_words.describe_proof(advice.leading)}
    if advice.leading and advice.leading.origin == "elsewhere":
        yield _("Expected from other devices")
