"""Results are kept until anything is written, and never within a transaction."""

import pytest

from submissions.models import Word
from submissions.sql.snapshot import keep_results


@keep_results(Word, most=1)
def list_words() -> list[str]:
    return sorted(Word.objects.values_list("text", flat=True))


@pytest.mark.django_db(transaction=True)
def test_it_works() -> None:
    Word.objects.create(text="kingston")
    assert list_words() is list_words()
    Word.objects.create(text="sandisk")
    assert list_words() == ["kingston", "sandisk"]


@pytest.mark.django_db
def test_a_transaction_sees_its_own_rows() -> None:
    """Its snapshot is the same before and after the second row."""
    for number, word in enumerate("abc", 1):
        Word.objects.create(text=word)
        assert len(list_words()) == number
