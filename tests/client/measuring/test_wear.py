"""The remaining life of a card follows from its rate of wear, and the history of readings stays small."""

import random

import pytest
from cardbench.errors import UsageError
from cardbench.measuring import wear
from cardbench.measuring.wear import DAY_S, Point


def make_points(days_and_percent: list[tuple[float, float]], step: float = 1) -> list[Point]:
    return [Point(round(day * DAY_S), used, step, 0) for day, used in days_and_percent]


def test_it_works():
    left = wear.estimate_remaining(make_points([(0, 10), (100, 20), (200, 30)]))
    assert left is not None and left.longest_days is not None
    assert (left.shortest_days, left.longest_days) == (pytest.approx(70 / 0.105), pytest.approx(71 / 0.095))
    assert left.words() == "at this rate, it will last another 667 to 747 days"


def test_too_little_is_no_rate():
    assert wear.estimate_remaining([]) is None
    assert wear.estimate_remaining(make_points([(0, 10), (6, 30)])) is None
    assert wear.estimate_remaining([Point(0, None, 1, 0), Point(9 * DAY_S, None, 1, 0)]) is None


def test_a_card_that_has_not_moved_lasts_at_least():
    left = wear.estimate_remaining(make_points([(0, 10), (100, 10)]))
    assert left is not None
    assert (left.shortest_days, left.longest_days) == (pytest.approx(9000), None)
    assert left.words() == "at this rate, it will last at least another 25 years"


def test_a_card_worn_now_faster_now_slower_gets_the_whole_range():
    left = wear.estimate_remaining(make_points([(0, 0), (100, 2), (110, 22), (200, 24)]))
    assert left is not None and left.longest_days is not None
    assert left.shortest_days < 76 / 0.12 < left.longest_days


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("step", [0.01, 1, 10])
def test_the_truth_lies_inside(seed, step):
    chance = random.Random(seed)
    rate, start = chance.uniform(0.02, 0.4), chance.uniform(0, 40)
    days = sorted(chance.uniform(0, 120) for _ in range(30))
    steps = [-(-(start + rate * day) // step) * step for day in days]
    left = wear.estimate_remaining(make_points(list(zip(days, steps, strict=True)), step))
    truth = (100 - start - rate * days[-1]) / rate
    assert left is not None
    assert left.shortest_days <= truth * 1.0001
    assert left.longest_days is None or truth <= left.longest_days * 1.0001


def test_a_year_stays_in_a_few_kilobytes(tmp_path):
    history: list[Point] = []
    for day in range(400):
        history = wear.add_reading(history, Point(day * DAY_S + 99, day / 10, 1, 0, 10**9 * day, "ab12"))
    path = tmp_path / "card.wear"
    wear.save(path, history)
    assert path.stat().st_size < 6_000
    assert wear.load(path) == history
    assert history[0].life_used == 0
    assert history[-1].bytes_written == 399 * 10**9


def test_what_was_written_before_a_restart_counts():
    first = wear.add_reading([], Point(0, None, 1, 0, 500, "aaaa"))
    second = wear.add_reading(first, Point(DAY_S, None, 1, 0, 700, "aaaa"))
    third = wear.add_reading(second, Point(2 * DAY_S, None, 1, 0, 800, "bbbb"))
    assert [point.bytes_written for point in third] == [500, 700, 1500]


def test_a_counter_that_began_again_without_a_restart_adds_to_what_was_written():
    first = wear.add_reading([], Point(0, None, 1, 0, 700, "aaaa"))
    second = wear.add_reading(first, Point(DAY_S, None, 1, 0, 100, "aaaa"))
    assert [point.bytes_written for point in second] == [700, 800]


def test_a_line_that_was_cut_off_costs_only_itself(tmp_path):
    path = tmp_path / "card.wear"
    path.write_text("# header\n86400 12 1 5 5 aaaa\n1728")
    assert [point.life_used for point in wear.load(path)] == [12]
    assert wear.load(tmp_path / "none") == []
    with pytest.raises(UsageError, match="cannot be read"):
        wear.load(tmp_path)
