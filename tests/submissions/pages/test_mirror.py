"""The public site as files: the parts of pages in them, their links, and the search in the browser.

tests/e2e/test_mirror.py opens the files in a browser.
"""

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.urls import resolve
from django.utils.timezone import localdate

from submissions.domain.errors import ReportError
from submissions.domain.ranking import boards, uses
from submissions.domain.ranking.facets import FACETS
from submissions.dumps import shelf
from submissions.pages.mirror import index, site
from submissions.pages.views import about_pages, card_pages, finder_page
from tests.api.test_lists import card
from tests.conftest import PROJECT
from tests.performances import add_performance

PAGES = {
    "/": "index.html",
    "/compare/": "compare.html",
    "/models/x/": "models/x.html",
    "/models/x/runs/": "models/x/runs.html",
    "/boards/pi/": "boards/pi.html",
    "/api/v1/dumps/": "dump/datapackage.json",
}


@pytest.fixture
def mirror(tmp_path: Path) -> site._Site:
    return site._Site(tmp_path, dict(PAGES))


@pytest.mark.parametrize(
    ("address", "file", "wanted"),
    [
        ("/models/x/", "index.html", "models/x.html"),
        ("/models/x/", "models/x/runs.html", "../x.html"),
        ("/", "models/x/runs.html", "../../index.html"),
        ("/models/x/?board=pi#runs", "index.html", "models/x.html#runs"),
        ("/?q=kingston", "models/x.html", "../index.html?q=kingston"),
        ("/compare/?m=x#top", "index.html", "compare.html?m=x#top"),
        ("/boards/pi/?sort=name", "index.html", None),  # files cannot answer a query
        ("/boards/pi/#sd", "index.html", "boards/pi.html#sd"),
        ("/account/", "index.html", None),
        ("?sort=name", "index.html", "index.html?sort=name"),
        ("?sort=name", "boards/pi.html", None),
        ("#runs", "models/x.html", "#runs"),
        ("models/x.html", "models/x.html", "x.html"),
        ("https://example.org/a?b", "index.html", "https://example.org/a?b"),
        ("http://mirror.invalid/models/x/", "index.html", "models/x.html"),
        ("mailto:a@example.org", "index.html", "mailto:a@example.org"),
        ("/api/v1/dumps/", "boards/pi.html", "../dump/datapackage.json"),
    ],
)
def test_an_address_leads_to_the_file(
    mirror: site._Site, address: str, file: str, wanted: str | None
) -> None:
    assert mirror._relative(address, file) == wanted


def test_what_a_page_shows_goes_along_once(mirror: site._Site, settings: Any, tmp_path: Path) -> None:
    settings.STATIC_ROOT = str(tmp_path / "collected")
    for _ in range(2):
        assert mirror._relative("/static/submissions/mirror.js", "boards/pi.html") == (
            "../static/submissions/mirror.js"
        )
    (tmp_path / "collected" / "submissions").mkdir(parents=True)
    assert mirror.copy_static() == 1
    assert (tmp_path / "static/submissions/mirror.js").stat().st_size > 1000
    (tmp_path / "collected/submissions/mirror.js").write_text("as it was collected")
    mirror.copy_static()
    assert (tmp_path / "static/submissions/mirror.js").read_text() == "as it was collected"


@pytest.mark.parametrize(
    ("page", "wanted"),
    [
        ('<a class="x" href="/models/x/" id="y">X</a>', '<a class="x" href="models/x.html" id="y">X</a>'),
        ('see <a href="/account/">your account</a>', "see your account"),
        ('<a class="button" href="/account/">Log in</a>', ""),
        ('<nav><a href="/account/">Account</a><a href="/">Home</a></nav>', '<nav><a href="index.html">Home</a></nav>'),
        ('<form action="/">b</form>', '<form action="index.html">b</form>'),
        ('<img src="/photo/">', '<img src="#">'),
        ('<p>http://mirror.invalid/badge</p><a href="/compare/?m=x&amp;m=y">Compare</a>',
         '<p>/badge</p><a href="compare.html?m=x&amp;m=y">Compare</a>'),
    ],
)  # fmt: skip
def test_links_lead_to_files_or_are_left_out(mirror: site._Site, page: str, wanted: str) -> None:
    assert mirror._rewrite_links(page, "index.html") == wanted


