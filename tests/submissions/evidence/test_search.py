"""A search without a match finds models without the price, of another size, or without unknown words."""

import pytest

from submissions.evidence import model_search
from submissions.models import CardModel
from submissions.pages.forms.finder_form import FinderForm
from submissions.writing import ingest
from tests.factories import rand_write, report, uuid
from tests.small_crowd import receive

pytestmark = pytest.mark.django_db


def file(number: int, brand: str, capacity_gb: int, iops: float) -> CardModel:
    card = {"bus": "SD", "specimen": str(number), "label": {"brand": brand, "capacity_gb": capacity_gb}}
    document = report(uuid=uuid(number), card=card, measurements=[rand_write(iops)] if iops else [])
    ingest.process(receive(document, f"person {number}").pk)
    return CardModel.objects.get(brand=brand)


def find(**asked: str) -> model_search.Finding:
    return model_search.find(FinderForm(asked).wish())


def test_a_price_that_nobody_told_is_dropped_and_then_the_size() -> None:
    small, large = file(1, "Small", 4, 5000), file(2, "Large", 64, 500)
    unpriced = find(capacity_gb_min="32", price_max="1")
    assert unpriced.is_unpriced and [row.card_model for row in unpriced.listed] == [large]
    too_large = find(capacity_gb_min="512", price_max="1")
    assert too_large.is_unpriced and not too_large.listed and too_large.nearest == (large, small)
    plain = find(capacity_gb_min="32")
    assert not plain.is_unpriced and plain.nearest == ()
    assert find().nearest == ()


def test_words_that_no_model_has_are_left_out() -> None:
    model = file(1, "Kingston", 4, 500)
    asked = FinderForm({"q": "kingston flubberwort"})
    assert asked.question.ignored_words == ("flubberwort",)
    assert [row.card_model for row in model_search.find(asked.wish()).listed] == [model]


def test_a_brand_with_one_typing_error_is_found() -> None:
    model = file(1, "Quonkel", 4, 500)
    assert [row.card_model for row in find(q="quonkle").listed] == [model]


def test_what_nobody_has_tested_for_the_use_is_told_beside_what_is_ranked() -> None:
    ranked = file(1, "Kingston", 4, 500)
    bare = {"bus": "SD", "specimen": "2", "label": {"brand": "Kingston", "capacity_gb": 8}}
    ingest.process(receive(report(uuid=uuid(2), card=bare, measurements=[]), "person 2").pk)
    untested = CardModel.objects.get(capacity_gb=8)
    finding = find(q="kingston")
    assert [row.card_model for row in finding.listed] == [ranked]
    assert finding.untested == (untested,)
    assert model_search.count(finding.wish) == 2
    assert find(brand="Kingston").untested == ()  # no words: nothing is looked for


def test_what_is_sold_is_told_in_the_sizes_that_were_asked() -> None:
    sizes = {product.capacity_gb for product in find(q="transcend").products}
    small = {product.capacity_gb for product in find(q="transcend", capacity_gb_max="32").products}
    large = {product.capacity_gb for product in find(q="transcend", capacity_gb_min="64").products}
    assert min(sizes) <= 32 and max(sizes) >= 64
    assert small and max(small) <= 32 and large and min(large) >= 64


def test_a_size_that_is_not_sold_is_no_product() -> None:
    """Other sizes of a product are listed separately, so that no page calls the wanted size sold."""
    finding = find(q="transcend", capacity_gb_min="4000")
    assert finding.products == ()
    assert max(product.capacity_gb for product in finding.other_sizes) < 4000
    assert find(q="transcend", capacity_gb_min="64").other_sizes == ()


def test_a_card_that_lost_data_is_found_by_its_name_alone() -> None:
    honest, fake = file(1, "Kingston", 64, 500), file(2, "Lexar", 64, 5000)
    CardModel.objects.filter(pk=fake.pk).update(lost_data=True)
    assert [row.card_model for row in find(capacity_gb_min="32").listed] == [honest]
    assert find(capacity_gb_min="32").ids == (honest.pk,)
    assert [row.card_model for row in find(q="lexar").listed] == [fake]
