"""Budgets, errors and interruptions end a search for the geometry.

Earlier results are kept, and no limit is exceeded.
"""

import pytest
from cardbench import ftl, geometry
from cardbench.geometry import QUANTITIES
from cardbench.geometry.probe import Budget, GivenUp, Probe
from cardbench.target.engine import EngineError
from cardbench.target.surface import Surface
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.client.cards import KIB, MIB, PLAIN, bench, card, look
from tests.client.test_geometry import ERASE_BLOCK, PAGE, values


def test_reading_only_writes_nothing():
    estimates = look(PLAIN, write=False)
    assert list(estimates) == [ERASE_BLOCK, PAGE]
    assert sum(estimate.spent.written_bytes for estimate in estimates.values()) == 0


def test_inside_a_file_system_nothing_is_looked_for():
    assert geometry.table(Surface(10**9, 512, may_write=True, shows_boundaries=False)) == ()


def test_a_budget_is_kept():
    engine, surface = bench(PLAIN)
    probe = Probe(engine, surface, seed=1)
    probe.allow(Budget(60, 1 * MIB))
    with pytest.raises(GivenUp, match="1 MiB"):
        while True:
            probe.write(64 * KIB, probe.fresh_unit(4 * MIB))
    assert probe.spent.written_bytes == 1 * MIB
    probe.allow(Budget(0.5))
    with pytest.raises(GivenUp, match=r"0\.5 s"):
        while True:
            probe.measure_boundary(8 * MIB)


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 999), st.booleans())
def test_every_budget_is_kept_on_every_card(seed, write):
    for estimate in look(ftl.draw(seed), seed=seed, write=write).values():
        budget = next(quantity.budget for quantity in QUANTITIES if quantity.metric == estimate.metric)
        longest_operation_s = 10  # a buffer full of merges
        assert estimate.spent.written_bytes <= budget.written_bytes
        assert estimate.spent.duration_ns / 1e9 <= budget.duration_s + longest_operation_s
        assert (estimate.value is None) == bool(estimate.code)


@pytest.mark.parametrize("mib", [16, 64, 200, 1000, 4000])
def test_a_small_device_gives_no_errors(mib):
    estimates = look(card(size_bytes=mib * MIB))
    assert not any(estimate.device_failed for estimate in estimates.values())
    assert estimates[ERASE_BLOCK].value in (4 * MIB, None)


def test_a_memory_is_no_flash():
    estimates = look(
        card(read_command_ns=3_000, map_miss_ns=0.0, bus_bytes_per_s=2e9), ERASE_BLOCK, PAGE, write=False
    )
    assert {estimate.code for estimate in estimates.values()} == {"abstained"}
    assert "the data comes from memory" in estimates[PAGE].finding.reason


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.8])
@pytest.mark.parametrize("region_mib", [4, 64])
def test_places_that_hold_nothing_do_not_mislead(share, region_mib):
    model = card(trimmed_share=share, trim_region_bytes=region_mib * MIB, empty_read_share=0.5)
    for seed in range(3):
        erase_block, page = values(model, ERASE_BLOCK, PAGE, write=False, seed=seed)
        assert erase_block in (4 * MIB, None) and page in (16 * KIB, None)


def test_the_same_seed_finds_the_same():
    assert look(PLAIN) == look(PLAIN)


class Faulty:
    """The plain card, but one of its operations raises an error or Ctrl-C."""

    def __init__(self, engine, *, after: int, error: BaseException) -> None:
        self._engine, self._left, self._error = engine, after, error

    def __getattr__(self, name):
        return getattr(self._engine, name)

    def write(self, length_bytes, offsets_bytes, *, seed, sync=""):
        self._left -= 1
        if self._left == 0:
            raise self._error
        return self._engine.write(length_bytes, offsets_bytes, seed=seed, sync=sync)


def survey_with(error: BaseException, *, after: int):
    engine, surface = bench(PLAIN)
    probe = Probe(Faulty(engine, after=after, error=error), surface, seed=11)
    return geometry.survey(geometry.table(surface), probe)


def test_ctrl_c_in_the_middle_keeps_what_was_found():
    estimates = survey_with(KeyboardInterrupt(), after=230)
    assert [estimate.value for estimate in estimates[:2]] == [4 * MIB, 16 * KIB]
    assert estimates[-1].code == "interrupted"
    assert estimates[-1].value is None
    assert len(estimates) < len(QUANTITIES)


def test_an_error_is_no_number_and_the_rest_goes_on():
    estimates = survey_with(EngineError("write at byte 0 failed (EIO)", code="EIO"), after=230)
    assert len(estimates) == len(QUANTITIES)
    (failed,) = [estimate for estimate in estimates if estimate.device_failed]
    assert (failed.code, failed.value) == ("EIO", None)


def test_a_card_that_was_pulled_out_ends_it():
    estimates = survey_with(EngineError("gone", code="ENODEV"), after=230)
    assert (estimates[-1].code, len(estimates) < len(QUANTITIES)) == ("ENODEV", True)
