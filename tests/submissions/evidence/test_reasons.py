"""The explanation of an ability lists the measured values behind it, with the effect of each."""

import math

import pytest

from submissions.evidence import crowds, reasons
from submissions.evidence.reasons import Reasons
from submissions.models import AbilityEstimate, CardModel
from submissions.writing import refit
from tests.factories import rand_write, report, seq_read, specimen, uuid
from tests.small_crowd import crowd, process, process_together, receive

pytestmark = pytest.mark.django_db


def file(number: int, *, owner: str = "somebody", **changes: object) -> None:
    document = report(uuid=uuid(number), card=specimen(number, label={"brand": "Kingston"}), **changes)
    process([receive(document, owner)])


def list_all(ability: str, brand: str = "Kingston") -> Reasons:
    return reasons.list_reasons(CardModel.objects.get(brand=brand), ability)


def test_it_works() -> None:
    for number, value in enumerate((900, 1000, 1100)):
        file(number, owner=f"person {number}", measurements=[rand_write(value)])
    listed = list_all("small_writes")
    assert sorted(round(value.value) for value in listed.values) == [900, 1000, 1100]
    assert {value.figure_title for value in listed.values} == {"Random write, 4 KiB"}
    assert {value.words for value in listed.values} == {"900 IOPS", "1,000 IOPS", "1,100 IOPS"}
    assert all(value.counts and value.weight > 0.3 and not value.is_far for value in listed.values)
    assert (listed.values_in_all, listed.unranked, listed.is_fitted) == (3, (), False)


def test_values_of_other_abilities_are_not_listed() -> None:
    file(1, measurements=[rand_write(900), seq_read(20)])
    assert [value.figure for value in list_all("large_reads").values] == ["seq_read"]
    assert list_all("small_reads").values == ()


def test_a_value_far_from_all_others_counts_little() -> None:
    for number, value in enumerate((900, 1000, 1100, 950, 1050, 90)):
        file(number, owner=f"person {number}", measurements=[rand_write(value)])
    far = [value for value in list_all("small_writes").values if value.is_far]
    assert [round(value.value) for value in far] == [90]
    assert list_all("small_writes").values[-1] == far[0]


def test_a_value_at_the_limit_of_its_link_says_at_least() -> None:
    file(1, measurements=[seq_read(44)])
    assert list_all("large_reads").values[0].at_least


def test_a_measurement_that_does_not_count_has_its_reason() -> None:
    file(1, measurements=[rand_write(1000), seq_read(49.5)])
    (measurement,) = list_all("large_reads").unranked
    assert (measurement.figure, measurement.verdict) == ("seq_read", "suspicious")
    assert "leaves no time for commands" in measurement.reason


def test_a_host_has_the_effect_of_the_last_fit() -> None:
    process_together(crowd(70, models=12))
    refit.refit()
    listed, stored = list_all("small_writes", brand="Brand 0"), crowds.current_crowd()
    assert listed.is_fitted
    ratios = {(value.run.host.board, value.run.host.bus_mode): value.ratio for value in listed.values}
    number = {(kind[1], kind[2]): number for kind, number in stored.numbers.hosts.items()}
    assert len(ratios) == 2
    boards = list(ratios)
    effects = [stored.crowd.host_effect[0, number[board]] for board in boards]
    between = math.log(ratios[boards[0]] / ratios[boards[1]])
    assert between == pytest.approx(effects[0] - effects[1], abs=0.1)


def test_what_is_explained_is_what_is_stored() -> None:
    file(1, measurements=[rand_write(1000)])
    estimate = AbilityEstimate.objects.get()
    (value,) = list_all("small_writes").values
    assert math.log(value.value / value.ratio) == pytest.approx(estimate.mean, abs=0.5)
