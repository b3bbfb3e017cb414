"""The first page shows the best cards for a board and a use, without JavaScript and with htmx."""

import re
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from submissions.models import CardModel, Submission
from submissions.writing import ingest, refit
from tests.factories import body, rand_write, sold_card, specimen, uuid
from tests.small_crowd import vouch

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


def file(number: int = 1, *, vouched: bool = False, **changes: object) -> Submission:
    submission = ingest.receive(
        body(uuid=uuid(number), **changes), channel="api", submitter=f"tester {number}"
    ).submission
    if vouched:
        vouch(submission)
    ingest.process(submission.pk)
    return submission


def file_labelled(number: int, brand: str, iops: float = 500, **label: Any) -> Submission:
    card = specimen(number, label={"brand": brand} | label)
    return file(number, card=card, measurements=[rand_write(iops)])


def prove_sold(first: int, **label: Any) -> None:
    """Process reports of two sources about a card that shops sell."""
    for number in (first, first + 1):
        file(number, vouched=True, card=sold_card(**label), measurements=[rand_write(2000)])


def price(months_ago: int = 0) -> dict[str, Any]:
    """Return the label fields of a price that was paid this many months ago."""
    today = timezone.localdate()
    years, month = divmod(today.year * 12 + today.month - 1 - months_ago, 12)
    return {"price": 7.5, "currency": "EUR", "bought_on": f"{years}-{month + 1:02}"}


def text(client: Client, url: str, **options: Any) -> str:
    response = client.get(url, **options)
    assert response.status_code == 200
    return response.content.decode()


def ranking(client: Client, query: str = "") -> str:
    return text(client, f"/?{query}", headers=HTMX)


def test_it_works(client: Client) -> None:
    file_labelled(1, "Slow", 100)
    prove_sold(2)
    page = text(client, "/")
    name = "Kioxia EXCERIA 32 GB"
    assert f'<a href="/models/kioxia-exceria-32-gb/?board=raspberry-pi-5&amp;use=pi-root">{name}</a>' in page
    assert page.index(">Best overall<") < page.index(name) < page.index("Slow 4 GB")
    assert "1 card, 1 person; no trusted source yet" in page.partition("Slow 4 GB")[2]


def test_what_no_shop_can_sell_is_ranked_and_no_pick(client: Client) -> None:
    """Such a card is named after its registers, or after a brand without a product."""
    bare = {"registers": {}, "size_bytes": None, "label": {"brand": "Loud"}}
    file(1, card=bare, measurements=[rand_write(3000)])
    file(2, card=specimen(2), measurements=[rand_write(2500)])
    prove_sold(3)
    file_labelled(9, "Unbranded", 2800, line="Extreme PRO", price=1.18, currency="USD")
    page = text(client, "/")
    picks, _, ranked = page.partition('<section class="all"')
    assert re.findall(r"<h2><a [^>]*>([^<]*)</a></h2>", picks) == ["Kioxia EXCERIA 32 GB"]
    for name in ("Loud card", "Toshiba card, 4 GB (SA04G, OEM 0x544d)", "Kioxia EXCERIA 32 GB"):
        assert f">{name}</a>" in ranked


def test_filters_are_apart_and_keep_what_was_chosen(client: Client) -> None:
    file_labelled(1, "Slow", 100)
    page = text(client, "/?board=raspberry-pi-4&min_gb=2&q=slow&page=1&nonsense=1")
    form = page.partition('id="filter"')[2].partition("</div>")[0]
    assert re.findall(r'name="(\w+)" value="([^"]*)"', form) == [
        ("board", "raspberry-pi-4"),
        ("capacity_gb_min", "2"),
    ]
    asked = "/filter/?board=raspberry-pi-4&min_gb=2&q=slow"
    for answer in (text(client, asked), text(client, asked, headers=HTMX)):
        assert re.search(r'value="raspberry-pi-4"\s+selected', answer) and 'value="Slow"' in answer
        assert 'name="brand"' in answer and re.search(r'name="capacity_gb_min" value="2', answer)
    assert "<html" not in text(client, asked, headers=HTMX)


