"""Rows as the site would have made them, written all at once: models with facets and scores, cards, runs, figures."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from django.db import connection
from django.db.models import Model

from submissions.domain import interfaces, profiles
from submissions.models import Card, CardModel, Host, Measurement, Run, Score, Submission, Variant

_BATCH = 5000
_CARDS_PER_MODEL = 2


def store(*, models: int, runs: int) -> None:
    """Into an empty database."""
    _write(CardModel, (_model(number) for number in range(1, models + 1)))
    kept = list(CardModel.objects.order_by("pk").values_list("pk", flat=True))
    _write(Score, (score for number, pk in enumerate(kept) for score in _scores(number, pk)))
    _write(Variant, (_variant(number, pk) for number, pk in enumerate(kept)))
    variants = list(Variant.objects.order_by("pk").values_list("pk", flat=True))
    _write(Card, (_card(number, variants[number % models]) for number in range(models * _CARDS_PER_MODEL)))
    cards = list(Card.objects.order_by("pk").values_list("pk", flat=True))
    hosts = Host.objects.bulk_create(
        Host(board=f"Raspberry Pi {n}", interface="mmc", bus_mode="SDR104") for n in range(50)
    )
    _write(Submission, (_submission(number) for number in range(runs)))
    received = list(Submission.objects.order_by("pk").values_list("pk", flat=True))
    _write(Run, (_run(pk, cards[n % len(cards)], hosts[n % 50].pk) for n, pk in enumerate(received)))
    ran = list(Run.objects.order_by("pk").values_list("pk", flat=True))
    _write(Measurement, (_measurement(n, pk) for n, pk in enumerate(ran)))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _write(kind: type[Model], rows: Iterable[Any]) -> None:
    left = iter(rows)
    while batch := list(islice(left, _BATCH)):
        kind._default_manager.bulk_create(batch)


def _model(n: int) -> CardModel:
    brand, maker, size = f"Brand {n % 100}", ("Toshiba", "SanDisk")[n % 2], 2 ** (n % 7 + 3)
    name = f"{brand} Extreme {n} {size} GB"
    return CardModel(
        slug=f"model-{n}",
        name=name,
        brand=brand,
        line="Extreme",
        capacity_gb=size,
        named_from="label",
        words=f"{name} {maker} {size}gb pn{n} 0x02 0x544d 02544d{n:012x}".lower(),
        makers=[maker],
        oems=[f"0x{n % 300:04x}", "0x544d"],
        app_perf_class=n % 3,
        uhs_speed_grade=(0, 1, 3)[n % 3],
        video_speed_class=(0, 10, 30, 90)[n % 4],
        bus_modes=[("DDR50", "SDR104")[n % 2]],
        manufactured_last=f"{2018 + n % 8}-06",
        known_cards=_CARDS_PER_MODEL,
        suspicious_cards=int(n % 100 == 0),
        varies=n % 50 == 0,
        price=5 + n % 40 if n % 2 else None,
        currency="EUR" if n % 2 else "",
    )


def _scores(n: int, pk: int) -> Iterator[Score]:
    for at, interface in enumerate(interfaces.all_interfaces()):
        for profile in profiles.all_profiles().values():
            value = 50 + n * 7919 % 400 + 20 * at
            yield Score(
                card_model_id=pk,
                profile=profile.name,
                profile_version=profile.version,
                interface=interface,
                value=value,
                lower=value * 0.8,
                upper=value * 1.25,
                bound=value * 0.75,
                cards=1 + n % 12,
                runs=10,
                submitters=1 + n % 5,
                covered=1,
                terms=len(profile.terms),
                figures={
                    term.figure: {"value": term.reference, "measured": term.reference, "cards": 3}
                    | {"lower": term.reference * 0.9, "upper": term.reference * 1.1, "at_least": False}
                    for term in profile.terms[:4]
                },
                state=("early", "ranked", "solid")[n % 3],
            )


def _variant(n: int, pk: int) -> Variant:
    return Variant(
        card_model_id=pk, bus="SD", mid=2, oid=0x544D, pnm=f"PN{n}", prv="1.0", capacity_bytes=10**10
    )


def _card(n: int, variant: int) -> Card:
    return Card(key=f"{n:024x}", variant_id=variant, manufactured="2023-05", verdict="nothing unusual")


def _submission(n: int) -> Submission:
    return Submission(
        public_id=f"{n:012x}", content_hash=f"{n:064x}", body=b"{}", channel="bulk", submitter=str(n % 900)
    )


def _run(submission: int, card: int, host: int) -> Run:
    return Run(
        submission_id=submission, card_id=card, host_id=host, suite="quick", tool="cardbench", target="device"
    )


def _measurement(n: int, run: int) -> Measurement:
    value = 400.0 + n % 300
    return Measurement(
        run_id=run,
        position=0,
        workload="stream",
        metric="iops",
        parameters={"direction": "write", "order": "random", "block_size_bytes": 4096, "io": "direct"},
        figure="rand_write_4k",
        repeats=[value],
        value=value,
        verdict="ok",
    )
