"""Every change in the list of the engine's mutants fits its source; `python -m tests.mutants.engine` runs them."""

import pytest

from tests.mutants.engine import MUTANTS, SOURCES, Mutant


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.harm)
def test_its_text_stands_once_in_the_engine(mutant: Mutant) -> None:
    assert (SOURCES / mutant.file).read_text(encoding="utf-8").count(mutant.text) == 1