def test_a_script_gets_the_answer_alone_and_its_address(client: Client) -> None:
    file_labelled(1, "Quonkel", 100)
    answer = client.get("/?q=quonkel&page=2&board=", headers=HTMX)
    assert "<html" not in answer.content.decode() and "Quonkel 4 GB" in answer.content.decode()
    assert answer.headers["HX-Push-Url"] == "/?q=quonkel"
    assert client.get("/?page=2", headers=HTMX).headers["HX-Push-Url"] == "/"
    page = client.get("/?q=quonkel")
    assert "<html" in page.content.decode() and "HX-Push-Url" not in page.headers


def test_what_just_came_in_can_be_looked_at(client: Client) -> None:
    shown, refused = file(1), file(2, card={})
    page = text(client, "/")
    assert (shown.get_absolute_url() in page, refused.get_absolute_url() in page) == (True, False)


@pytest.mark.parametrize("count", [30, 3_000])
def test_of_a_long_text_the_beginning_is_read(client: Client, count: int) -> None:
    response = client.get("/", {"q": "sandisk " * count}, follow=True)
    assert response.status_code == 200
    page = response.content.decode()
    assert "we searched only its first 200 characters" in page and 'href="/submit/#paste"' in page
    assert 'name="price_max"' not in page  # no field is wrong, so the filters stay closed
    assert "first 200 characters" not in client.get("/", {"q": "sandisk"}).content.decode()


def test_a_text_that_is_cut_keeps_the_other_choices(client: Client) -> None:
    response = client.get("/", {"q": "sandisk " * 3_000, "board": "dashcam"}, follow=True)
    assert response.context["wish"].board.slug == "dashcam"
    assert client.get("/", {"q": "sandisk", "brand": "x" * 5_000}).status_code == 400


def test_what_a_gate_excludes_does_not_fit(client: Client) -> None:
    file_labelled(1, "Kingston")
    file_labelled(2, "Tiny")
    CardModel.objects.filter(brand="Tiny").update(capacity_gb=1)
    for query in ("board=raspberry-pi-4", "board=raspberry-pi-4&min_cards=1"):
        page = ranking(client, query)
        assert "1 card fits" in page and "All 2 cards" in page


def test_every_choice_stays_in_the_form(client: Client) -> None:
    file_labelled(1, "Kingston")
    page = text(client, "/filter/?board=raspberry-pi-4&use=camera&q=kingston&min_gb=2&app_class=1")
    for said in (
        'value="raspberry-pi-4" selected',
        'value="camera" selected',
        'value="kingston"',
        '<option value="1" selected>A1 or better</option>',
    ):
        assert said in page


def test_the_board_decides_which_slot_counts(client: Client) -> None:
    file_labelled(1, "Kingston")
    assert "Best SD card for a Raspberry Pi 3" in ranking(client, "board=raspberry-pi-3")


@pytest.mark.parametrize(
    ("query", "finds"),
    [
        ("q=kingstn", True),
        ("q=sa04g", True),
        ("q=0x544d", True),
        ("q=&min_gb=&max_gb=&budget=&currency=EUR&brand=&app_class=&flagged=", True),
        ("min_gb=4", True),
        ("min_gb=5", False),
        ("max_gb=4", True),
        ("max_gb=3", False),
        ("brand=kingston", True),
        ("brand=king", False),
        ("maker=Toshiba", True),
        ("maker=Samsung", False),
        ("oem=544D", True),
        ("oem=0x1234", False),
        ("app_class=1", True),
        ("app_class=2", False),
        ("video_class=30", False),
        ("uhs_grade=1", True),
        ("bus_mode=DDR50", True),
        ("bus_mode=SDR104", False),
        ("since=2013", True),
        ("since=2013-04", False),
        ("flagged=no", True),
        ("flagged=yes", False),
        ("min_cards=1", True),
        ("min_cards=2", False),
        ("budget=8&currency=EUR", True),
    ],
)
def test_it_can_be_narrowed_down(client: Client, query: str, finds: bool) -> None:
    file_labelled(1, "Kingston", marks=["A1", "U1"], **price())
    page = ranking(client, query)
    assert ('id="ranking"' in page) == finds
    assert ("No match." in page) != finds


