"""Tests of products as shops sell them, which are found by part number or name, with a page for each generation."""

import pytest

from submissions.domain.fields import MARKS
from submissions.domain.identity import products
from submissions.domain.identity.model_names import label_name
from submissions.domain.report import Label


def names(part: str) -> list[str]:
    return [product.name for product in products.find_by_part(part)]


def test_it_works():
    (product,) = products.find_by_part("MB-MC64KA/AM")

    assert product.name == "Samsung EVO Plus 64 GB (2021, MB-MC64K)"
    assert (product.form, product.read_mb_s, product.confidence) == ("microSD", 130, "shop")


def test_there_are_629_with_an_address_each():
    assert len(products.all_products()) == len(products.products_by_slug()) == 629
    assert all(
        product.source and product.confidence in products.CONFIDENCE for product in products.all_products()
    )
    assert {product.form for product in products.all_products()} == {"microSD", "SD"}
    assert max(map(len, products.products_by_slug())) < 150


@pytest.mark.parametrize("product", [p for p in products.all_products() if p.part], ids=lambda p: p.part)
def test_every_part_number_finds_its_product(product: products.Product):
    assert product in products.find_by_part(product.part.replace("*", ""))
    assert product in products.find_by_part(product.part.replace("*", "").lower().replace("-", " "))


@pytest.mark.parametrize("typed", ["SDSQUAR-064G", "sdsquar064g", "SDSQUAR-064G-GN6MA", "SDSQUAR"])
def test_punctuation_case_and_packaging_make_no_difference(typed: str):
    assert "SanDisk Ultra 64 GB (98 or 100 MB/s, A1, SDSQUAR-064G)" in names(typed)


def test_one_beginning_may_be_of_several_lines():
    assert len({product.line for product in products.find_by_part("LSDMI64")}) > 1


@pytest.mark.parametrize("typed", ["", "MB", "SD", "!!!", "no such thing"])
def test_what_is_no_part_number_finds_nothing(typed: str):
    assert names(typed) == []


def test_generations_stay_apart():
    evo = products.find_by_name("Samsung", "EVO Plus", 64)

    assert {product.generation for product in evo} == {"2017", "2021", "2024"}
    assert {product.part for product in products.find_by_name("samsung", "evo+", 64)} == {
        "MB-SC64D*",
        "MB-MC64D*",
    }


def test_a_label_with_a_part_number_is_called_as_the_box_says():
    told = label_name(Label(brand="Samsung", line="EVO Plus", model_number="MB-MC64KA/EU", capacity_gb=64))
    other = label_name(Label(brand="Samsung", line="EVO Plus", model_number="MB-MC64GA", capacity_gb=64))

    assert told.name == "Samsung EVO Plus 64 GB (2021, MB-MC64KA)"
    assert other.name == "Samsung EVO Plus 64 GB (2017, MB-MC64GA)"
    assert told.slug != other.slug


def test_a_number_of_another_brand_or_line_names_nothing():
    assert products.find_by_label("SanDisk", "EVO Plus", "MB-MC64KA", 64) is None
    assert products.find_by_label("Samsung", "PRO", "MB-MC64KA", 64) is None
    assert products.find_by_label("Samsung", "EVO Plus", "MB-MC64KA", 32) is None


def test_a_stick_is_no_card_of_the_same_name():
    stick = label_name(Label(brand="SanDisk", line="Ultra", capacity_gb=64, form="USB stick"))
    card = label_name(Label(brand="SanDisk", line="Ultra", capacity_gb=64, form="microSD"))

    assert (stick.name, card.name) == ("SanDisk Ultra 64 GB USB stick", "SanDisk Ultra 64 GB")
    assert stick.slug != card.slug


@pytest.mark.parametrize(
    "words", ["lexar", "samsung pro endurance", "kingston canvas go", "sandisk max endurance", "sf-8ux"]
)
def test_words_find_what_is_sold(words: str):
    assert products.search_products(words.split())


def test_every_word_must_be_there():
    assert products.search_products(["samsung", "canvas"]) == ()
    assert {
        product.capacity_gb for product in products.search_products(["lexar"], least_gb=64, most_gb=65.5)
    } == {64}


def test_marks_are_those_of_labels():
    plain = {mark for product in products.all_products() for mark in product.marks if len(mark) < 4}
    assert plain <= set(MARKS)


def test_what_the_print_tells_apart_is_no_one_model() -> None:
    """EVO+ was sold in 2015, EVO Plus since 2017: both names are read alike, but the cards differ."""
    old, new = (
        label_name(Label(brand="Samsung", line=line, capacity_gb=32)) for line in ("EVO+", "EVO Plus")
    )
    other = label_name(Label(brand="Lexar", line="EVO+", capacity_gb=32))

    assert (old.slug, new.slug) == ("samsung-evo-plus-32-gb-as-printed", "samsung-evo-plus-32-gb")
    assert other.slug == "lexar-evo-plus-32-gb"


def test_a_row_without_a_part_number_decides_nothing():
    found = products.find_by_model("Samsung", "PRO Endurance", "", 128, "microSD")
    assert {bool(product.part) for product in found} == {True, False}
    told = products.prefer_numbered(found)
    assert told and all(product.part for product in told)
    assert products.prefer_numbered(found[:0]) == []


def test_part_numbers_agree_in_how_they_begin():
    assert products.match_parts("SDSQXAV-256G*", "sdsqxav256g-gn6ma")
    assert products.match_parts("LSD128*300", "LSD128CRB300")
    assert products.match_parts("SDSQXAV-256G-GN6MA", "SDSQXAV-256G")
    assert not products.match_parts("SDSQXAV-256G*", "SDSQXAV-512G-GN6MA")
