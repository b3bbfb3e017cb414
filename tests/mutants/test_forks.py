"""For each mutant the tests that run its line are chosen, in a useful order."""

import pytest

pytest.importorskip("mutmut")

CODE = "rates.py"


def test_it_works() -> None:
    """The few tests that run the changed line 5 of a function come first, then quick tests."""
    from tests.mutants.forks import Map

    seconds = {
        "own/t::slow": 2.0,
        "own/t::quick": 0.3,
        "other/t::quick": 0.2,
        "other/t::rare": 9.0,
        "far/t::no": 0.1,
    }
    lines = {test: {CODE: {3, 4}} for test in seconds} | {
        "": {CODE: {1, 3}},
        "other/t::rare": {CODE: {3, 4, 5}},
    }
    reach = Map(seconds=seconds | {"own/t::looks": 0.1}, lines=lines)
    every = ["other/t::rare", "own/t::quick", "other/t::quick", "own/t::slow"]
    assert reach.find_tests(CODE, 4, range(3, 6), ["own", "other"]) == every
    assert reach.find_tests(CODE, 5, range(3, 6), ["own", "other"]) == every[:1]
    looking = ["own/t::looks", *every[1:], every[0]]  # it runs nothing itself: it looks at imported values
    assert reach.find_tests(CODE, 5, range(3, 6), ["own", "other"], once=True) == looking
    assert reach.find_tests(CODE, 1, range(1, 2), ["own", "other"]) == looking
    assert reach.find_tests("tables.py", 1, range(1, 2), ["own", "other"]) == looking
    assert reach.limit_tests(every, 9.5) == every[:3]
    assert reach.limit_tests(every, 0.1) == every[:1]
    reach.forget({"other/t"})
    assert reach.find_tests(CODE, 4, range(3, 6), ["own", "other"]) == every[1::2]


def test_a_fixture_of_a_whole_file_is_reached_by_all_its_tests() -> None:
    from tests.mutants.forks import _spread_files

    lines = {"": {CODE: {1}}, "t.py": {CODE: {7}}, "t.py::first": {CODE: {3}}}
    shared = _spread_files(lines, ["t.py::first", "t.py::second", "u.py::third"])
    assert shared == {"": {CODE: {1}}, "t.py::first": {CODE: {3, 7}}, "t.py::second": {CODE: {7}}}
