"""Answer whether a card is good enough for a device: yes, maybe, no, or not tested."""

from typing import Literal, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from submissions.domain.ranking.advice import Advice, NeedResult
from submissions.domain.ranking.order import NeedState
from submissions.domain.ranking.wish import Wish
from submissions.pages.content import advice_words

Answer = Literal["yes", "maybe", "no", "untested"]

_ANSWERS: dict[Answer, str] = {
    "yes": gettext_noop("Yes"),
    "maybe": gettext_noop("Maybe"),
    "no": gettext_noop("No"),
    "untested": gettext_noop("Not tested"),
}


class DeviceAnswer(NamedTuple):
    """The answer whether a card is good enough for a device and use, in words.

    `reason`: the needs (requirements) that decide. `leading`: the ability that ranks cards, "" if not measured.
    `gates`: warnings to show first, unless they are the reason.
    """

    wish: Wish
    answer: Answer
    reason: str
    leading: str = ""
    proof: str = ""
    gates: str = ""

    @property
    def words(self) -> str:
        return _(_ANSWERS[self.answer])


def answer_wish(wish: Wish, advice: Advice) -> DeviceAnswer:
    """Return whether a card is good enough for a wish (a device and a use), by the advice on its model."""
    gates = advice_words.explain_gates(advice)
    if advice.is_excluded:
        return DeviceAnswer(wish, "no", gates)
    if advice.leading is None and not advice.fails_need:
        untested = _("Nobody has tested it for “%(use)s” yet.") % {"use": wish.use.title}
        return DeviceAnswer(wish, "untested", untested, gates=gates)
    reason = " ".join(map(advice_words.explain_need, _list_deciding_needs(advice)))
    leading = advice_words.describe_measured(advice.leading, wish.board) if advice.leading else ""
    proof = advice_words.describe_proof(advice.leading) if advice.leading else ""
    return DeviceAnswer(wish, _judge(advice), reason, leading, proof, gates)


def _judge(advice: Advice) -> Answer:
    if advice.fails_need:
        return "no"
    is_clear = advice.passes_needs and not advice.is_doubted
    return "yes" if is_clear else "maybe"


def _list_deciding_needs(advice: Advice) -> list[NeedResult]:
    failed = [result for result in advice.needs if result.state is NeedState.FAIL]
    return failed or [result for result in advice.needs if result.state is not NeedState.PASS]
