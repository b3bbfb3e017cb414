"""The other pages of the site: comparison, boards, feeds, badge, statistics, about."""

import re
from datetime import datetime
from typing import Any
from xml.etree import ElementTree

import pytest
from django.test import Client

from submissions.domain.identity import promises
from submissions.domain.identity.promises import Reached
from submissions.domain.intake.tools import TOOLS
from submissions.domain.pasting.pasted import Claims
from submissions.domain.report import Label, Source
from submissions.models import FormerSlug, Submission
from submissions.pages.views import about_pages
from submissions.writing import ingest, refit
from tests.conftest import PROJECT
from tests.factories import body, rand_read, rand_write, seq_read, specimen, uuid
from tests.small_crowd import vouch

pytestmark = pytest.mark.django_db

ATOM = "{http://www.w3.org/2005/Atom}"


def file(
    number: int,
    brand: str = "Kingston",
    *measurements: dict[str, Any],
    vouched: bool = False,
    **label: Any,
) -> Submission:
    card = specimen(number, label={"brand": brand} | label)
    given = body(uuid=uuid(number), card=card, measurements=list(measurements or [rand_write(500)]))
    submission = ingest.receive(given, channel="api", submitter=brand).submission
    if vouched:
        vouch(submission)
    ingest.process(submission.pk)
    return submission


def text(client: Client, url: str) -> str:
    response = client.get(url)
    assert response.status_code == 200
    return response.content.decode()


# Tests of the comparison.


def test_two_models_stand_side_by_side(client: Client) -> None:
    file(1, "Slow", rand_write(100), vouched=True)
    file(2, "Fast", rand_write(5000), vouched=True)
    page = text(client, "/compare/?m=slow-4-gb&m=fast-4-gb")
    for said in (
        "Small writes",
        "<b>best</b>",
        "Which is better",
        "Fast 4 GB is the best",
        "500 IOPS needed",
    ):
        assert said in page
    duels = page.partition("Which is better")[2].partition("<tbody>")[2]
    assert duels.index("under 1 %") < duels.index("over 99 %")


def test_the_word_of_one_stranger_makes_no_card_the_best(client: Client) -> None:
    file(1, "Boasted", rand_write(5000))
    for number, brand, iops in ((2, "Fair", 1000), (3, "Slow", 100)):
        file(number, brand, rand_write(iops), vouched=True)
    page = text(client, "/compare/?m=boasted-4-gb&m=fair-4-gb&m=slow-4-gb")
    assert "Boasted 4 GB is the best" not in page and "Fair 4 GB is the best" in page


def test_a_card_is_added_by_searching(client: Client) -> None:
    file(1, "Kingston")
    file(2, "Transcend")
    page = text(client, "/compare/?m=kingston-4-gb&add=transcnd")
    assert "m=kingston-4-gb&amp;m=transcend-4-gb" in page


@pytest.mark.parametrize(
    "query", ["", "?m=nobody", "?m=%00", "?add=%00", "?m=a&m=b&m=c&m=d&m=e&m=f&m=g&board=x"]
)
def test_a_comparison_bears_any_address(client: Client, query: str) -> None:
    assert client.get(f"/compare/{query}").status_code == 200


@pytest.mark.parametrize("models", [2, 6])
def test_a_comparison_needs_three_queries(
    client: Client, models: int, django_assert_num_queries: Any
) -> None:
    for number in range(models):
        file(number + 1, f"Brand {number}")
    query = "&".join(f"m=brand-{number}-4-gb" for number in range(models))
    with django_assert_num_queries(3):  # models, performances, places
        client.get(f"/compare/?{query}")


def test_the_former_address_of_a_model_leads_on(client: Client) -> None:
    file(1, "Kingston")
    FormerSlug.objects.create(slug="kingstone-4-gb", to_slug="kingston-4-gb")
    answer = client.get("/models/kingstone-4-gb/")
    assert (answer.status_code, answer.headers["Location"]) == (301, "/models/kingston-4-gb/")
    assert client.get("/models/nobody/").status_code == 404


# Tests of formats.


