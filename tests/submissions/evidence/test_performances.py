"""Estimates and performances in the database do not depend on the order of reports, and are restored by deletions."""

import math
from random import Random
from typing import Any

import numpy as np
import pytest

from submissions.domain.measuring.metrics import ABILITIES
from submissions.domain.ranking.slots import all_slots
from submissions.domain.registers.crc7 import crc7
from submissions.evidence import abilities, crowds, observations
from submissions.models import AbilityEstimate, CardModel, Performance, Submission
from submissions.writing import ingest, refit, scoring
from tests.factories import rand_write, rand_write_qd32, report, seq_read, specimen, uuid
from tests.small_crowd import crowd, process, process_together, receive, two_silicons

pytestmark = pytest.mark.django_db
# Manufacturer 0xad, OEM "LS", product "USD00", revision 1.0, of May 2024.
LISTED = bytes.fromhex("ad4c53 5553443030 10 00012345 0185")
PI_5 = {
    "board": "Raspberry Pi 5 Model B",
    "interface": "mmc",
    "bus_mode": {"name": "SDR104", "clock_hz": 208_000_000, "width_bits": 4},
}


def performances_of(slot: str) -> dict[str, Performance]:
    return {
        row.card_model.brand: row
        for row in Performance.objects.filter(slot=slot).select_related("card_model")
    }


def test_it_works() -> None:
    process(crowd(12))
    (row,) = (row for row in performances_of("raspberry-pi-5").values() if row.card_model.brand == "Brand 2")
    assert set(row.abilities) == {"small_writes", "small_reads", "large_reads"}
    value = row.abilities["small_writes"]
    assert value["lower"] < value["value"] < value["upper"]
    assert value["value"] == pytest.approx(1200, rel=0.3) and value["origin"] == "here"
    number = list(ABILITIES).index("small_writes")
    assert math.exp(row.means[number] or 0) == pytest.approx(value["value"], rel=1e-5)
    assert [mean is None for mean in row.means] == [origin == 0 for origin in row.origins]
    assert len(row.means) == len(row.sds) == len(row.card_sds) == len(row.origins) == len(ABILITIES)
    assert AbilityEstimate.objects.filter(card_model=row.card_model).count() == 3


def test_the_median_is_of_the_tests_in_that_slot() -> None:
    elsewhere = [receive(report(measurements=[rand_write(speed)]), f"{speed}") for speed in (880, 900, 920)]
    process([*elsewhere, receive(report(measurements=[rand_write(300)], host=PI_5), "one")])
    medians = [
        next(iter(performances_of(slot).values())).abilities["small_writes"]["median"]
        for slot in ("raspberry-pi-5", "raspberry-pi-2")
    ]
    assert medians == pytest.approx([300, 890], rel=1e-3)


def test_each_slot_has_a_row_of_its_own_kind() -> None:
    process([receive(report(measurements=[rand_write(900)]), "somebody")])
    kinds = {slot.interface.slot for name, slot in all_slots().items() if performances_of(name)}
    assert kinds == {""}
    assert Performance.objects.count() == sum(not slot.interface.slot for slot in all_slots().values())


def rows_of(kind: Any) -> list[tuple[Any, ...]]:
    names = [field.attname for field in kind._meta.fields if field.attname != "id"]
    return sorted(kind.objects.values_list(*names), key=str)


def test_one_by_one_gives_the_same_as_all_at_once() -> None:
    process_together(crowd(70, models=12))
    refit.refit()
    stored = crowds.current_crowd()
    rows, described = observations.load_all()
    every = observations.from_columns(rows, described, stored.numbers)
    at_once = abilities.judge(every, stored, {}).estimates
    for number, pk in enumerate(every.models.tolist()):
        alone = abilities.judge(observations.gather([pk], stored.numbers), stored, {}).estimates
        for name in ("mean", "sd", "card_sd", "median"):
            pair = getattr(alone, name)[:, 0], getattr(at_once, name)[:, number]
            np.testing.assert_allclose(*pair, rtol=0, atol=1e-9)
    before = rows_of(AbilityEstimate), rows_of(Performance)
    for pk in CardModel.objects.values_list("pk", flat=True):
        scoring.refresh([pk])
    assert (rows_of(AbilityEstimate), rows_of(Performance)) == before


