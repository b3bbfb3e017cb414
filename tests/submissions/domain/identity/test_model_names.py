"""Tests of the model, the variant and the card under which a report is stored."""

import csv
import re
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.domain import spelling
from submissions.domain.errors import ImplausibleReport
from submissions.domain.identity.model_names import (
    ModelName,
    VariantKey,
    card_key,
    name_model,
    nominal_capacity_gb,
    variant_key,
)
from submissions.domain.identity.words import capacity_words, slugify
from submissions.domain.registers import Decoded, decode
from submissions.domain.report import Card, Label

SA04G = decode(
    {"cid": "02544d5341303447113533890900d371", "csd": "400e00325b5900001d177f800a40008d"}, bus="SD"
)
NAMELESS = decode({"cid": "64504320202020201088026f6400aa01"}, bus="SD")
VECTORS = list(
    csv.DictReader((Path(__file__).parents[3] / "data" / "cid_vectors.csv").open(encoding="utf-8"))
)


def name_by_label(brand: str, line: str = "", number: str = "", gb: float | None = None) -> ModelName:
    label = Label(brand=brand, line=line, model_number=number, capacity_gb=gb)
    return name_model(Card(label=label), None)


def name_by_registers(decoded: Decoded, *, simulated: bool = False) -> ModelName:
    return name_model(Card(), decoded, simulated=simulated)


def test_it_works() -> None:
    assert name_by_label("SanDisk", "Ultra", "SDSQUAR-032G", 32) == ModelName(
        name="SanDisk Ultra 32 GB (98 or 100 MB/s, A1, SDSQUAR-032G)",
        slug="sandisk-ultra-sdsquar-032g-32-gb",
        brand="SanDisk",
        line="Ultra",
        model_number="SDSQUAR-032G",
        capacity_gb=32,
        named_from="label",
    )


def test_without_a_label_the_registers_name_the_model() -> None:
    named = name_by_registers(SA04G)
    assert (named.name, named.slug) == ("Toshiba card, 4 GB (SA04G, OEM 0x544d)", "sa04g-4-gb-sd-02-544d")
    assert (named.brand, named.model_number, named.named_from) == ("", "SA04G", "registers")


def test_the_label_has_the_first_word() -> None:
    card = Card(label=Label(brand="Kingston", capacity_gb=8), size_bytes=3_904_897_024)
    assert name_model(card, SA04G).name == "Kingston 8 GB"


def test_a_label_without_capacity_takes_it_from_the_card() -> None:
    assert name_model(Card(label=Label(brand="Kingston")), SA04G).name == "Kingston 4 GB"
    assert name_model(Card(label=Label(brand="Kingston"), size_bytes=31_914_983_424), None).capacity_gb == 32


def test_blanks_of_a_label_make_no_difference() -> None:
    assert name_by_label("  SanDisk ", "Extreme \u3000  Pro ") == name_by_label("SanDisk", "Extreme Pro")


def test_the_line_between_brand_and_line_makes_no_other_model() -> None:
    assert name_by_label("SanDisk Extreme", "Pro").slug == name_by_label("SanDisk", "Extreme Pro").slug


def test_a_product_name_of_blanks_still_gives_a_name() -> None:
    assert name_by_registers(NAMELESS).name == "Card of an unknown maker (Nameless, OEM 0x5043)"


def test_two_makers_may_use_one_product_name() -> None:
    ours, theirs = ({"cid": f"{mid}504853443136473000c0ffee00fb"} for mid in ("27", "28"))
    assert name_by_registers(decode(ours, bus="SD")).slug != name_by_registers(decode(theirs, bus="SD")).slug
    assert name_by_registers(decode(ours, bus="SD")).slug != name_by_registers(decode(ours, bus="MMC")).slug


# Refusals


@pytest.mark.parametrize("brand", ["", " ", "\u00a0"])
def test_nobody_knows_which_card_this_is(brand: str) -> None:
    card = Card(label=Label(brand=brand, line="Ultra", capacity_gb=32), size_bytes=31_914_983_424)
    with pytest.raises(
        ImplausibleReport, match=r"give card\.registers\.cid or card\.label\.brand"
    ) as refused:
        name_model(card, None)
    assert (refused.value.code, refused.value.field) == ("unidentified_card", "card")


def test_a_cid_that_can_be_read_both_ways_asks_for_the_bus() -> None:
    decoded = decode({"cid": "02544d5341303447113533890900d371"[:30]})
    undecided = Decoded(bus=None, bus_reason="no evidence", readings=(decoded,))
    with pytest.raises(ImplausibleReport, match=r"name one in card\.bus") as refused:
        name_model(Card(), undecided)
    assert (refused.value.code, refused.value.field) == ("undecided_bus", "card.bus")