@pytest.mark.parametrize(
    ("address", "file"),
    [
        ("/", "index.html"),
        ("/models/x/", "models/x.html"),
        ("/v/1.2/", "v/1.2.html"),
    ],
)
def test_every_page_has_its_file(address: str, file: str) -> None:
    assert site._file(address) == file


@pytest.mark.django_db
def test_a_page_is_asked_for_as_a_visitor_does(mirror: site._Site, settings: Any, tmp_path: Path) -> None:
    settings.ALLOWED_HOSTS = ["mirror.invalid"]
    mirror._pages |= {"/about/": "about.html", "/gone/": "gone.html", "/account/": "account.html"}
    mirror.copy_page("/about/")
    assert "csrfmiddlewaretoken" not in (tmp_path / "about.html").read_text()
    mirror.copy_page("/gone/")  # since the pages were listed
    assert not (tmp_path / "gone.html").exists()
    with pytest.raises(ReportError, match="/account/ was answered with 302") as refused:
        mirror.copy_page("/account/")
    assert refused.value.code == "unmirrored"


@pytest.mark.django_db
def test_every_model_card_and_run_has_a_page() -> None:
    run = card(1, "Kingston")
    card(2, "Lexar")
    pages = list(site.addresses())
    assert {"/", "/models/kingston-4-gb/", "/models/lexar-4-gb/", f"/runs/{run}/"} <= set(pages)
    chosen_uses = uses.uses_in(boards.all_boards()["raspberry-pi-4"].interface)
    assert {f"/best/raspberry-pi-4/{use}/" for use in chosen_uses} <= set(pages)
    assert sum(page.startswith("/cards/") for page in pages) == 2
    assert len(pages) == len(set(pages))


