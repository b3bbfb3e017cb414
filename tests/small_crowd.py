"""Store a few reports in the real database: some models, cards, hosts and people, drawn from a seed."""

import json
from random import Random
from typing import Any

from django.db.models import F

from submissions.domain.registers.crc7 import crc7
from submissions.models import AbilityEstimate, ModelSummary, Performance, Submission
from submissions.writing import ingest
from tests.factories import rand_read, rand_write, report, seq_read, specimen, uuid

HOSTS = (("Raspberry Pi 4 Model B", "DDR50", 50_000_000), ("Raspberry Pi 5 Model B", "SDR104", 208_000_000))


def a_report(number: int, chance: Random, models: int = 3) -> dict[str, Any]:
    """Return a random report on one of three cards of each model, measured on one of two boards."""
    card = chance.randrange(3 * models)
    board, mode, clock_hz = HOSTS[chance.randrange(2)]
    speed = (1 + card % models) * chance.lognormvariate(0, 0.1)
    return report(
        uuid=uuid(number),
        card=specimen(card, label={"brand": f"Brand {card % models}"}),
        host={
            "board": board,
            "interface": "mmc",
            "bus_mode": {"name": mode, "clock_hz": clock_hz, "width_bits": 4},
        },
        measurements=[rand_read(600 * speed), rand_write(400 * speed), seq_read(3 * speed)],
    )


def receive(document: dict[str, Any], submitter: str) -> Submission:
    return ingest.receive(json.dumps(document).encode(), channel="api", submitter=submitter).submission


def vouch(*submissions: Submission) -> None:
    """Mark unprocessed reports as from a trusted source: then even a single one gives its model a place."""
    Submission.objects.filter(pk__in=[submission.pk for submission in submissions]).update(vouched=True)


def crowd(size: int, seed: int = 1, models: int = 3) -> list[Submission]:
    """Receive this many random reports of five people; return their submissions, which are not processed yet."""
    chance = Random(seed)
    return [
        receive(a_report(number, chance, models), f"person {chance.randrange(5)}") for number in range(size)
    ]


def process_together(submissions: list[Submission]) -> None:
    ingest.process_batch([submission.pk for submission in submissions])


def process(submissions: list[Submission]) -> None:
    for submission in submissions:
        ingest.process(submission.pk)


def read_judgement() -> list[tuple[object, ...]]:
    """Return all rows of estimates, performances and summaries, without their ids, to compare two states."""
    rows: list[tuple[object, ...]] = []
    for kind in (AbilityEstimate, Performance):
        names = [field.attname for field in kind._meta.fields if field.attname not in ("id", "card_model_id")]
        slug = F("card_model__slug")
        rows += sorted(kind.objects.values_list(slug, *names), key=str)
    return rows + list(
        ModelSummary.objects.order_by("card_model__slug").values_list("card_model__slug", "told")
    )


def agreeing_people() -> None:
    """Process reports of six people who agree about seven models.

    Each person has also measured an eighth model that no other person has measured.
    """
    cards = [(person, model) for person in range(6) for model in (*range(7), 10 + person)]
    submissions = []
    for number, (person, model) in enumerate(cards):
        card = specimen(number, label={"brand": f"Brand {model}"})
        document = report(uuid=uuid(number), card=card, measurements=[rand_write(100 * (model + 1) + person)])
        submissions.append(receive(document, f"person {person}"))
    process_together(submissions)


def two_silicons(per_side: int, ratio: float) -> None:
    """Process reports on cards of one label that come in two revisions, a fast one and a slower one.

    Each report comes from a source of its own that the operator trusts. `per_side`: the cards of each revision.
    """
    submissions = []
    for number in range(2 * per_side):
        is_slow = number >= per_side
        card = specimen(1000 + number, label={"brand": "Twofold"})
        if is_slow:
            card["registers"] = card["registers"] | {"cid": revision_2(card["registers"]["cid"])}
        value = 900 / (ratio if is_slow else 1) * (1 + 0.01 * number)
        document = report(uuid=uuid(1000 + number), card=card, measurements=[rand_write(value)])
        submissions.append(receive(document, f"owner {number}"))
    vouch(*submissions)
    process_together(submissions)


def revision_2(cid: str) -> str:
    """Return the CID of a card with revision 2.0 instead of 1.1, made two years later."""
    first = bytes.fromhex(cid)[:8] + b"\x20" + bytes.fromhex(cid)[9:13] + bytes.fromhex("00f3")
    return (first + bytes([crc7(first) << 1 | 1])).hex()


def list_rankable(measurements: Any) -> Any:
    """Return the comparable figures with a plausible value, from runs that certainly measured their card."""
    return measurements.exclude(figure="").exclude(pk__in=measurements.not_rankable())
