"""`make mutants` changes some kinds of code, and leaves other kinds unchanged."""

from pathlib import Path

import pytest

pytest.importorskip("mutmut")

SOURCE = '''"""Ten of these."""

LIMIT: int | None = 10


def below(rate: float, *, text: str = "x") -> bool:
    """True < False."""
    if rate < LIMIT and text != "x":
        return sorted([text], key=len) == [*zip([], strict=True)]
    return False
'''


def diffs(tmp_path: Path) -> list[tuple[int, str]]:
    from tests.mutants.places import mutants

    path = tmp_path / "rate.py"
    path.write_text(SOURCE)
    changed = [(mutant, mutant.source() or "") for mutant in mutants(path)]
    return [(mutant.line, mutant.diff(text).split("+")[-1].strip()) for mutant, text in changed]


def test_it_works(tmp_path: Path) -> None:
    assert diffs(tmp_path) == [
        (3, "LIMIT: int | None = 11"),
        (8, "if True:"),
        (8, "if False:"),
        (8, 'if rate < LIMIT or text != "x":'),
        (8, 'if rate <= LIMIT and text != "x":'),
        (8, 'if rate < LIMIT and text == "x":'),
        (9, "return None"),
        (9, "return sorted([text], ) == [*zip([], strict=True)]"),
        (9, "return sorted([text], key=len) != [*zip([], strict=True)]"),
        (10, "return None"),
        (10, "return True"),
    ]


def test_a_draw_is_the_same_for_a_seed() -> None:
    from tests.mutants.__main__ import draw_mutants

    def lines(seed: int) -> list[int]:
        return [mutant.line for mutant in draw_mutants("visitors", sample=20, seed=seed)]

    assert lines(1) == lines(1) != lines(2)
    assert len(lines(1)) == 20