@pytest.mark.django_db
def test_a_mirror_is_written_into_a_new_folder(settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = str(tmp_path / "dumps")
    card(1, "Kingston")
    folder = tmp_path / "mirror"
    count = site.copy_pages(folder, ["/about/", "/compare/", "/models/kingston-4-gb/"])
    assert count == sum(path.is_file() for path in folder.rglob("*"))
    page = (folder / "models/kingston-4-gb.html").read_text()
    assert 'href="../about.html"' in page and (folder / "index/models.js").exists()
    assert list((folder / "static").rglob("*.css"))
    with pytest.raises(ReportError, match="is not empty") as refused:
        site.copy_pages(folder, ["/about/"])
    assert refused.value.code == "not_empty"


@pytest.mark.django_db
def test_no_page_contains_anything_that_needs_a_server(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every kind of page is checked, with more rows than fit on one page.

    A script replaces the forms of two of them.
    """
    settings.MEDIA_ROOT = str(tmp_path / "dumps")
    for view, most in ((finder_page, "MODELS_PER_PAGE"), (card_pages, "RUNS_PER_PAGE")):
        monkeypatch.setattr(view, most, 1)
    monkeypatch.setattr(about_pages, "SUBMISSIONS_PER_PAGE", 1)
    for number in range(3):
        card(number, "Kingston")
    of_each_kind = {resolve(address).url_name: address for address in site.addresses()}
    site.copy_pages(tmp_path / "mirror", {*of_each_kind.values(), "/", "/compare/", "/models/kingston-4-gb/"})
    pages = {path.stem: path.read_text() for path in (tmp_path / "mirror").rglob("*.html")}
    assert {name for name, page in pages.items() if "<form" in page} == {"index", "compare"}
    assert {name for name, page in pages.items() if "<script" in page} == {"index", "compare"}
    served = r'\shx-|htmx|rel="(?:canonical|alternate)|og:|class="(?:languages|doors|pages)'
    found = re.findall(served, "".join(pages.values()))
    assert not found and len(pages) >= 23


@pytest.mark.django_db(transaction=True)
def test_the_newest_dump_lies_beside_it(settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = str(tmp_path / "dumps")
    assert site._copy_dump(tmp_path / "none") == 0
    card(1)
    shelf.add_dump()
    copied = site._copy_dump(tmp_path / "dump")
    assert copied == len(list((tmp_path / "dump").iterdir())) > 1
    assert (tmp_path / "dump" / "datapackage.json").exists()


# Tests of the search in browsers.


def read(folder: Path, name: str) -> Any:
    text = (folder / f"{name}.js").read_text()
    return json.loads(text.removeprefix(f'mirror.keep("{name}", ').removesuffix(");\n"))


SLOT = "raspberry-pi-5"


@pytest.mark.django_db
def test_a_slot_is_a_file_of_columns(tmp_path: Path) -> None:
    add_performance("Slow", SLOT, {"small_writes": 46.123456}, varies=True)
    add_performance("Fast", SLOT, {"small_writes": 4000, "small_reads": 4000}, origin="elsewhere")
    add_performance("Reader", SLOT, {"small_reads": 9000}, at_least=True)
    slots = {board.slot for board in boards.all_boards().values()}
    assert (
        index.write_index(tmp_path / "index") == 2 + len(slots) == len(list((tmp_path / "index").iterdir()))
    )
    models = read(tmp_path / "index", "models")
    assert (models["slug"], models["varies"]) == (["slow", "fast", "reader"], [True, False, False])
    slot = read(tmp_path / "index", f"slot.{SLOT}")
    assert slot["model"] == [0, 1, 2]
    assert [figure and figure[0] for figure in slot["abilities"]["small_writes"]] == [46.123, 4000, 0]
    assert [figure and figure[3] for figure in slot["abilities"]["small_reads"]] == [0, 1, 6]
    order = slot["uses"]["pi-root"]
    assert (order["row"], order["place"], order["cards"]) == ([1, 0], {"microSD": ["1", "2"]}, [2, 2])
    assert order["state"][1] == ["fail", "not_measured", "not_measured"]
    assert order["needs"][0] == ["small_writes", 500]
    assert slot["words"][order["evidence"][0]] == "2 cards, 2 trusted sources"
    assert len(slot["words"]) == len(set(slot["words"]))
    assert read(tmp_path / "index", "slot.spi")["uses"]["logger"]["row"] == []


@pytest.mark.django_db
def test_an_old_price_is_no_price_there(tmp_path: Path) -> None:
    for name, days in (("New", 0), ("Old", 366)):
        priced: dict[str, Any] = {
            "price": 5.0,
            "currency": "EUR",
            "priced_on": localdate() - timedelta(days=days),
        }
        add_performance(name, SLOT, {"small_writes": 900}, **priced)
    index.write_index(tmp_path)
    assert read(tmp_path, "models")["price"] == [5.0, None]


def test_the_script_knows_every_lookup_of_a_facet() -> None:
    script = (PROJECT / "submissions/static/submissions/mirror.js").read_text(encoding="utf-8")
    known = set(re.findall(r"^    (\w+): \(own", script, re.MULTILINE))
    assert {facet.lookup for facet in FACETS.values()} <= known


@pytest.mark.django_db
def test_a_question_is_read_by_the_tables_of_the_server() -> None:
    told = index._site()
    board = boards.all_boards()["raspberry-pi-4"]
    assert told["boards"]["raspberry-pi-4"]["slot"] == board.slot.name
    assert told["boards"]["raspberry-pi-4"]["title"] == board.title
    assert set(told["uses"]) == set(uses.all_uses())
    assert ["capacity_gb_min", "capacity_gb", "gte"] in [row[:3] for row in told["facets"]]
    assert told["abilities"]["large_reads"] == ["Large reads", "B/s", 1e6]
    assert told["phrases"]
