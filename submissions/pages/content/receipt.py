"""What a receipt says besides the state: the card among its siblings, and words for a forum."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from submissions.domain.measuring import metrics
from submissions.models import Run, Score
from submissions.pages import wording
from submissions.pages.content import finder_rows


class Sibling(NamedTuple):
    """A figure of this card beside what its model is believed to do; `cards`: how many cards that rests on."""

    title: str
    own: str
    others: str
    cards: int


def siblings(run: Run, score: Score | None) -> Iterator[Sibling]:
    """In the order of the registry; one query."""
    if score is None:
        return
    measured = dict(run.measurements.exclude(figure="").values_list("figure", "value"))
    for name, figure in metrics.FIGURES.items():
        told: dict[str, Any] | None = score.figures.get(name)
        if told and "lower" in told and (own := measured.get(name)) is not None:
            low, high = (wording.amount(told[end], figure.base_unit) for end in ("lower", "upper"))
            others = _("%(low)s to %(high)s") % {"low": low, "high": high}
            yield Sibling(figure.title, wording.amount(own, figure.base_unit), others, told["cards"])


def forum(run: Run, score: Score | None, address: str) -> dict[str, str]:
    """Kind of forum -> words to copy."""
    name, where = run.card.variant.card_model.name, str(run.host)
    words = _("tested with %(tool)s in %(host)s") % {"tool": run.tool, "host": where}
    if score is not None:
        stands = _("%(use)s: at least %(least)s what it needs, likely %(likely)s") % {
            "use": score.profile_title,
            "least": finder_rows.times(score.bound),
            "likely": finder_rows.times(score.value),
        }
        words = f"{words}. {stands}"
    return {"Markdown": f"[{name}]({address}), {words}", "BBCode": f"[url={address}]{name}[/url], {words}"}