@pytest.mark.parametrize(
    "query",
    [
        "use=nonsense",
        "profile=nonsense",
        "board=abacus",
        "q=%00",
        "q=" + "x" * 999,
        "min_gb=-1",
        "min_gb=nan",
        "max_gb=1e999",
        "oem=zzz",
        "since=yesterday",
        "page=99",
        "page=x",
        "min_cards=99999999999999999999",
    ],
)
def test_it_bears_a_nonsensical_address(client: Client, query: str) -> None:
    file_labelled(1, "Kingston")
    assert client.get(f"/?{query}").status_code == 200


def test_a_month_that_does_not_exist_is_named(client: Client) -> None:
    assert "Enter a valid value." in text(client, "/?manufactured_since=2023-13")


def test_nonsense_is_named_beside_its_field(client: Client) -> None:
    assert "An OEM number has up to four hex digits" in text(client, "/?oem=zzz")


def test_an_empty_finder_says_what_to_do(client: Client) -> None:
    assert "Be the first to test a card" in text(client, "/")


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("budget=7&currency=EUR", "Nobody has reported such a price within the last year"),
        ("budget=8&currency=USD", "Nobody has reported such a price within the last year"),
        ("q=kingston+under+2+euro", "Nobody has reported such a price within the last year"),
    ],
)
def test_what_nothing_answers_is_said_and_left_out(client: Client, query: str, sentence: str) -> None:
    file_labelled(1, "Kingston", **price())
    page = ranking(client, query)
    assert sentence in page and "Kingston 4 GB" in page.partition('id="ranking"')[2]


@pytest.mark.parametrize(
    ("number", "sentence", "closest"),
    [
        ("SDSQXA2-064G-GN6MA", "<h1>SanDisk Extreme 64 GB</h1>", "Closest cards of the same product line"),
        ("SDSQXA1-512G-GN6MA", "Nobody has tested “sdsqxa1-512g-gn6ma” yet.", "The closest matches:"),
    ],
)
def test_a_number_leads_to_the_card_of_its_name(
    client: Client, number: str, sentence: str, closest: str
) -> None:
    tested = sold_card(brand="SanDisk", line="Extreme", capacity_gb=64)
    file(1, vouched=True, card=tested, measurements=[rand_write(900)])
    file_labelled(2, "Kingston")
    page = ranking(client, f"q={number}")
    assert sentence in page
    named = re.findall(r'href="/models/([a-z0-9-]+)/', page.partition(closest)[2])
    assert named == ["sandisk-extreme-64-gb"]


def test_a_size_that_nobody_tested_leads_to_the_largest(client: Client) -> None:
    """A card without a brand comes last, because no shop lists it."""
    brands = (("Of8", 8), ("Generic", 128), ("Of64", 64), ("Of32", 32))
    for number, (brand, size) in enumerate(brands, 1):
        card = {"registers": {}, "size_bytes": None, "label": {"brand": brand, "capacity_gb": size}}
        file(number, card=card, measurements=[rand_write(900)])
    closest = ranking(client, "q=pi+5+1tb").partition("The closest matches:")[2]
    assert re.findall(r">(Of\d+|Generic) ", closest) == ["Of64", "Of32", "Of8", "Generic"]


@pytest.mark.parametrize(
    ("words", "link"),
    [
        ("02544d534130344711c0ffee0000d30f", "/decode/?text=02544d534130344711c0ffee0000d30f"),
        ("csd 400e0032 5b590000 edc87f80 0a404000", "/decode/?text=400e00325b590000edc87f800a404000"),
        ("my sd card is slow", "/submit/#check"),
        ("sd-karte defekt", "/submit/#check"),
        ("mmc0: new high speed SDHC card at address aaaa", "/submit/#paste"),
    ],
)
def test_who_asks_about_a_card_at_hand_is_shown_the_way(client: Client, words: str, link: str) -> None:
    assert f'href="{link}"' in ranking(client, f"q={words}")


def test_nothing_is_ranked_until_everything_is_loaded(client: Client) -> None:
    ingest.receive(body(), channel="bulk", submitter="tester")
    assert "Results are still being loaded" in text(client, "/")
    ingest.process_all_waiting(most=10)
    assert "Results are still being loaded" in text(client, "/")
    refit.refit_after_load()
    page = text(client, "/")
    assert "Results are still being loaded" not in page
    assert 'id="ranking"' in page


def test_it_says_when_nothing_matches(client: Client) -> None:
    file_labelled(1, "Kingston")
    assert "No match." in ranking(client, "app_class=2")