def test_a_slot_caps_what_it_carries() -> None:
    """A value of 80 MB/s from a Raspberry Pi 5 is limited in slots with buses of 24, 47 and 97 MB/s."""
    process([receive(report(measurements=[seq_read(80, 81, 79)], host=PI_5), "somebody")])
    ends = {
        row.slot: [round(row.abilities["large_reads"][end] / 1e6) for end in ("value", "upper")]
        for row in Performance.objects.all()
    }
    assert (ends["high_speed"], ends["ddr50"], ends["sdr104"][1]) == ([24, 24], [47, 47], 97)
    assert ends["fastest"][1] > 90


def test_a_slow_link_says_at_least() -> None:
    """A value of 44 MB/s on a Raspberry Pi 4, with a bus of about 45 MB/s, is only a lower bound."""
    process([receive(report(measurements=[seq_read(44)]), "somebody")])
    estimate = AbilityEstimate.objects.get(ability="large_reads")
    assert not estimate.level_known
    assert Performance.objects.get(slot="fastest").abilities["large_reads"]["at_least"]


def test_what_was_measured_elsewhere_says_so() -> None:
    process([receive(report(measurements=[rand_write(900)], host=PI_5), "somebody")])
    origins = {row.slot: row.abilities["small_writes"]["origin"] for row in Performance.objects.all()}
    assert origins["raspberry-pi-5"] == "here" and origins["raspberry-pi-4"] == "elsewhere"


def test_a_board_that_is_new_to_the_crowd_is_no_elsewhere() -> None:
    process_together(crowd(30))
    refit.refit()
    host = PI_5 | {"board": "Raspberry Pi 500 Rev 1.0"}
    card = specimen(99, label={"brand": "Late"})
    process(
        [receive(report(uuid=uuid(99), card=card, measurements=[rand_write(900)], host=host), "somebody")]
    )
    value = performances_of("raspberry-pi-5")["Late"].abilities["small_writes"]
    assert value["origin"] == "here" and value["lower"] < 900 < value["upper"]


def test_a_card_that_no_kernel_queues_is_told_without_a_queue() -> None:
    process_together(crowd(20))
    measured = [rand_write(900), rand_write_qd32(4000)]
    card = specimen(99, label={"brand": "Queued"})
    process([receive(report(uuid=uuid(99), card=card, measurements=measured, host=PI_5), "somebody")])
    row = performances_of("raspberry-pi-5")["Queued"]
    assert "small_writes_queued" not in row.abilities
    assert row.abilities["small_writes"]["median"] == 900


@pytest.mark.parametrize(
    ("kind", "slot"), [(rand_write, "raspberry-pi-5"), (rand_write_qd32, "raspberry-pi-4")]
)
def test_the_other_state_of_the_queue_stands_in_if_only_that_was_measured(kind: Any, slot: str) -> None:
    """The kernel of a Pi 5 queues commands in this card (raspberrypi/linux pull request 6591).

    A Pi 4 queues in none.
    """
    process_together(crowd(20))
    cid = LISTED + bytes([crc7(LISTED) << 1 | 1])
    card = {"bus": "SD", "registers": {"cid": cid.hex()}, "label": {"brand": "Listed"}}
    process([receive(report(uuid=uuid(99), card=card, measurements=[kind(900)], host=PI_5), "somebody")])
    value = performances_of(slot)["Listed"].abilities["small_writes"]
    assert (value["median"], value["origin"]) == (900, "elsewhere")
    assert value["upper"] > 2.8 * value["value"] and 400 < value["value"] < 2000


