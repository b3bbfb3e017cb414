"""The geometry of simulated cards is found correctly, or reported as unknown."""

import math
import random
from dataclasses import replace

import pytest
from cardbench import ftl, geometry
from cardbench.geometry import QUANTITIES
from cardbench.geometry.erase_block import _leader
from cardbench.geometry.probe import Budget, Probe

from tests.client.cards import KIB, MIB, MS, PLAIN, bench, card, look

ERASE_BLOCK, PAGE = "erase_block_size", "page_size"
LINEAR, RANDOM = "open_au_linear", "open_au_random"
FAT, CACHE = "fat_area_size", "write_cache_size"


def values(model: ftl.FlashModel, *metrics: str, **more) -> list[int | None]:
    estimates = look(model, *metrics, **more)
    return [estimates[metric].value for metric in metrics]


def test_it_works():
    estimates = look(PLAIN)
    assert {metric: estimate.value for metric, estimate in estimates.items() if metric != CACHE} == {
        ERASE_BLOCK: 4 * MIB,
        PAGE: 16 * KIB,
        LINEAR: 5,
        RANDOM: 3,
        FAT: 8 * MIB,
    }
    assert estimates[CACHE].value == pytest.approx(300 * MIB, rel=0.05)
    assert all(
        estimate.finding.confidence > 0.95 and estimate.finding.reason for estimate in estimates.values()
    )


@pytest.mark.parametrize("mib", [1, 1.5, 2, 3, 6, 8, 12, 16, 24])
def test_erase_blocks_are_powers_of_two_or_three_times_them(mib):
    size = int(mib * MIB)
    assert values(card(erase_block_bytes=size), ERASE_BLOCK, write=False) == [size]


@pytest.mark.parametrize("kib", [4, 8, 16, 32])
def test_pages(kib):
    model = card(page_bytes=kib * KIB, page_step_bytes=kib * KIB)
    assert values(model, PAGE, write=False) == values(model, PAGE) == [kib * KIB]


@pytest.mark.parametrize(("linear", "unordered"), [(1, 1), (2, 1), (4, 4), (9, 3), (13, 13), (30, 8)])
def test_open_units(linear, unordered):
    model = card(open_aus_linear=linear, open_aus_random=unordered)
    assert values(model, ERASE_BLOCK, LINEAR, RANDOM) == [4 * MIB, linear, unordered]


@pytest.mark.parametrize("aus", [1, 3, 5])
def test_the_fat_area(aus):
    assert values(card(fat_aus=aus), ERASE_BLOCK, LINEAR, RANDOM, FAT)[-1] == aus * 4 * MIB


# Each of these cards has once misled the search.


@pytest.mark.parametrize("seed", range(6))
def test_places_with_peculiarities_do_not_look_like_three_times_the_size(seed):
    model = card(position_spread=0.25, page_step_ns=0.1 * MS, erase_block_step_ns=0.02 * MS)
    assert values(model, ERASE_BLOCK, write=False, seed=seed)[0] in (4 * MIB, None)


def test_a_card_that_has_to_fetch_its_map():
    model = card(map_regions=2, map_region_bytes=MIB, map_miss_ns=1 * MS)
    assert values(model, ERASE_BLOCK, PAGE, write=False) == [4 * MIB, 16 * KIB]


def test_an_extra_step_in_the_middle_of_an_erase_block():
    assert values(card(half_step=0.5), ERASE_BLOCK, write=False) == [4 * MIB]


def test_first_in_first_out():
    assert values(card(replacement="fifo"), LINEAR, RANDOM) == [5, 3]


def test_a_buffer_that_postpones_merges():
    estimates = look(card(merge_buffer_bytes=512 * KIB), ERASE_BLOCK, LINEAR, RANDOM, FAT)
    assert (estimates[LINEAR].value, estimates[RANDOM].value) == (5, 3)
    assert "buffer" in estimates[LINEAR].finding.reason
    assert estimates[FAT].code == "abstained"


def test_a_card_that_merges_half_of_what_waits():
    assert values(card(merge_buffer_bytes=512 * KIB, merges_done="half"), LINEAR, RANDOM) == [5, 3]


def test_a_card_that_merges_one_unit_with_each_write_once_its_buffer_is_full():
    assert values(card(merge_buffer_bytes=512 * KIB, merges_done="one"), LINEAR, RANDOM) == [5, 3]


def test_a_card_that_writes_everything_to_a_log_first():
    model = card(merge_buffer_bytes=MIB, is_log_first=True)
    assert values(model, ERASE_BLOCK, LINEAR, RANDOM) == [4 * MIB, 5, 3]


