"""The preview shows how a text is understood before anything of it is stored."""

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from model_bakery import baker

from submissions.domain.errors import ReportError
from submissions.models import Submission
from submissions.pages.content import preview as understanding
from submissions.pages.views import submit_page
from tests import corpus
from tests.factories import SA04G, SA04G_SERIAL, body, report

pytestmark = pytest.mark.django_db

PAGE = (corpus.LOGS / "flashbench" / "sa04g-whole-page.txt").read_text(encoding="utf-8")
ROWS = "4MiB    10.3M/s \n2MiB    9M/s \n"
HDPARM = " Timing O_DIRECT disk reads:  66 MB in  3.05 seconds =  21.63 MB/sec\n"


def look(client: Client, text: str, **said: Any) -> str:
    response = client.post("/submit/", {"text": text, "look": "1"} | said)
    assert response.status_code in (200, 400)
    assert Submission.objects.count() == 0
    return response.content.decode()


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_it_works(client: Client) -> None:
    page = look(client, PAGE)
    told = words(page)
    assert "What we understood: Toshiba card, 4 GB (SA04G, OEM 0x544d)" in told
    assert "201 measurements: 201 plausible" in told
    assert "408 of 421" not in told and re.search(r"\d+ of \d+ numbers understood", told)


def test_every_value_leads_to_what_it_became_and_back(client: Client) -> None:
    page = look(client, PAGE)
    (place,) = re.findall(r'href="#m(0-\d+)">1.77ms<', page)
    row = page.partition(f'<tr id="m{place}">')[2].partition("</tr>")[0]
    assert "1.77 ms" in row and "plausible" in row and "Reads of 1 KiB around boundaries, 1 GiB" in words(row)
    (line,) = re.findall(r'href="#l(\d+)"', row)
    assert f'<li id="l{line}"' in page


def test_a_figure_that_was_worked_out_is_shown_as_well(client: Client) -> None:
    """An iozone table has rates; small blocks are compared by IOPS, which are computed from the rates."""
    table = "kB reclen write rewrite read reread random read random write\n102400 4 1234 1300 7000 7001 6900 900\n"
    page = words(look(client, f"$ iozone -e -I -a -s 100M -r 4k -i 0 -i 1 -i 2\n{table}", brand="Kingston"))
    assert "8 measurements: 8 plausible" in page


def test_what_is_private_is_shown_as_removed(client: Client) -> None:
    page = look(client, f"jane@bigbox:~$ head cid\ncid: {SA04G['cid']}\nserial: 0x{SA04G_SERIAL}\n" + HDPARM)
    preview = page.partition("<textarea")[0]
    assert '<del class="stretch private">███</del>' in preview
    assert "3 places in these lines" in words(preview)
    assert "bigbox" not in preview and SA04G_SERIAL not in preview


def test_lines_that_stay_private_are_marked(client: Client) -> None:
    page = look(client, "my dear friend\n" + f"cid: {SA04G['cid']}\n" + HDPARM)
    assert re.search(r'<li id="l1"\s+value="1"\s+class="unpublished">my dear friend</li>', page)
    assert "2 of the 4 lines" in words(page)


def test_a_verdict_is_told_in_words(client: Client) -> None:
    fast = HDPARM.replace("21.63", "2163").replace(" 66 MB", "6600 MB")
    told = words(look(client, f"cid: {SA04G['cid']}\n/dev/mmcblk0:\n{fast}"))
    assert "1 measurement: 1 impossible" in told
    assert "is more than the link can carry" in told


def test_what_was_not_understood_is_marked(client: Client) -> None:
    page = look(client, f"I have 7 of them\ncid: {SA04G['cid']}\n" + HDPARM)
    assert '<span class="stretch missed">7</span>' in page


def test_a_question_is_asked_and_its_answer_counts(client: Client) -> None:
    page = look(client, ROWS, brand="Kingston")
    (key,) = re.findall(r'<select id="[^"]+"\s+name="([^"]+)"', page)
    assert '<a class="stretch asked" href="#q1">' in page
    answered = look(client, ROWS, brand="Kingston", **{key: "open-au random 3"})
    assert "2 measurements: 2 plausible" in words(answered)
    assert re.search(r'value="open-au random 3"\s+selected', answered)
    response = client.post("/submit/", {"text": ROWS, "brand": "Kingston", key: "open-au random 3"})
    assert response.status_code == 302
    assert b'"open_au":3' in bytes(Submission.objects.get().body)


