"""Tests of open AUs: the collapse of rates, similar patterns without it, and numbers of units that were not tried."""

from hypothesis import given
from hypothesis import strategies as st

from submissions.domain import geometry
from tests.submissions.domain.geometry.tables import fat, infer_geometry, open_au

FAST = [10.0, 10.0, 9.9, 9.8, 9.5, 8.0]
COLLAPSED = [2.8, 1.4, 0.7, 0.35, 0.17, 0.09]  # 380 ms for every write, whatever its size
CACHE_FULL = [3.0, 3.0, 3.0, 3.0, 3.0, 3.0]


def linear(rates: dict[int, list[float]]) -> geometry.Inference:
    return infer_geometry(open_au(rates))["open_au_linear"]


def test_it_works() -> None:
    inference = linear({1: FAST, 2: FAST, 3: FAST, 4: COLLAPSED, 5: COLLAPSED})
    assert (inference.value, inference.code) == (3, "")
    assert inference.reasoning == (
        "With 4 written in turn instead of 3, the rate falls from 8 MB/s to 90 kB/s in blocks of 32 KiB.",
        "Every write then takes 360 ms longer, whatever its size: the card copies a block.",
    )


def test_units_of_another_size_than_the_erase_block_are_doubted() -> None:
    assert linear({1: FAST, 2: FAST, 3: COLLAPSED}).confidence == 0.75


def test_no_collapse_is_a_lower_bound() -> None:
    inference = linear({1: FAST, 5: FAST})
    assert (inference.value, inference.code, inference.answer) == (5, "at_least", "at least 5")


def test_an_interrupted_last_table_is_enough() -> None:
    assert linear({1: FAST, 2: FAST, 3: COLLAPSED[:4]}).value == 2


def test_what_was_not_tried_is_not_guessed() -> None:
    assert "no number in between was tested" in linear({1: FAST, 4: COLLAPSED}).reasoning[0]


def test_one_number_of_units_tells_nothing() -> None:
    assert linear({6: FAST}).code == "abstained"


def test_one_slow_table_between_fast_ones_is_no_collapse() -> None:
    assert linear({1: FAST, 2: COLLAPSED, 3: FAST}).answer == "at least 3"


def test_falling_alike_in_every_size_may_be_a_full_cache() -> None:
    inference = linear({1: FAST, 2: FAST, 3: CACHE_FULL, 4: CACHE_FULL})
    assert inference.code == "abstained"
    assert "a fast cache may be full" in inference.reasoning[0]


def test_it_was_no_cache_when_the_rate_comes_back() -> None:
    """Wiren Board's SU04G: with five units all block sizes are slow, and in a later table the rates are high again."""
    rows = open_au({1: FAST, 2: FAST, 3: CACHE_FULL}) + open_au(
        {1: FAST, 2: FAST, 3: CACHE_FULL}, order="random"
    )
    inferences = infer_geometry(rows)
    assert (inferences["open_au_linear"].value, inferences["open_au_random"].value) == (2, 2)


def test_a_collapse_after_a_full_cache_is_found() -> None:
    slower = [rate / 4 for rate in COLLAPSED]
    assert linear({1: FAST, 2: CACHE_FULL, 3: CACHE_FULL, 4: slower}).value == 3


def test_not_even_one_unit_in_random_order() -> None:
    rows = open_au({1: FAST, 2: FAST}) + open_au({1: COLLAPSED, 2: COLLAPSED}, order="random")
    inference = infer_geometry(rows)["open_au_random"]
    assert (inference.value, inference.code, inference.answer) == (None, "none_found", "none")
    assert inference.reasoning[0].startswith("Writing in random order is slow even with 1 open unit: 90 kB/s")


def test_rates_that_jump_up_and_down_tell_nothing() -> None:
    jumping = [30.0, 2.0, 28.6, 2.0, 28.0, 2.0]
    assert "jump up and down" in linear({1: jumping, 2: COLLAPSED}).reasoning[0]


def test_a_gradual_fall_has_no_edge() -> None:
    rates = {units: [10 * 0.8 ** (units - 1)] * 6 for units in range(1, 6)}
    assert "without a clear edge" in linear(rates).reasoning[0]


def test_a_different_area_at_the_beginning() -> None:
    inference = infer_geometry(fat([[2.3] * 5, [2.3] * 5, *[[6.9] * 5] * 6]))["fat_area_size"]
    assert inference.value == 8 * 1024**2
    assert inference.reasoning == (
        "The first 2 blocks of 4 MiB are written 3.0 times as slow as the others.",
    )


def test_no_such_area() -> None:
    inference = infer_geometry(fat([[4.3] * 5, *[[5.1] * 5] * 5]))["fat_area_size"]
    assert (inference.code, inference.answer) == ("none_found", "none")


def test_one_odd_block_in_the_middle() -> None:
    rates = [[4.4] * 5, [8.4] * 5, *[[4.4] * 5] * 6]
    assert "block 1 stands out" in infer_geometry(fat(rates))["fat_area_size"].reasoning[0]


def test_too_few_blocks_for_an_area() -> None:
    assert "too few erase blocks" in infer_geometry(fat([[4.0] * 5] * 2))["fat_area_size"].reasoning[0]


def test_rates_that_no_two_erase_blocks_have_for_the_same_size_tell_of_no_fat():
    """Impossible rates do not count: on a card in memory, erase blocks may keep rates of different block sizes."""
    rows = fat([[4.0] * 5] * 5)[::6]  # a block of 1 MiB in the first one, of 512 KiB in the next, …
    assert "no block size" in infer_geometry(rows)["fat_area_size"].reasoning[0]


RATES = st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=6)


@given(st.dictionaries(st.integers(1, 9), RATES), st.dictionaries(st.integers(1, 9), RATES), st.lists(RATES))
def test_no_table_breaks_it(
    linear: dict[int, list[float]], scattered: dict[int, list[float]], blocks: list[list[float]]
) -> None:
    for inference in infer_geometry(
        open_au(linear) + open_au(scattered, order="random") + fat(blocks)
    ).values():
        assert inference.reasoning
        assert (inference.confidence is None) == (inference.code == "abstained")
