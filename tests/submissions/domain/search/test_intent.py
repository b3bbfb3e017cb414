"""Tests that a text in any of eleven languages gets the intent that its words have."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from submissions.domain.search import intent
from tests.training.patterns import expand


def test_it_works() -> None:
    found = intent.find_intent("Welche Karte soll ich für meine Dashcam kaufen?")
    assert found.name == "choose" and 0.5 < found.probability <= 1


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("my new card is not detected by the laptop", "broken"),
        ("is my card fake", "genuine"),
        ("本物かどうか確認", "genuine"),
        ("qué significa V60", "what_is"),
        ("V30 oder V60 Unterschied", "compare"),
        ("how long do they last", "health"),
        ("is a 128gb card supported by my printer", "compatibility"),
        ("how do I benchmark it", "how_to_test"),
        ("is this one good enough for my gopro", "mine_good"),
    ],
)
def test_every_language_and_intent_is_told_apart(text: str, name: str) -> None:
    assert intent.find_intent(text).name == name


def test_case_and_width_make_no_difference() -> None:
    assert intent.find_intent("IS MY CARD ＦＡＫＥ") == intent.find_intent("is my card fake")


def test_a_text_without_a_word_gets_an_intent() -> None:
    assert intent.find_intent("…").name in intent.NAMES


def test_words_of_questions_are_common_and_names_are_not() -> None:
    assert intent.is_common("memory") and intent.is_common("карта")
    assert not intent.is_common("quonkel")


def test_the_weights_are_small_and_of_every_feature() -> None:
    assert intent.load_weights().of_features.shape == (intent.FEATURES, len(intent.NAMES))


def test_patterns_are_expanded_alike_each_time(tmp_path) -> None:
    path = tmp_path / "patterns.txt"
    path.write_text("@card en: {card|stick}\nchoose|en: {which|what} <card>{|?}\n")
    texts = {row.text for row in expand(path)}
    assert texts <= {
        f"{word} {card}{end}" for word in ("which", "what") for card in ("card", "stick") for end in ("", "?")
    }
    assert len(texts) > 4 and expand(path) == expand(path)


def test_folds_without_questions_are_refused() -> None:
    command = [sys.executable, "-m", "tests.training", "--folds", "2"]
    refused = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)
    assert refused.returncode == 2 and "--folds judges the questions of --learn" in refused.stderr


def test_many_at_once_get_the_same_stems() -> None:
    words = [
        f"{stem}{end}"
        for stem in ("kaart", "karte", "tarjet", "schred")
        for end in ("en", "ingen", "as", "ed")
    ] * 50
    intent.find_stems.cache_clear()
    alone = [intent.find_stems(word) for word in words]
    intent.find_stems.cache_clear()
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(intent.find_stems.__wrapped__, words)) == alone
