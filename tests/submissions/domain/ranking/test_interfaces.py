"""Tests of classes of interfaces and of the boards that have them."""

import math
from collections.abc import Callable

import pytest

from submissions.domain.errors import ReportError
from submissions.domain.ranking import boards, interfaces


def test_it_works() -> None:
    ddr50 = interfaces.find("ddr50")
    assert (ddr50.raw_bytes_per_second, ddr50.practical_bytes_per_second) == (50e6, 46.6e6)
    assert ddr50.log_cap == pytest.approx(math.log(46.6e6))


def test_the_fastest_has_no_limit() -> None:
    assert interfaces.find("fastest").log_cap == math.inf


def test_slower_ones_stand_first() -> None:
    every = interfaces.all_interfaces().values()
    caps = [interface.log_cap for interface in every if not interface.slot]
    assert list(every)[: len(caps)] == [interface for interface in every if not interface.slot]
    assert caps == sorted(caps)


def test_nothing_is_reached_beyond_the_raw_rate() -> None:
    for interface in interfaces.all_interfaces().values():
        assert (interface.practical_bytes_per_second or 0) <= (interface.raw_bytes_per_second or 0)


def test_what_a_link_reaches_is_as_in_the_class_that_carries_as_much() -> None:
    assert interfaces.reach(50e6) == 46.6e6
    assert interfaces.reach(12.5e6) == pytest.approx(11.85e6)
    assert interfaces.reach(208e6) == pytest.approx(193.6e6)


def test_a_board_leads_to_its_interface() -> None:
    assert boards.find("raspberry-pi-4").interface == interfaces.find("ddr50")


@pytest.mark.parametrize("find", [interfaces.find, boards.find])
def test_an_unknown_name_is_refused_with_what_is_known(find: Callable[[str], object]) -> None:
    with pytest.raises(ReportError, match=r"choose from .*raspberry-pi-5|choose from .*sdr104") as refused:
        find("telepathy")
    assert refused.value.code in ("unknown_interface", "unknown_board")


def test_every_board_says_what_to_know() -> None:
    assert all(board.title and board.notes for board in boards.all_boards().values())
