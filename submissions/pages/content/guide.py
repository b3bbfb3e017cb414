"""The tour: one real card, from its registers to its score."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from submissions.models import Run
from submissions.pages.content import registers, tables
from submissions.pages.plots.figure import Plot

# The card of Andrew Bradford's "Flashbenching", part of the starter data.
PRODUCT_NAME = "SA04G"


@dataclass(frozen=True, slots=True)
class Step:
    title: str
    words: str
    plot: Plot


def tour() -> dict[str, Any]:
    """The example with what each picture shows; empty when the database does not have it. Two queries."""
    run = Run.objects.example(PRODUCT_NAME)
    if run is None:
        return {}
    pictures, _rest = tables.drawn(run.measurements.order_by("position"))
    return {
        "run": run,
        "model": run.card.variant.card_model,
        "portraits": registers.of_report(bytes(run.submission.body)),
        "steps": [
            Step(title, words, plot)
            for (title, words), (plot, _table) in zip(_steps(), pictures, strict=False)
        ],
    }


def _steps() -> list[tuple[str, str]]:
    return [
        (
            _("2. Where its erase blocks end"),
            _(
                "Reading across a boundary that means something to the card takes longer. The cost jumps where its"
                " pages end, at 16 KiB, and rises once more until 4 MiB: its owner took that for the erase block, the"
                " smallest piece the card can erase. The step is faint, and it could be 2 MiB; so the next picture"
                " decides."
            ),
        ),
        (
            _("3. How many places it can write to in turn"),
            _(
                "Writing into one, two or three erase blocks in turn, it stays fast. With a fourth it runs out of open"
                " blocks and must move whole blocks for a few kilobytes: the line drops."
            ),
        ),
        (
            _("4. And when the writes are scattered"),
            _(
                "Within three blocks even random writes are fine. With four it drops to a tenth: this is how a system"
                " feels that waits for its card."
            ),
        ),
    ]
