"""Tests that texts of public threads, unchanged and reformatted, are understood or asked about, but never misread."""

import random

import pytest

from tests import corpus, disfigured, truth

SAMPLES = list(truth.samples(corpus.LOGS))
_ENOUGH = 0.9  # of the texts, right or rightly asked


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: f"{sample.tool} {sample.source[:40]}")
def test_no_text_is_misread(sample: truth.Sample) -> None:
    assert truth.grade(sample).wrong == ()


def test_most_texts_are_read_or_rightly_asked_about() -> None:
    good = sum(truth.grade(sample).outcome in ("right", "due") for sample in SAMPLES)

    assert good >= _ENOUGH * len(SAMPLES)
    assert len(SAMPLES) >= 200
    assert len({sample.tool for sample in SAMPLES}) >= 25


@pytest.mark.parametrize("number", range(60))
def test_no_disguise_makes_a_text_misread(number: int) -> None:
    how, sample, grade = disfigured.grade_disfigured(random.Random(number))

    assert grade.outcome != "WRONG", (how, sample.source, grade.wrong)
