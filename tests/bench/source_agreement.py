"""`make bench-sources`: how far each published source puts models in the order of the site, on the data it starts with.

Two models that a source measured in one figure are a pair. Kendall's tau is the share of pairs in the same order less
the share in the reverse order. `sure` are the pairs that the site tells apart with 95 % confidence: of cards that are
too close, tau says little. At the link of their host, cards cannot differ.
"""

import os
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import hypot
from pathlib import Path
from typing import NamedTuple

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flashdb.settings")
LEAST_MODELS = 6
_Z = 1.96


class Value(NamedTuple):
    """A model in one figure, in logs where more is better: by the source, and as estimated, with its deviation."""

    own: float
    estimate: float
    sd: float


class Values(NamedTuple):
    """All values of one source, by figure and model."""

    figures: Mapping[str, Mapping[int, Value]]
    at_link: float

    @property
    def models(self) -> int:
        return len({model for by_model in self.figures.values() for model in by_model})

    @property
    def pairs(self) -> list[tuple[Value, Value]]:
        return [pair for by_model in self.figures.values() for pair in combinations(by_model.values(), 2)]


def main() -> None:
    """Load the starter data into an empty database, and print one line per source."""
    django.setup()
    from django.core.management import call_command

    from tests import starter

    call_command("migrate", verbosity=0)
    with tempfile.TemporaryDirectory() as folder:
        starter.load(Path(folder, "starter"))
    print(f"{'source':28}{'models':>7}{'pairs':>7}{'tau':>7}{'sure':>7}{'tau':>7}{'at link':>9}")
    for source, values in sorted(read_values().items()):
        if values.models >= LEAST_MODELS and values.pairs:
            print(describe(source, values))


def describe(source: str, values: Values) -> str:
    """Return the line of one source."""
    pairs = values.pairs
    sure = [pair for pair in pairs if is_sure(*pair)]
    sure_tau = f"{tau(sure):.2f}" if sure else "–"
    counts = f"{values.models:7}{len(pairs):7}{tau(pairs):7.2f}{len(sure):7}"
    return f"{source:28}{counts}{sure_tau:>7}{values.at_link:9.0%}"


def is_sure(one: Value, other: Value) -> bool:
    """Return whether the site tells two models apart with 95 % confidence."""
    return abs(one.estimate - other.estimate) > _Z * hypot(one.sd, other.sd)


def tau(pairs: Sequence[tuple[Value, Value]]) -> float:
    """Return Kendall's tau; a tie in either order counts for neither."""
    signs = [(one.own - other.own) * (one.estimate - other.estimate) for one, other in pairs]
    return sum((sign > 0) - (sign < 0) for sign in signs) / len(pairs)


def read_values() -> dict[str, Values]:
    """Read the values of every source beside the estimates of the site; two queries."""
    from submissions.domain.ranking import comparable
    from submissions.models import Estimate

    rows = Estimate.objects.filter(variant=None).values_list("card_model", "figure", "mean", "sd")
    estimates = {(model, figure): (mean, sd) for model, figure, mean, sd in rows}
    figures: dict[str, dict[str, dict[int, Value]]] = defaultdict(lambda: defaultdict(dict))
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for source, model, figure, log, count, at_link in _read_means():
        counts[source][0] += count
        counts[source][1] += at_link
        if estimate := estimates.get((model, figure)):
            figures[source][figure][model] = Value(comparable.sign(figure) * log, *estimate)
    return {source: Values(own, counts[source][1] / counts[source][0]) for source, own in figures.items()}


def _read_means() -> list[tuple[str, int, str, float, int, int]]:
    from django.db.models import Avg, Count, FloatField, Q
    from django.db.models.functions import Cast, Ln

    from submissions.evidence.credits import published_runs
    from submissions.models import Measurement

    measured = Measurement.objects.rankable().filter(value__gt=0, run__in=published_runs()).order_by()
    by_model = measured.values_list("run__source_slug", "run__card__variant__card_model", "figure")
    mean, at_link = Avg(Ln(Cast("value", FloatField()))), Count("pk", filter=Q(verdict="at_least"))
    return list(by_model.annotate(log=mean, count=Count("pk"), at_link=at_link))
