"""What stands above a ranking: which model is best and why, and which models are not clearly worse."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from submissions.domain.judgement.parameters import DEFAULTS
from submissions.domain.measuring import metrics, units
from submissions.domain.ranking.wish import Wish
from submissions.models import Score
from submissions.pages import wording

# How many peers are named; of the others it is said how many they are.
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """`why`: sentences. `peers`: those listed behind the best that are not clearly worse."""

    best: Score
    why: tuple[str, ...]
    peers: tuple[Score, ...]

    @property
    def is_early(self) -> bool:
        return self.best.state == "early"

    @property
    def named_peers(self) -> str:
        """The first of them, by name."""
        return ", ".join(score.card_model.name for score in self.peers[:_NAMED])

    @property
    def more_peers(self) -> int:
        return max(len(self.peers) - _NAMED, 0)


def answer(listed: Sequence[Score], wish: Wish) -> Answer | None:
    """Of scores for the purpose and the slot of a wish, the best first; None of an empty list."""
    if not listed:
        return None
    best, others = listed[0], listed[1:]
    chances = zip(others, best.chances_against(others), strict=True)
    peers = (score for score, chance in chances if chance < DEFAULTS.tie_probability)
    return Answer(best, (*_heaviest(best, wish), *_slot(wish)), tuple(peers))


def _heaviest(best: Score, wish: Wish) -> list[str]:
    """How it does in what the purpose weighs most, of what was measured."""
    terms = [term for term in wish.profile.on(wish.board.interface) if term.figure in best.figures]
    if not terms:
        return []
    term = max(terms, key=lambda term: term.share)
    unit = metrics.FIGURES[term.figure].base_unit
    value = best.figures[term.figure]["measured"]
    words = {
        "figure": metrics.FIGURES[term.figure].title,
        "value": wording.amount(value, unit),
        "asked": wording.amount(term.reference, unit),
        "times": wording.localized(f"{value / term.reference:.2g}"),
    }
    if value < term.reference:
        return [_("%(figure)s: %(value)s, where this purpose asks for %(asked)s.") % words]
    return [_("%(figure)s: %(value)s, %(times)s times what this purpose asks for.") % words]


def _slot(wish: Wish) -> list[str]:
    practical = wish.board.interface.practical_bytes_per_second
    if practical is None:
        return []
    most = wording.amount(practical, units.RATE)
    return [
        _("This slot carries about %(most)s: what a card can do beyond is wasted in it.") % {"most": most}
    ]