@pytest.mark.parametrize("seed", range(4))
def test_merges_and_buffers_that_differ_from_time_to_time(seed):
    model = card(merge_buffer_bytes=512 * KIB, merge_spread=0.2, buffer_spread=0.25)
    assert values(model, ERASE_BLOCK, LINEAR, RANDOM, seed=seed) == [4 * MIB, 5, 3]


@pytest.mark.parametrize("seed", range(4))
def test_stalls_beside_a_buffer(seed):
    model = card(merge_buffer_bytes=512 * KIB, stall_chance=1 / 100, stall_ns=60 * MS)
    assert values(model, ERASE_BLOCK, LINEAR, RANDOM, seed=seed) == [4 * MIB, 5, 3]


def test_behind_a_buffer_units_are_counted_without_their_size():
    silent = card(merge_buffer_bytes=512 * KIB)
    assert values(silent, LINEAR, RANDOM) == [5, 3]


def test_many_units_behind_a_buffer_cost_no_more_than_they_must():
    model = card(merge_buffer_bytes=MIB, open_aus_linear=16, open_aus_random=11)
    estimates = look(model, ERASE_BLOCK, LINEAR, RANDOM)
    assert (estimates[LINEAR].value, estimates[RANDOM].value) == (16, 11)
    assert estimates[LINEAR].spent.written_bytes < 80 * MIB
    assert estimates[LINEAR].spent.duration_ns < 6 * 16 * model.merge_ns


def test_too_many_units_behind_a_buffer_are_not_counted_for_long():
    estimates = look(card(merge_buffer_bytes=MIB, open_aus_linear=39), ERASE_BLOCK, LINEAR, RANDOM)
    assert [estimates[metric].value for metric in (LINEAR, RANDOM)] == [None, None]
    assert "postpones merges" in estimates[LINEAR].finding.reason
    assert sum(estimate.spent.duration_ns for estimate in estimates.values()) < 30e9


@pytest.mark.parametrize("replacement", ["lru", "fifo"])
def test_many_units_are_opened_hardly_more_than_once(replacement):
    model = card(open_aus_linear=38, open_aus_random=30, replacement=replacement)
    estimates = look(model, ERASE_BLOCK, LINEAR, RANDOM)
    assert (estimates[LINEAR].value, estimates[RANDOM].value) == (38, 30)
    assert estimates[LINEAR].spent.duration_ns < 2 * 38 * model.merge_ns
    assert estimates[RANDOM].spent.duration_ns < 2.5 * 30 * model.merge_ns


@pytest.mark.parametrize(("buffer", "unit"), [(4, 2), (2, 1), (4, 4)])
def test_a_buffer_may_be_larger_than_a_unit(buffer, unit):
    model = card(merge_buffer_bytes=buffer * MIB, erase_block_bytes=unit * MIB)
    assert values(model, ERASE_BLOCK, LINEAR, RANDOM) == [unit * MIB, 5, 3]


def test_behind_a_buffer_chance_is_no_limit():
    model = card(merge_buffer_bytes=256 * KIB, replacement="random", open_aus_linear=12, open_aus_random=12)
    linear = look(model, ERASE_BLOCK, LINEAR)[LINEAR]
    assert (linear.value, linear.code in ("abstained", "time_budget")) == (None, True)


def test_a_slow_write_now_and_then_is_a_limit_behind_a_buffer():
    model = card(
        merge_buffer_bytes=MIB,
        merge_ns=22 * MS,
        page_bytes=32 * KIB,
        page_step_bytes=32 * KIB,
        open_aus_random=5,
    )
    assert values(model, ERASE_BLOCK, PAGE, LINEAR) == [4 * MIB, 32 * KIB, 5]


def test_stalls_that_look_like_merges():
    model = card(stall_chance=1 / 100, stall_ns=200 * MS)
    assert values(model, ERASE_BLOCK, LINEAR, RANDOM, FAT) == [4 * MIB, 5, 3, 8 * MIB]


def test_units_that_fall_out_of_order_when_they_are_opened_again():
    assert values(card(open_aus_linear=6, open_aus_random=1), LINEAR, RANDOM) == [6, 1]


@pytest.mark.parametrize("seed", range(6))
def test_whatever_the_previous_user_left_open(seed):
    assert values(PLAIN, LINEAR, seed=seed) == [5]


