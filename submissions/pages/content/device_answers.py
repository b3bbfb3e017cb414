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
    """The answer for a device. `reason`: why not yes. `leading`: the leading ability, "" if nobody measured it."""

    wish: Wish
    answer: Answer
    reason: str
    leading: str = ""
    proof: str = ""

    @property
    def words(self) -> str:
        return _(_ANSWERS[self.answer])


def answer_wish(wish: Wish, advice: Advice, *, form: str) -> DeviceAnswer:
    """Answer whether a card of this form is good enough, by the advice on its model."""
    if not wish.board.takes(form):
        return DeviceAnswer(wish, "no", _("It does not go into this slot."))
    if advice.lost_data:
        return DeviceAnswer(wish, "no", advice_words.write_headline(advice, wish.board))
    if advice.leading is None:
        return DeviceAnswer(wish, "untested", _("Nobody has tested it for this use yet."))
    reason = " ".join(map(advice_words.explain_need, _list_deciding_needs(advice)))
    leading = advice_words.describe_measured(advice.leading, wish.board)
    return DeviceAnswer(wish, _judge(advice), reason, leading, advice_words.describe_proof(advice.leading))


def _judge(advice: Advice) -> Answer:
    if advice.fails_need:
        return "no"
    return "yes" if advice.passes_needs and advice.needs else "maybe"


def _list_deciding_needs(advice: Advice) -> list[NeedResult]:
    failed = [result for result in advice.needs if result.state is NeedState.FAIL]
    return failed or [result for result in advice.needs if result.state is not NeedState.PASS]
