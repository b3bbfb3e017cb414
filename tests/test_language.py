"""The rules for the language of names, docstrings, comments and commits find offences, and all packages comply."""

from pathlib import Path

import pytest

from tests.language import __main__ as language
from tests.language.commit_subject import refuse
from tests.language.rules import find_offences, find_words, is_vague


def test_it_works() -> None:
    source = '"""Cards."""\n\n\ndef load_cards():\n    """Return every card, by key."""\n'
    assert find_offences(source) == []


@pytest.mark.parametrize(
    "name", ["told", "_held", "of", "_asked_for", "worked_out", "of_card", "_by_name", "in_words"]
)
def test_it_finds_a_vague_name(name: str) -> None:
    assert is_vague(name)
    assert [offence.rule for offence in find_offences(f"def {name}(): ...\n")] == ["name"]


@pytest.mark.parametrize(
    "name",
    [
        "load_cards",
        "read",
        "seed",
        "needs",
        "_embed",
        "from_hex",
        "as_view",
        "trusted_people",
        "is_told",
        "__init__",
    ],
)
def test_it_accepts_a_verb_or_a_noun(name: str) -> None:
    assert not is_vague(name)


def test_a_named_query_may_be_an_adjective() -> None:
    method = "    def ranked(self): ...\n"
    assert find_offences("class CardQuerySet:\n" + method) == []
    assert [offence.line for offence in find_offences("class Card:\n" + method)] == [2]


@pytest.mark.parametrize(
    "text", ["What is left", "for whoever asks", "kept alone", "one of which", "it stands there"]
)
def test_it_finds_a_word_to_avoid(text: str) -> None:
    assert find_words(text)
    in_comment, in_docstring = f"# {text}\n", f'"""{text}."""\n'
    assert {offence.rule for source in (in_comment, in_docstring) for offence in find_offences(source)} == {
        "word"
    }


def test_code_and_parts_of_words_are_no_offence() -> None:
    assert find_words("Understand `what` the standard says, whatever happens") == []


def test_a_private_function_has_a_docstring_only_for_a_reason() -> None:
    plain = 'def _find_card():\n    """Return the card."""\n'
    assert [offence.rule for offence in find_offences(plain)] == ["private"]
    assert find_offences(plain.replace("the card", "the card, in one query")) == []


def test_it_finds_a_docstring_that_is_no_sentence(tmp_path: Path) -> None:
    path = tmp_path / "card.py"
    path.write_text('"""Cards."""\n\n\ndef find_card():\n    """Returns the card."""\n')
    assert [row.split()[1] for row in language.check_files([path])] == ["D401"]


@pytest.mark.parametrize(
    "text", ["Of people.", "The card of a person.", "Whether it is a card.", "One per person."]
)
def test_it_finds_a_docstring_without_a_verb(text: str) -> None:
    for decorator in ("", "@property\n", "@cached_property\n"):
        offences = find_offences(f'{decorator}def find():\n    """{text}"""\n')
        assert [offence.rule for offence in offences] == ["sentence"]
    assert find_offences(f'def test_it():\n    """{text}"""\n') == []


def test_an_unknown_package_is_refused() -> None:
    with pytest.raises(SystemExit, match="No Python package here: submissions/writting"):
        language.main(["submissions/writing/", "submissions/writting"])


def test_every_package_complies() -> None:
    packages = language.find_packages()
    assert language.check_files(path for paths in packages.values() for path in paths) == []


def test_the_changelog_avoids_these_words() -> None:
    assert language.check_changelog() == []


@pytest.mark.parametrize(
    "subject", ["intake: read sdspeed", "tests, readme: count again", "Merge branch 'main'"]
)
def test_a_short_subject_with_a_room_is_accepted(subject: str) -> None:
    assert refuse(f"{subject}\n\nThe reason.\n") is None


@pytest.mark.parametrize("subject", ["read sdspeed", "Intake: read sdspeed", f"intake: {'long ' * 10}", ""])
def test_another_subject_is_refused(subject: str) -> None:
    assert refuse(f"{subject}\n\nThe reason.\n")