def test_a_dead_end_says_what_comes_closest(client: Client) -> None:
    file_labelled(1, "Quonkel")
    page = ranking(client, "q=quonkel+512gb+a2")
    assert "The closest matches:" in page and "Quonkel 4 GB" in page
    wider = ranking(client, "q=quonkel+512gb")
    assert "without “512 GB”: 1 model" in wider and 'href="/?q=quonkel"' in wider


def test_what_is_sold_and_not_tested_is_said(client: Client) -> None:
    assert "Transcend SDXC/SDHC U3 UHS-II 64 GB" in ranking(client, "q=transcend+64")


def test_a_size_that_is_not_sold_is_not_called_sold(client: Client) -> None:
    page = ranking(client, "q=transcend+16tb")
    assert "We know of no product of this capacity." in page
    assert "Sold under this name" in page


def test_a_name_without_a_size_is_no_one_product(client: Client) -> None:
    assert "<h1>SanDisk Extreme 64 GB</h1>" in ranking(client, "q=sandisk+extreme+64gb")
    page = ranking(client, "q=sandisk+extreme")
    assert "Cards named “sandisk extreme”" in page and "Nobody has tested “sandisk extreme” yet." in page
    assert "SanDisk Extreme 128 GB" in page.partition("Sold under this name")[2]


def test_a_size_of_others_is_not_called_a_fake(client: Client) -> None:
    page = ranking(client, "q=intenso+64gb")
    assert "Nobody has tested “intenso 64 GB” yet." in page and "fakes" not in page


def test_a_word_that_no_card_has_is_struck_and_the_rest_is_answered(client: Client) -> None:
    file_labelled(1, "Kingston")
    page = ranking(client, "q=kingston+flubberwort")
    assert re.search(r'<span class="unknown"\s+title="We ignored this word">flubberwort</span>', page)
    assert "Kingston 4 GB" in page.partition('id="ranking"')[2]


def test_a_word_that_says_nothing_hides_nothing(client: Client) -> None:
    file_labelled(1, "Kingston")
    page = ranking(client, "q=flubberwort+4gb")
    assert "flubberwort</span>" in page and "Kingston 4 GB" in page.partition('id="ranking"')[2]


def test_what_exists_is_never_denied(client: Client) -> None:
    file(1, card=specimen(1, label={"brand": "PNY"}), measurements=[])
    page = ranking(client, "q=pny")
    assert "PNY 4 GB" in page.partition("Not tested for “Running the system” yet")[2]
    file(2, card=specimen(2, label={"brand": "Quonkel"}), measurements=[])
    assert (
        "Quonkel 4 GB" in ranking(client, "q=quonkel").partition("Not tested for “Running the system” yet")[2]
    )


@pytest.mark.parametrize(("months_ago", "is_answered"), [(0, True), (11, True), (13, False)])
def test_a_price_answers_for_a_year(client: Client, months_ago: int, is_answered: bool) -> None:
    file_labelled(1, "Kingston", **price(months_ago))
    assert (
        "Nobody has reported such a price within the last year"
        not in ranking(client, "budget=8&currency=EUR")
    ) == is_answered


def test_a_price_without_a_month_is_history(client: Client) -> None:
    file_labelled(1, "Kingston", price=7.5, currency="EUR")
    assert "Nobody has reported such a price within the last year" in ranking(client, "budget=8&currency=EUR")


def test_text_is_understood_and_each_piece_can_be_taken_away(client: Client) -> None:
    prove_sold(1, **price())
    page = ranking(client, "q=speicherkarte+kioxia+32gb+raspberry+pi+4+bis+8€")
    assert "Cards named “kioxia”" in page and "Raspberry Pi 4 or 400 ·" in page and "Best of these" in page
    for chip, rest in (
        ("32 GB", "kioxia+raspberry+pi+4+bis"),
        ("up to 8 EUR", "kioxia+32gb+raspberry+pi+4+bis"),
    ):
        assert f'aria-label="Remove {chip}">{chip}</a>' in page
        assert rest in page


@pytest.mark.parametrize("path", ["/", "/makers/"])
def test_a_search_is_a_search_to_the_browser(client: Client, path: str) -> None:
    page = client.get(path).content.decode()
    assert page.count('type="search"') == 1
    assert re.search(r'<input type="search"\s+name="q"', page)
