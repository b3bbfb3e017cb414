"""Tests of uses: each names the ability by which it ranks cards, and needs with a source."""

import pytest

from submissions.domain.errors import ReportError
from submissions.domain.measuring import metrics
from submissions.domain.ranking import boards, interfaces
from submissions.domain.ranking.uses import DEFAULT, Use, all_uses, find_use, uses_in

every_use = pytest.mark.parametrize("use", all_uses().values(), ids=lambda use: use.name)


def test_it_works() -> None:
    use = find_use("pi-root")
    assert (use.title, use.leading) == ("Running the system", "small_writes")
    assert {need.ability: need.threshold for need in use.needs} == {
        "small_writes": 500,
        "small_reads": 1500,
        "large_writes": 10_000_000,
    }


def test_the_default_comes_first() -> None:
    assert next(iter(all_uses())) == DEFAULT


@every_use
def test_every_need_can_be_judged_and_names_its_source(use: Use) -> None:
    assert use.source and use.version >= 1
    assert all(need.threshold > 0 and need.source for need in use.needs)
    assert all(list(metrics.ABILITIES)[need.number] == need.ability for need in use.needs)


@every_use
def test_no_queued_state_leads(use: Use) -> None:
    assert not any(metrics.ABILITIES[ability].queue_of for ability in use.leads)


def test_every_board_has_a_use_for_its_slot() -> None:
    assert all(board.use.name in uses_in(board.interface) for board in boards.all_boards().values())


def test_uses_belong_to_one_kind_of_slot() -> None:
    assert list(uses_in(interfaces.find("spi"))) == ["logger"]
    assert "logger" not in uses_in(interfaces.find("sdr104"))


def test_an_unknown_use_is_refused_with_what_is_known() -> None:
    with pytest.raises(ReportError, match="pi-root") as refused:
        find_use("telepathy")
    assert refused.value.code == "unknown_use"
