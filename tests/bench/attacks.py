"""What it costs to move a place: fake reports against crowds with a known truth, through the real write path.

`make bench-attacks`; SEED=1 draws other crowds, SIZES=40,200 (models) chooses which. Every attack is one transaction on
a site that was loaded and fitted before, and is taken back afterwards. A network stands for one person here, a /48.
What must hold: no bad card enters the top quarter, no good one with ten honest cards leaves it, no invented model
stands above an honest one, no honest score moves by more than 1 %, and honest newcomers wait for three agreeing people
at most.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice, product

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flashdb.settings")
SEED = int(os.environ.get("SEED", "1"))
SIZES = [int(size) for size in os.environ.get("SIZES", "40,200").split(",")]
RUNS_PER_MODEL = 40
FAKES, NETWORKS, HONEST_CARDS = 50, (1, 5, 20, 100), (2, 4, 10, 50)
# One with 100 networks is printed only: nobody promises anything there.
PROMISED = 20


def main() -> None:
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    broken = [failure for size in SIZES for failure in _site(size)]
    print(f"\n{len(broken)} promises broken" + "".join(f"\n  {failure}" for failure in broken))
    raise SystemExit(bool(broken))


def _site(models: int) -> list[str]:
    """Every attack on a site of so many models; which promises broke."""
    from django.core.management import call_command

    from tests.crowd import Manners, Size, crowd

    began = time.perf_counter()
    drawn = crowd(SEED, Size(models, 60, RUNS_PER_MODEL * models), Manners(spam=False))
    call_command("flush", interactive=False, verbosity=0)
    site = Site.of(drawn)
    print(f"\n{models} models, {len(drawn.model)} runs; {len(site.places())} have a score", flush=True)
    broken = [failure for attack in _attacks(site) if (failure := attack())]
    print(f"{time.perf_counter() - began:.0f} s", flush=True)
    return [f"{models} models: {failure}" for failure in broken]


def _attacks(site: "Site") -> Iterator[Callable[[], str]]:
    from tests.bench import attack_kinds as kinds

    pairs = list(product(HONEST_CARDS, NETWORKS))
    yield from (partial(kinds.stuffing, site, cards, networks) for cards, networks in pairs)
    yield from (partial(kinds.smearing, site, cards, networks) for cards, networks in pairs)
    for networks in NETWORKS:
        yield partial(kinds.invented_model, site, networks)
        yield partial(kinds.bought_trust, site, networks)
        yield partial(kinds.invented_silicon, site, networks, 1.6)
        yield partial(kinds.invented_silicon, site, networks, 2.5)
    yield partial(kinds.junk, site)
    yield partial(kinds.newcomers, site)


@dataclass(frozen=True, slots=True)
class Place:
    """Of one model: its place (None: outside the order), how many have one, its state and value."""

    at: int | None
    of: int
    state: str
    value: float

    def __str__(self) -> str:
        return f"{self.at or '–':>4} {self.state:<6} {self.value:6.0f}"

    @property
    def leads(self) -> bool:
        """In the top quarter."""
        return self.at is not None and self.at <= self.of / 4


@dataclass(frozen=True, slots=True)
class Site:
    """A site with an honest crowd. `documents`: a report of each model; `cards`: how many honest ones it has."""

    documents: dict[int, dict[str, object]]
    cards: dict[int, int]
    people: Sequence[str]

    @classmethod
    def of(cls, drawn: "object") -> "Site":
        import json

        import numpy as np

        from submissions.models import CardModel
        from submissions.writing import ingest, refit
        from tests.bench.crowd_reports import reports

        rows = iter(reports(drawn))  # type: ignore[arg-type]
        documents: dict[str, dict[str, object]] = {}
        people: dict[str, int] = {}
        while batch := list(islice(rows, 500)):
            ingest.receive_all(batch, channel="api")
            for body, person in batch:
                document = json.loads(body)
                people[person] = people.get(person, 0) + 1
                if "registers" in document["card"]:
                    documents[document["card"]["label"]["model_number"]] = document
        _work_off()
        refit.refit()
        number = dict(CardModel.objects.real().values_list("model_number", "pk"))
        counts = np.bincount(drawn.card_model)  # type: ignore[attr-defined]
        return cls(
            {number[name]: document for name, document in documents.items() if name in number},
            {number[f"M{model}"]: int(count) for model, count in enumerate(counts) if f"M{model}" in number},
            sorted(people, key=lambda person: -people[person]),
        )

    def places(self) -> dict[int, Place]:
        """Every model with a score on a Pi 4, as root file system."""
        from submissions.domain.ranking import boards
        from submissions.models import Score

        slot = boards.find("raspberry-pi-4").interface.name
        rows = list(
            Score.objects.filter(profile="pi-root", interface=slot, simulated=False).order_by(
                "-bound", "card_model_id"
            )
        )
        order = [row.card_model_id for row in rows if row.state != "claim"]
        at = {pk: place for place, pk in enumerate(order, start=1)}
        return {
            row.card_model_id: Place(at.get(row.card_model_id), len(order), row.state, row.value)
            for row in rows
        }

    @contextmanager
    def attacked(self, sent: Sequence[tuple[dict[str, object], str]]) -> Iterator[dict[int, Place]]:
        """The places once these reports are worked out and the crowd is fitted again; then all is taken back."""
        import json

        from django.db import transaction

        from submissions.writing import ingest, refit

        with transaction.atomic():
            kept = [
                ingest.receive(json.dumps(document).encode(), channel="api", submitter=person)
                for document, person in sent
            ]
            ingest.process_batch([receipt.submission.pk for receipt in kept])
            refit.refit()
            yield self.places()
            transaction.set_rollback(True)


def _work_off() -> None:
    """As a bulk load does; the planner is told how large the tables have become, which it learns by itself too late."""
    from django.db import connection

    from submissions.writing import ingest, scoring

    while pks := ingest.take_batch(most=500):
        ingest.process_batch(pks, judge=scoring.postpone)
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")


if __name__ == "__main__":
    main()