def test_every_tool_is_shown_with_an_example(client: Client, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        page = text(client, "/formats/")
    assert all(tool.name in page for tool in TOOLS)
    assert "4 requests completed in 3.05 s" in page and "how large a megabyte is (always)" in page


# Tests of boards.


def test_a_board_says_what_it_can_use(client: Client) -> None:
    file(1, "Fast", rand_write(500), seq_read(44.0), vouched=True)
    page = text(client, "/boards/raspberry-pi-3/")
    assert "faster than about 23.7 MB/s here" in page
    assert "so an A2 card is no better here than an A1 card" in page
    assert "Fast 4 GB" in page.partition("Best cards")[2]


def test_every_board_has_a_page(client: Client) -> None:
    listed = text(client, "/boards/")
    assert "/boards/raspberry-pi-5/" in listed and "96.8 MB/s" in listed
    choosy, plain = (text(client, f"/boards/raspberry-pi-{number}/") for number in (5, 4))
    assert "Longsys from revision 1.0" in choosy and "cards that it trusts" not in plain
    assert client.get("/boards/abacus/").status_code == 404
    uses = re.findall(r"/best/dashcam/([a-z0-9-]+)/", text(client, "/boards/dashcam/"))
    assert uses == ["dashcam", "pi-root", "database", "camera", "camera-v60", "games", "media"], (
        "first what it is mostly used for"
    )


@pytest.mark.parametrize("cards", [1, 4])
def test_a_board_page_needs_eight_queries(client: Client, cards: int, django_assert_num_queries: Any) -> None:
    for number in range(cards):
        file(number + 1, f"Brand {number}", vouched=True)
    with django_assert_num_queries(8):  # the best for each of seven uses, places of one
        client.get("/boards/raspberry-pi-4/")


# Tests of feeds and badges.


@pytest.mark.parametrize(
    ("url", "title"),
    [
        ("/feeds/", "flashdb: latest tests"),
        ("/feeds/models/kingston-4-gb/", "flashdb: Kingston 4 GB"),
        ("/feeds/search/?q=kingstn", "flashdb: a search"),
    ],
)
def test_a_feed_tells_what_came_in(client: Client, url: str, title: str) -> None:
    submission = file(1, "Kingston")
    response = client.get(url)
    assert response["Content-Type"].startswith("application/atom+xml")
    feed = ElementTree.fromstring(response.content)
    assert feed.findtext(f"{ATOM}title") == title
    (entry,) = feed.iter(f"{ATOM}entry")
    assert entry.findtext(f"{ATOM}title") == "Kingston 4 GB, measured with cardbench"
    assert entry.findtext(f"{ATOM}summary") == (
        "Small writes: 500 IOPS. Enough for “Running the system”, which needs 500 IOPS. A new test of"
        " Kingston 4 GB, in Raspberry Pi 4 Model B."
    )
    received = submission.received_at.replace(microsecond=0)
    told = [entry.findtext(f"{ATOM}{name}", "") for name in ("published", "updated")]
    assert [datetime.fromisoformat(moment).replace(microsecond=0) for moment in told] == [received] * 2
    link = entry.find(f"{ATOM}link")
    assert link is not None and link.get("href", "").endswith(f"/runs/{submission.public_id}/")


def test_a_feed_of_a_search_holds_nothing_else(client: Client) -> None:
    file(1, "Kingston")
    assert b"<entry>" not in client.get("/feeds/search/?q=transcend").content
    assert client.get("/feeds/models/nobody/").status_code == 404


@pytest.mark.parametrize("runs", [1, 4])
def test_a_feed_needs_one_query(client: Client, runs: int, django_assert_num_queries: Any) -> None:
    for number in range(runs):
        file(number + 1)
    with django_assert_num_queries(1):
        client.get("/feeds/")


def test_a_badge_says_for_what_and_how_good(client: Client) -> None:
    file(1, "A&B")
    response = client.get("/models/a-b-4-gb/badge.svg?board=raspberry-pi-4")
    assert response["Content-Type"] == "image/svg+xml"
    drawn = ElementTree.fromstring(response.content)
    words = "".join(drawn.itertext())
    assert "A&B 4 GB" in words and "fast enough for a Raspberry Pi 4 or 400." in words
    page = text(client, "/models/a-b-4-gb/")
    assert "[img]http://testserver/models/a-b-4-gb/badge.svg?" in page


def test_a_badge_is_as_wide_as_its_words(client: Client) -> None:
    """A letter is 6.6 pixels wide, plus a margin; each half centres its words."""
    file(1, "Kingston", seq_read(1.9, unit="GB/s"))
    drawn = ElementTree.fromstring(client.get("/models/kingston-4-gb/badge.svg?board=raspberry-pi-4").content)
    left, right = ("Kingston 4 GB: Running the system", "Not tested for a Raspberry Pi 4 or 400 yet.")
    assert [text.text for text in drawn.iter() if text.tag.endswith("text")] == [left, right]
    widths = [round(6.6 * len(words) + 12) for words in (left, right)]
    assert drawn.get("width") == str(sum(widths))
    places = [float(text.get("x", "")) for text in drawn.iter() if text.tag.endswith("text")]
    assert places == [widths[0] / 2, widths[0] + widths[1] / 2]


# Tests of statistics, lists and pages for robots.


def test_the_numbers_are_those_of_the_last_fit(client: Client, django_assert_num_queries: Any) -> None:
    """To count all runs for every visitor would take too long."""
    file(1, "Brand 1")
    assert "Raspberry Pi 4 Model B" in text(client, "/statistics/")
    refit.refit()
    file(2, "Brand 2")
    with django_assert_num_queries(1):
        page = text(client, "/statistics/")
    assert "Brand 1" in page and "Brand 2" not in page
    assert re.search(r"Counted [^.]* ago\.", page)


def test_recent_submissions_go_on_below_the_last_shown(client: Client, monkeypatch: Any) -> None:
    """Pages use a cursor, because for page 99,999 the database would count all rows before it."""
    monkeypatch.setattr(about_pages, "SUBMISSIONS_PER_PAGE", 2)
    for number in range(5):
        file(number + 1, f"Brand {number}")
    seen, address = [], "/recent/"
    while address:
        page = text(client, address)
        seen += re.findall(r"Brand \d", page)
        older = re.search(r'href="(\?before=[^"]+)" rel="next"', page)
        address = f"/recent/{older[1]}" if older else ""
    assert [*dict.fromkeys(seen)] == [f"Brand {number}" for number in (4, 3, 2, 1, 0)]
    for nowhere in ("?before=nothing", "?page=99999"):
        assert re.findall(r"Brand \d", text(client, f"/recent/{nowhere}")) == seen[:2]


@pytest.mark.parametrize("cards", [1, 4])
def test_recent_submissions_need_two_queries(
    client: Client, cards: int, django_assert_num_queries: Any
) -> None:
    for number in range(cards):
        file(number + 1, f"Brand {number}")
    with django_assert_num_queries(2):
        assert text(client, "/recent/").count("measured with cardbench") == cards


@pytest.mark.parametrize("url", ["/about/", "/tour/", "/compare/", "/recent/", "/statistics/"])
def test_a_page_bears_an_empty_database(client: Client, url: str) -> None:
    assert client.get(url).status_code == 200


def addresses(client: Client, section: str) -> list[str]:
    return re.findall(r"<loc>http://testserver([^<]*)</loc>", text(client, f"/sitemap-{section}.xml"))


@pytest.mark.parametrize("url", ["/products/nothing/", "/sources/nobody/"])
def test_what_is_in_no_table_is_not_there(client: Client, url: str) -> None:
    assert client.get(url).status_code == 404


def test_every_word_is_explained(client: Client) -> None:
    page = text(client, "/glossary/")
    assert (
        "Open AUs" in page
        and ("How many allocation units (AUs) a card can write to at the same time.") in page
    )


def test_the_tour_shows_a_card_step_by_step(client: Client) -> None:
    """The tour shows a card of the starter data, from its registers to its plots."""
    log = (PROJECT / "tests/logs/flashbench/sa04g-whole-page.txt").read_bytes()
    claims = Claims(
        label=Label(brand="Kingston"), source=Source(title="Flashbenching", url="https://example.org/")
    )
    ingest.process(ingest.receive_parts(log, [claims], channel="mail", submitter="x")[0].submission.pk)
    page = text(client, "/tour/")
    steps = [
        "2. Where the erase blocks end",
        "3. How many places the card can write to in turn",
        "4. What happens when the writes are scattered",
    ]
    assert sorted(steps, key=page.index) == steps
    assert page.count('role="img"') >= 3 and "Kingston 4 GB" in page


def test_robots_find_every_model(client: Client) -> None:
    file(1)
    assert "Sitemap: http://testserver/sitemap.xml" in text(client, "/robots.txt")
    assert "sitemap-models.xml" in text(client, "/sitemap.xml")
    assert "/models/kingston-4-gb/" in text(client, "/sitemap-models.xml")
    assert {"/boards/raspberry-pi-5/", "/makers/", "/glossary/"} <= set(addresses(client, "pages"))
    assert "/products/lexar-play-128-gb-04-2025/" in addresses(client, "products")
    assert '<link rel="canonical"' in text(client, "/models/kingston-4-gb/?board=raspberry-pi-4")


# Tests of the promises of a model.


def test_a_promise_stands_beside_what_was_found(client: Client) -> None:
    file(1, "Kingston", rand_write(5000), rand_read(9000), marks=["A1", "V30"])
    page = text(client, "/models/kingston-4-gb/").partition("Promised and measured")[2]
    assert ">kept<" in page
    assert ">V30<" in page and "not measured" in page


@pytest.mark.parametrize(
    ("reached", "verdict"),
    [
        (Reached(600, 510, 700), "kept"),
        (Reached(600, 400, 700), "open"),
        (Reached(300, 200, 400), "broken"),
        (Reached(300, 200, 400, at_least=True), "open"),
    ],
)
def test_a_promise_is_broken_only_when_the_whole_interval_says_so(reached: Reached, verdict: str) -> None:
    findings = promises.check_promises({"app_perf_class": 1}, {"small_writes": reached})
    assert [one.verdict for one in findings] == ["unknown", verdict]


def test_prices_are_told(client: Client) -> None:
    file(1, "Kingston", price=7.5, currency="EUR", bought_on="2024-05", bought_at="a shop")
    page = text(client, "/models/kingston-4-gb/").partition("What people paid")[2]
    assert "7.50\u00a0€" in page and "a shop" in page