# Capacity


@pytest.mark.parametrize(
    ("capacity_bytes", "gigabytes"),
    [
        (7_990_149_120, 8),
        (7_973_371_904, 8),
        (7_948_206_080, 8),
        (7_822_376_960, 8),
        (7_791_968_256, 8),
        (7_746_879_488, 8),
        (64_021_856_256, 64),
        (63_864_569_856, 64),
        (63_281_561_600, 64),
        (62_534_975_488, 64),
        (62_516_101_120, 64),
        (62_277_025_792, 64),
        (62_224_596_992, 64),
        (511_868_665_856, 512),
        (3_959_422_976, 4),
        (3_904_897_024, 4),
        (32_112_640, 0.032),
        (31_914_983_424, 32),
        (31_657_558_016, 32),
        (31_457_280_000, 32),
        (31_289_507_840, 32),
        (31_267_487_744, 32),
        (31_104_958_464, 32),
        (2_045_247_488, 2),
        (2_030_043_136, 2),
        (2_002_780_160, 2),
        (15_931_539_456, 16),
        (15_590_227_968, 16),
        (15_577_645_056, 16),
        (15_523_119_104, 16),
        (128_177_930_240, 128),
        (128_043_712_512, 128),
        (127_865_454_592, 128),
        (125_671_833_600, 128),
        (1_030_225_920, 1),
        (28_800_000_000, 32),
        (34_560_000_000, 32),
        (1_000_000_000_000, 1024),
        (1_024_209_543_168, 1024),
        (2**31, 2),
    ],
)
def test_the_capacity_as_sold(capacity_bytes: int, gigabytes: float) -> None:
    assert nominal_capacity_gb(capacity_bytes) == gigabytes


def test_every_real_card_has_a_capacity_as_sold() -> None:
    sized = [row for row in VECTORS if row["capacity_bytes"]]
    assert len(sized) > 30
    for row in sized:
        nominal = nominal_capacity_gb(int(row["capacity_bytes"]))
        assert nominal == float(row["label_gb"] or nominal or -1), row


@pytest.mark.parametrize(
    "capacity_bytes", [None, 0, 1, 28_700_000_000, 34_600_000_000, 24_000_000_000, 2**62]
)
def test_a_capacity_that_is_not_sold_is_none(capacity_bytes: int | None) -> None:
    assert nominal_capacity_gb(capacity_bytes) is None


@pytest.mark.parametrize(
    ("gigabytes", "words"),
    [
        (None, ""),
        (0.032, "32 MB"),
        (0.512, "512 MB"),
        (1, "1 GB"),
        (1.5, "1.5 GB"),
        (32.0, "32 GB"),
        (512, "512 GB"),
        (1000, "1 TB"),
        (1024, "1 TB"),
        (2000, "2 TB"),
        (2048, "2 TB"),
        (1536, "1.5 TB"),
    ],
)
def test_capacity_in_words(gigabytes: float | None, words: str) -> None:
    assert capacity_words(gigabytes) == words


# Slugs


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("SanDisk Ultra 32 GB", "sandisk-ultra-32-gb"),
        ("Samsung EVO+", "samsung-evo-plus"),
        ("Samsung EVO Plus", "samsung-evo-plus"),
        ("Samsung EVO\uff0b", "samsung-evo-plus"),
        ("SanDisk® Extreme™ PRO", "sandisk-extreme-pro"),
        ("Straße Café", "strasse-cafe"),
        ("Ｔｏｓｈｉｂａ", "toshiba"),
        ("㎆", "mb"),
        ("闪迪", "u95ea-u8fea"),
        ("--SD_card--", "sd-card"),
        ("", "nameless"),
        ("!?", "nameless"),
    ],
)
def test_a_slug_is_made_of_words(text: str, slug: str) -> None:
    assert slugify(text) == slug


def test_a_long_slug_is_cut_and_stays_different() -> None:
    assert slugify("x" * 150) == "x" * 150
    assert re.fullmatch("x{150}-[0-9a-f]{8}", slugify("x" * 151))
    assert slugify("x" * 151) != slugify("x" * 152)


@pytest.mark.parametrize(
    "names",
    [
        ("EVO", "EVO+", "EVO++"),
        ("闪迪", "闪存", "东芝"),
        ("カード", "ガード"),
        ("Кий", "Кии"),
        ("น้ำ", "นำ"),
        ("\u4e001", "\U0004e001"),
        ("★", "☆", "nameless"),
        ("a" * 150, "a" * 151, "a" * 152, "a" * 150 + "b"),
        ("x" * 149 + " one", "x" * 149 + " two"),
        ("一" * 200, "一" * 201),
    ],
)
def test_different_names_have_different_slugs(names: tuple[str, ...]) -> None:
    assert all(slugify(name) != slugify(other) for name, other in combinations(names, 2))