def test_a_write_cache_that_was_filled_before_is_given_time():
    engine, surface = bench(PLAIN)
    for number in range(400):
        engine.write(MIB, [number * MIB], seed=1)
    quantities = tuple(quantity for quantity in QUANTITIES if quantity.metric == CACHE)
    (estimate,) = geometry.survey(quantities, Probe(engine, surface, seed=1))
    assert estimate.value == pytest.approx(300 * MIB, rel=0.05)


def test_a_card_that_evicts_at_random():
    assert values(card(replacement="random"), LINEAR) == [5]


@pytest.mark.parametrize("unordered", [0, 1, 4])
def test_units_that_were_closed_by_chance_are_not_the_limit(unordered):
    model = card(replacement="random", open_aus_linear=6, open_aus_random=unordered, merge_ns=80 * MS)
    estimates = [look(model, LINEAR, seed=seed)[LINEAR] for seed in range(8)]
    assert [estimate.value for estimate in estimates].count(6) >= 7
    assert all(estimate.finding.confidence < 0.95 for estimate in estimates if estimate.value != 6)


@pytest.mark.parametrize("unordered", [0, 1, 2, 5])
def test_units_that_fall_in_turn_are(unordered):
    estimate = look(card(open_aus_random=unordered), LINEAR)[LINEAR]
    assert estimate.value == 5
    assert estimate.spent.duration_ns < 12e9


@pytest.mark.parametrize("mib", [6, 20, 50, 800])
def test_a_write_cache_of_any_size(mib):
    model = card(write_cache_bytes=mib * MIB, write_cache_gain=2.0, noise=0.03)
    assert values(model, CACHE)[0] == pytest.approx(mib * MIB, rel=0.12)


def test_a_card_that_is_slow_for_a_while_has_no_write_cache():
    model = card(write_cache_bytes=0, drift=0.25, drift_period_ns=5e9)
    assert values(model, CACHE) == [None]


def test_a_write_cache_that_is_not_cleaned_up_in_time():
    model = card(write_cache_bytes=700 * MIB, write_cache_gain=3.0, cache_drain_bytes_per_s=4e6)
    engine, surface = bench(replace(model, cached_before=0.8))
    quantities = tuple(quantity for quantity in QUANTITIES if quantity.metric == CACHE)
    (estimate,) = geometry.survey(quantities, Probe(engine, surface, seed=1))
    assert estimate.code == "abstained"


@pytest.mark.parametrize("mib", [0.25, 0.5, 48, 64])
def test_an_erase_block_beyond_the_usual_is_right_or_not_known(mib):
    size = int(mib * MIB)
    for write in (False, True):
        model = card(erase_block_bytes=size, half_step=0.5, size_bytes=30_000 * MIB)
        assert values(model, ERASE_BLOCK, write=write)[0] in (size, None)


def test_drift_and_noise():
    model = card(noise=0.05, drift=0.2)
    assert values(model, ERASE_BLOCK, PAGE, LINEAR) == [4 * MIB, 16 * KIB, 5]


# Tests with noise of the host and of the card.


def stalls(share: float, **more) -> ftl.FlashModel:
    """Return a card on which this share of all requests, also of reads, waits 2 ms on average."""
    return card(stall_chance=share, read_stall_share=1.0, stall_ns=2 * MS, stall_is_exponential=True, **more)


@pytest.mark.parametrize("share", [0.06, 0.1, 0.2])
def test_stalls_of_a_busy_host_cost_certainty_and_not_the_answer(share):
    for seed in range(4):
        estimates = look(stalls(share), ERASE_BLOCK, PAGE, seed=seed, write=False)
        assert estimates[ERASE_BLOCK].value == 4 * MIB
        assert estimates[PAGE].value in (16 * KIB, *([None] if share == 0.2 else []))
        assert all(estimate.finding.confidence < 0.98 for estimate in estimates.values())
        assert "had to wait" in estimates[ERASE_BLOCK].finding.reason


def test_a_busy_host_lowers_what_is_claimed():
    engine, surface = bench(PLAIN, write=False)
    quantities = geometry.table(surface)[:1]
    (calm,) = geometry.survey(quantities, Probe(engine, surface, seed=1))
    (busy,) = geometry.survey(quantities, Probe(engine, surface, seed=1, load=6.5))
    assert (calm.value, busy.value) == (4 * MIB, 4 * MIB)
    assert calm.finding.confidence > 0.98
    assert busy.finding.confidence < 0.95
    assert "6.5 tasks" in busy.finding.reason


def test_a_card_full_of_stalls_is_not_called_empty():
    engine, surface = bench(stalls(0.06), write=False)
    probe = Probe(engine, surface, seed=1)
    probe.allow(Budget(60))
    assert all(probe.measure_boundary(place * MIB) is not None for place in range(16, 400, 3))