def test_an_answer_to_nothing_is_refused(client: Client) -> None:
    response = client.post("/submit/", {"text": HDPARM, "brand": "X", "answer.dd.direction.1": "read"})
    assert response.status_code == 400
    assert "is not an open question about this text" in response.content.decode()


def test_a_refused_text_keeps_its_answers(client: Client) -> None:
    """A visitor who forgets the brand need not answer questions again, and loses no number."""
    (key,) = re.findall(r'<select id="[^"]+"\s+name="([^"]+)"', look(client, ROWS))
    response = client.post("/submit/", {"text": ROWS, key: "open-au random 3"})
    refused = response.content.decode()
    assert response.status_code == 400 and not Submission.objects.exists()
    assert re.search(r'value="open-au random 3"\s+selected', refused)
    assert words(refused).count("give at least its brand") == 2, "above all, and beside the input"


def test_what_a_disk_was_may_be_answered_with_the_brand(client: Client) -> None:
    """A brand suggests that the disk was a card; the answer may confirm this or say otherwise."""
    text = "$ dd if=/dev/sdb of=/dev/null bs=4M iflag=direct\n419430400 bytes (419 MB) copied, 10.4 s, 40.3 MB/s\n"
    assert "a card or a disk?" in look(client, text)
    sent = {"text": text, "brand": "Kingston", "answer.text.medium.2": "disk"}
    refused = client.post("/submit/", sent)
    assert refused.status_code == 400 and "We accept only cards and USB sticks" in refused.content.decode()
    response = client.post("/submit/", sent | {"answer.text.medium.2": "usb"})
    assert response.status_code == 302
    assert b'"interface":"usb"' in bytes(Submission.objects.get().body)


def test_what_still_needs_a_name_is_shown_all_the_same(client: Client) -> None:
    assert client.post("/submit/", {"text": HDPARM, "look": "1"}).status_code == 400
    told = words(look(client, HDPARM))
    assert "give at least its brand" in told and "card.label.brand" not in told
    assert "1 measurement: 1 plausible" in told


def test_what_nobody_understands_is_shown_all_the_same(client: Client) -> None:
    told = words(look(client, "hello 17"))
    assert "We understood no measurement and no register" in told
    assert "0 of 1 number understood" in told


def test_registers_of_another_card_are_said_to_be_so(client: Client) -> None:
    log = (corpus.LOGS / "flashbench" / "041-wirenboard-10-2-00000-wrongid.txt").read_text(encoding="utf-8")
    told = words(look(client, log, brand="Transcend"))
    assert "We left out the registers. The registers belong to a card with 3,963,617,280 bytes" in told
    assert "some repeats failed: dd: Ошибка ввода/вывода (5 of 10 repeats)" in told


def test_a_report_is_looked_at_as_well(client: Client) -> None:
    told = words(look(client, body().decode()))
    assert "2 measurements: 2 plausible" in told
    assert "the raw report, its uuid and the serial number in it" in told


@pytest.mark.parametrize(("target", "rules"), [("device", ["D1"]), ("file", [])])
def test_only_a_whole_device_says_how_large_the_card_is(target: str, rules: list[str]) -> None:
    card = {"bus": "SD", "registers": SA04G, "size_bytes": 10**9}
    shown = understanding.understand(body(card=card, run=report()["run"] | {"target": target}))
    (portrait,) = shown.portraits
    assert [suspicion.id for suspicion in portrait.card.suspicions] == rules


def test_a_report_that_names_no_card_is_refused_before_it_is_sent(client: Client) -> None:
    response = client.post("/submit/", {"text": body(card={"bus": "SD"}).decode(), "look": "1"})
    assert response.status_code == 400
    assert response.content.decode().count('role="alert"') == 1


def test_a_long_log_is_shown_in_part(client: Client) -> None:
    page = look(client, f"cid: {SA04G['cid']}\n" + "nothing\n" * 50 + HDPARM + "row 1\n" * 3000)
    assert "50 lines without results" in words(page)
    assert page.count("<li id=") == 1500