# Letters that a name may hold, one a word: no word mixes scripts.
letters = st.characters(exclude_categories=["C", "M", "Zl", "Zp"]).filter(
    lambda letter: not spelling.problem("x", letter)
)
texts = st.lists(letters, max_size=99).map(" ".join)


@given(texts, texts, texts, st.booleans())
def test_any_label_fits_into_its_columns(brand: str, line: str, number: str, simulated: bool) -> None:
    label = Label(brand=f"x {brand}", line=line, model_number=number, capacity_gb=123.456)
    named = name_model(Card(label=label), None, simulated=simulated)
    assert re.fullmatch(r"[a-z0-9]+(-+[a-z0-9]+)*", named.slug)
    assert len(named.slug) <= 200
    assert len(named.name) <= 600


def test_the_longest_label_fits_and_is_told_from_its_neighbour() -> None:
    first, second = (name_by_label("b" * 200, "l" * 200, "n" * 199 + last, 1.2345) for last in "12")
    assert len(first.name) == 600
    assert first.slug != second.slug


# Simulated cards live in a world of their own


@pytest.mark.parametrize(
    "brand", ["SA04G", "Simulated SA04G", "simulated", "Simulated-simulated", "card simulated x"]
)
def test_a_real_card_never_shares_a_slug_with_a_simulated_one(brand: str) -> None:
    simulated = {
        name_model(Card(label=Label(brand=other)), None, simulated=True).slug
        for other in (brand, "SA04G", "x", "simulated", "simulated x", "card simulated x", "x!")
    }
    assert name_by_label(brand).slug not in simulated


@given(texts, texts)
def test_whatever_a_real_card_calls_itself(real: str, invented: str) -> None:
    theirs = name_model(Card(label=Label(brand=f"x {invented}")), None, simulated=True)
    for brand in (f"x {real}", f"Simulated {real}", theirs.slug, theirs.name):
        assert not name_by_label(brand).slug.startswith("simulated-")
    assert theirs.slug.startswith("simulated-")


def test_a_simulated_card_may_be_named_by_its_registers() -> None:
    assert name_by_registers(SA04G, simulated=True).slug == "simulated-sa04g-4-gb-sd-02-544d"


# Variant and specimen


def test_the_registers_tell_the_variant() -> None:
    assert variant_key(Card(size_bytes=1), SA04G) == VariantKey(
        "SD", 0x02, 0x544D, "SA04G", "1.1", 3_904_897_024
    )


def test_without_a_cid_only_bus_and_size_are_known() -> None:
    only_size = VariantKey("USB", None, None, None, None, 31_914_983_424)
    assert variant_key(Card(bus="USB", size_bytes=31_914_983_424), None) == only_size
    only_csd = decode({"csd": "400e00325b5900001d177f800a40008d"}, bus="SD")
    assert variant_key(Card(), only_csd) == VariantKey("SD", None, None, None, None, 3_904_897_024)


def test_nothing_known_is_none_and_not_zero() -> None:
    assert variant_key(Card(), None) == VariantKey(None, None, None, None, None, None)


def test_a_cid_without_a_csd_takes_its_size_from_the_host() -> None:
    assert variant_key(Card(size_bytes=4_000_000_000), NAMELESS).capacity_bytes == 4_000_000_000


def test_a_card_key_is_a_keyed_hash() -> None:
    r"""The hash is that of: printf '\0\0\0\1a' | openssl dgst -sha256 -hmac secret."""
    assert card_key("secret", b"a") == "505c9f86ae00386efa1413ad"
    assert card_key("another", b"a") != card_key("secret", b"a")


@pytest.mark.parametrize(
    ("parts", "other"),
    [
        ((b"ab", b"c"), (b"a", b"bc")),
        ((b"ab",), (b"a", b"b")),
        ((b"a", b""), (b"a",)),
        ((b"", b"a"), (b"a", b"")),
        ((b"a", b"b"), (b"a\x00\x00\x00\x01b",)),
    ],
)
def test_where_one_part_ends_makes_a_difference(parts: tuple[bytes, ...], other: tuple[bytes, ...]) -> None:
    assert card_key("secret", *parts) != card_key("secret", *other)


@given(st.lists(st.binary(max_size=6), max_size=4), st.lists(st.binary(max_size=6), max_size=4))
def test_two_identities_share_no_key(parts: list[bytes], other: list[bytes]) -> None:
    assert (card_key("secret", *parts) == card_key("secret", *other)) == (parts == other)