@pytest.mark.parametrize("seed", range(10))
def test_pure_noise_has_no_period(seed):
    chance = random.Random(seed)
    offsets = [place for place in range(288 * MIB, 800 * MIB, 64 * KIB) if place % (96 * MIB)]
    times = [
        math.log(
            1e6 * (1 + 0.05 * chance.gauss(0, 1)) + (chance.expovariate(1e-6) * (chance.random() < 0.25))
        )
        for _ in offsets
    ]
    assert max(_leader(offsets[:count], times[:count])[1] for count in (64, 512, 2048, len(times))) < 8


@pytest.mark.parametrize("kib", [4, 8, 16])
def test_a_page_is_half_of_a_plane(kib):
    model = card(
        page_bytes=kib * KIB, page_step_bytes=2 * kib * KIB, page_step_ns=0.045 * MS, inner_step_ns=0.012 * MS
    )
    estimate = look(model, PAGE, write=False)[PAGE]
    assert (estimate.value, estimate.finding.confidence) == (kib * KIB, pytest.approx(0.968, abs=0.01))


# Tests that a hidden quantity is not guessed.


def test_a_card_whose_reads_are_silent_is_written():
    silent = card(erase_block_step_ns=0.0)
    estimate = look(silent, ERASE_BLOCK)[ERASE_BLOCK]
    assert estimate.value == 4 * MIB
    assert estimate.spent.written_bytes > 0


def test_without_writing_a_silent_card_is_left_alone():
    estimates = look(card(erase_block_step_ns=0.0, page_step_ns=0.0), write=False)
    assert [
        (estimate.value, estimate.code, estimate.finding.confidence) for estimate in estimates.values()
    ] == [(None, "abstained", 0.0)] * 2
    assert all("not allowed" in estimate.finding.reason for estimate in estimates.values())


@pytest.mark.parametrize("gain", [1.0, 3.0])
def test_a_silent_page_is_written_even_if_the_bus_is_slower_than_the_cache(gain):
    model = card(page_step_ns=0.0, write_cache_bytes=2048 * MIB, write_cache_gain=gain)
    assert values(model, PAGE) == [16 * KIB]


@pytest.mark.parametrize("pages", [1, 2])
def test_a_card_that_gathers_what_comes_in_one_stream_is_written_in_two(pages):
    assert values(card(gathers_writes=True, page_step_bytes=pages * 16 * KIB), PAGE) == [16 * KIB]
    assert values(card(gathers_writes=True, page_step_ns=0.0), PAGE) == [16 * KIB]


def test_a_card_that_keeps_one_unit_open_is_not_written_in_two_streams():
    estimate = look(card(gathers_writes=True, open_aus_linear=1, open_aus_random=1, log_below_bytes=0), PAGE)[
        PAGE
    ]
    assert (estimate.value, estimate.spent.duration_ns < 6e9) == (16 * KIB, True)


def test_reads_and_writes_that_contradict_each_other_are_not_believed():
    estimate = look(card(page_bytes=8 * KIB, page_step_bytes=32 * KIB), PAGE)[PAGE]
    assert (estimate.value, estimate.finding.reason) == (None, "Reads show 32 KiB, writes 8 KiB.")


def test_pairs_of_pages_are_seen_through():
    pairs = card(page_step_bytes=32 * KIB, write_cache_bytes=0)
    assert values(pairs, PAGE, write=False) == [32 * KIB]
    assert values(pairs, PAGE) == [16 * KIB]


def test_no_limit_none_and_nothing():
    unlimited = look(
        card(open_aus_linear=None, open_aus_random=0, fat_aus=0), ERASE_BLOCK, LINEAR, RANDOM, FAT
    )
    assert unlimited[LINEAR].code == "no_limit_found"
    assert unlimited[RANDOM].code == "none_found"
    assert unlimited[FAT].code == "none_found"
    assert look(card(write_cache_bytes=0), CACHE)[CACHE].code == "none_found"


def test_without_an_erase_block_the_open_units_are_found_all_the_same():
    assert values(PLAIN, LINEAR, RANDOM) == [5, 3]
    assert look(PLAIN, LINEAR, RANDOM, FAT)[FAT].code == "abstained"


def test_a_large_fat_area_is_not_taken_for_open_units():
    model = card(erase_block_bytes=24 * MIB, fat_aus=5, open_aus_linear=6, open_aus_random=6)
    for seed in range(8):
        assert values(model, ERASE_BLOCK, LINEAR, RANDOM, seed=seed)[1:] == [6, 6]