def test_the_median_in_the_other_queue_state_is_of_all_slots() -> None:
    cid = LISTED + bytes([crc7(LISTED) << 1 | 1])
    card = {"bus": "SD", "registers": {"cid": cid.hex()}, "label": {"brand": "Listed"}}
    sent = [
        receive(report(uuid=uuid(number), card=card, measurements=[rand_write(speed)], **host), "somebody")
        for number, (speed, host) in enumerate([(400, {"host": PI_5}), (900, {})], 98)
    ]
    process(sent)
    value = performances_of("raspberry-pi-5")["Listed"].abilities["small_writes"]
    assert (value["median"], value["origin"]) == (pytest.approx(600, rel=0.01), "elsewhere")


def test_a_simulated_card_is_judged_apart() -> None:
    process([receive(report(simulated=True), "somebody")])
    assert set(Performance.objects.values_list("simulated", flat=True)) == {True}
    refit.refit()
    assert Performance.objects.filter(simulated=True).exists()


def test_an_estimate_says_how_much_it_rests_on() -> None:
    """Three cards of two people are measured, one card twice; one of the people is a trusted source."""
    rows = [(1, "a", 500), (1, "a", 505), (2, "a", 490), (3, "b", 520)]
    for number, (card, person, value) in enumerate(rows):
        label = {"brand": "Kingston"}
        document = report(
            uuid=uuid(number), card=specimen(card, label=label), measurements=[rand_write(value)]
        )
        receive(document, person)
    Submission.objects.filter(submitter="b").update(vouched=True)
    process(list(Submission.objects.order_by("pk")))
    estimate = AbilityEstimate.objects.get()
    counts = (estimate.cards, estimate.people, estimate.known_people, estimate.runs)
    assert counts == (3, 2, 1, 4)
    assert (estimate.ability, estimate.level_known, estimate.variant) == ("small_writes", True, None)
    assert 490 <= estimate.median <= 520


@pytest.mark.parametrize("seed", [1, 2])
def test_any_order_gives_the_same(seed: int) -> None:
    submissions = crowd(14, seed)
    process(submissions)
    forwards = rows_of(AbilityEstimate), rows_of(Performance)
    Random(seed).shuffle(submissions)
    process(submissions)
    assert (rows_of(AbilityEstimate), rows_of(Performance)) == forwards


def test_deleting_restores_exactly_what_was_before() -> None:
    submissions = crowd(14)
    process(submissions[:10])
    before = rows_of(AbilityEstimate), rows_of(Performance)
    process(submissions[10:])
    for submission in submissions[10:]:
        ingest.delete(submission)
    assert (rows_of(AbilityEstimate), rows_of(Performance)) == before


def test_the_worst_silicon_that_counts_is_what_a_buyer_gets() -> None:
    process_together(crowd(70, models=12))
    two_silicons(5, ratio=3)
    refit.refit()
    estimates = AbilityEstimate.objects.filter(card_model__brand="Twofold", ability="small_writes")
    means = dict(estimates.values_list("variant__prv", "mean"))
    assert means["2.0"] < means[None] < means["1.1"]
    row = performances_of("raspberry-pi-4")["Twofold"]
    value = row.abilities["small_writes"]
    assert value["cards"] == 5
    assert value["value"] == pytest.approx(math.exp(means["2.0"]), rel=0.2)
    stored = crowds.current_crowd()
    gathered = observations.gather([row.card_model_id], stored.numbers)
    judged = abilities.judge(gathered, stored, {})
    assert judged.parts and judged.parts.cards.tolist() == [5, 5]


def test_models_of_one_silicon_do_not_vary() -> None:
    process_together(crowd(70, models=12))
    refit.refit()
    assert not AbilityEstimate.objects.exclude(variant=None).exists()


def test_one_submission_touches_only_its_model() -> None:
    process(crowd(12))
    others = Performance.objects.exclude(card_model__name="Brand 0 4 GB")
    before = set(others.values_list("pk", flat=True))
    card = specimen(0, label={"brand": "Brand 0"})
    process([receive(report(uuid=uuid(99), card=card), "somebody")])
    assert set(others.values_list("pk", flat=True)) == before