def test_markup_in_a_text_stays_text(client: Client) -> None:
    page = look(client, "<script>alert(1)</script>\n<b>7</b>\n" + HDPARM, brand="X")
    assert "<script>alert" not in page and "<b>" not in page


LARGE = (b"x" * 2999 + b"\n") * 1_000


def test_a_text_of_some_megabytes_may_be_pasted(client: Client) -> None:
    """By default, Django accepts less data in a form."""
    assert 2_500_000 < len(LARGE) < 4_000_000
    assert "We did not understand any measurement" in words(look(client, LARGE.decode()))


def test_a_text_that_cannot_be_shown_is_read_once(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that takes too long would take as long a second time."""
    seen = list[bytes]()

    def refuse(text: bytes, _claims_of_card: Any) -> Any:
        seen.append(text)
        raise ReportError("It took too long.")

    monkeypatch.setattr(submit_page, "understand_text", refuse)
    assert "It took too long." in look(client, HDPARM)
    assert len(seen) == 1


@pytest.mark.parametrize("field", ["text", "file"])
def test_more_than_8_mb_are_refused_in_words(client: Client, field: str) -> None:
    large = (LARGE * 3).ljust(8_000_001)[:8_000_001]
    given = SimpleUploadedFile("log.txt", large) if field == "file" else large.decode()
    response = client.post("/submit/", {field: given, "look": "1"})
    assert response.status_code == 400
    assert re.search(r"at most 8,?000,?000", words(response.content.decode()))


def test_what_no_form_takes_is_refused_in_words(client: Client) -> None:
    response = client.post("/submit/", {"text": "x" * 9_100_000})
    assert response.status_code == 400
    assert "Send it as a file" in response.content.decode()


def test_a_flood_of_measurements_is_shown_in_part(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(understanding, "MOST_ROWS", 10)
    monkeypatch.setattr(understanding, "MOST_TABLED", 20)
    page = look(client, PAGE)
    assert "201 measurements: 201 plausible" in words(page)
    assert "Showing the first 10 of 201 measurements" in words(page)
    assert page.count('<tr id="m') == 10
    assert "The first measurements as tables" in words(page)


def test_each_case_has_a_box_and_becomes_a_submission(client: Client) -> None:
    """The text is about two cards: the page asks which card each part is about, and for the label of the second."""
    run = "$ dd if=/dev/zero of=t bs=4M\n41943040 bytes (42 MB) copied, {} s, {} MB/s\n"
    text = f"## Kingston\n{run.format(4, 10.5)}## Samsung\n{run.format(2, 21)}"
    page = look(client, text, brand="Kingston")
    assert "Say which card each of them is about" in page
    assert "Is “Samsung” (from line 4 on) about the same card as the results above?" in page
    cases = {"answer.text.case.1": "A", "answer.text.case.4": "B"}
    answered = look(client, text, brand="Kingston", **cases)
    assert "Card B: Samsung (from line 4 on)" in answered
    assert "give at least its brand" in words(answered)
    refused = client.post("/submit/", {"text": text, "brand": "Kingston", **cases})
    assert refused.status_code == 400 and not Submission.objects.exists()
    assert "“Samsung” contains no CID" in refused.content.decode()
    response = client.post("/submit/", {"text": text, "brand": "Kingston", "B-brand": "Samsung", **cases})

    first, second = Submission.objects.order_by("pk")
    assert response.headers["Location"] == f"{first.get_absolute_url()}?also={second.public_id}"
    assert [b"Samsung" in bytes(one.body) for one in (first, second)] == [False, True]
    assert {first.public_id, second.public_id} <= set(client.session.keys())
    assert second.get_absolute_url() in client.get(response.headers["Location"]).content.decode()
    client.post("/submit/", {"text": text, "brand": "Kingston", "B-brand": "Samsung", **cases})
    assert Submission.objects.count() == 2


def test_each_brand_is_suggested_in_one_spelling(client: Client) -> None:
    baker.make("submissions.CardModel", brand="SANDISK", named_from="label", name="X", slug="x")
    page = client.get("/submit/").content.decode()
    brands = re.findall(
        r'value="([^"]+)"', page[page.index('<datalist id="brands">') :].split("</datalist>")[0]
    )
    assert "SanDisk" in brands or "SANDISK" in brands
    assert len({brand.casefold() for brand in brands}) == len(brands) > 40
    assert brands == sorted(brands, key=str.casefold)
