"""The rows that a transaction creates are remembered until it prunes them."""

import pytest

from submissions.domain.identity.model_names import ModelName, VariantKey
from submissions.models import CardModel, Variant
from submissions.writing.catalogue import Catalogue, Place

pytestmark = pytest.mark.django_db


def place(name: str) -> Place:
    model = ModelName(name, name.lower(), name, "", "", None, "label")
    return Place((model,), VariantKey("SD", 3, 0x5344, name, "1.0", None), simulated=False)


def test_silicon_made_by_two_calls_is_remembered_and_goes_when_nobody_uses_it() -> None:
    catalogue = Catalogue()
    for name in ("First", "Second"):
        catalogue.get_or_make_variants([place(name)])
    assert [variant.pnm for variant in catalogue.made] == ["First", "Second"]
    catalogue.prune(catalogue.made)
    assert (Variant.objects.count(), CardModel.objects.count()) == (0, 0)


def test_a_model_is_deleted_with_its_own_last_silicon_alone() -> None:
    Catalogue().get_or_make_variants([place("First"), place("Second")])
    (first,), (second,) = (Variant.objects.filter(pnm=name) for name in ("First", "Second"))
    Variant.objects.filter(pk=second.pk).delete()
    Catalogue().prune([first])
    assert list(CardModel.objects.values_list("pk", flat=True)) == [second.card_model_id]


def test_silicon_that_is_there_is_not_made_again() -> None:
    Catalogue().get_or_make_variants([place("First")])
    catalogue = Catalogue()
    assert catalogue.get_or_make_variants([place("First")])[0].pnm == "First"
    assert catalogue.made == []
