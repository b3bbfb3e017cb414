"""How much of what is written to the cards of a model they keep, in sentences: capacities that were tried out."""

from collections.abc import Iterable
from typing import NamedTuple

from django.utils.translation import gettext as _

from submissions.domain.ranking.summary import Trial
from submissions.pages import wording


class Tried(NamedTuple):
    """`short`: less was kept than the card announces."""

    words: str
    short: bool = True


def tried(trials: Iterable[Trial]) -> tuple[Tried, ...]:
    """Return a sentence for each different result, those of cards that lost data first."""
    found = dict.fromkeys(_tried(trial) for trial in trials)
    return tuple(sorted(found, key=lambda one: not one.short))


def _tried(trial: Trial) -> Tried:
    if trial.kept_bytes is None:
        return Tried(_("A test of a part of it showed: the card lost data."))
    announced = trial.announced_bytes
    if not trial.kept_bytes:
        return Tried(_("A full test showed: the card kept nothing."))
    sizes = {"kept": _gigabytes(trial.kept_bytes), "announced": _gigabytes(announced or 0)}
    if trial.all_kept:
        return Tried(_("A full test showed: the card kept all %(kept)s.") % sizes, short=False)
    if announced:
        return Tried(
            _("A full test showed: the card kept %(kept)s of the %(announced)s it claims to have.") % sizes
        )
    return Tried(_("A full test showed: the card kept %(kept)s and lost the rest.") % sizes)


def _gigabytes(size_bytes: float) -> str:
    """As capacities are printed on cards: powers of 1000."""
    return wording.localized(f"{size_bytes / 1e9:.2f} GB")
