"""/cid/ and the candidates of /quirks/: what registers say, what breaks, and how firmware revisions differ."""

import csv
import io
from typing import Any

import pytest
from django.test import Client

from submissions.domain.identity.suspicions.cid_families import Family
from submissions.domain.pasting.pasted import Claims
from submissions.domain.report import Label
from submissions.evidence import families
from submissions.models import CardModel, Submission, Variant
from submissions.writing import ingest
from tests.factories import SA04G, body, rand_read, uuid

pytestmark = pytest.mark.django_db

FLUSH = "mmc0: error -110 writing Cache Flush bit"
SERIAL = "a5e2b"
PLACE = "/cid/sd/1b-534d/EB1QT/"
FAMILY = Family("SD", 0x1B, 0x534D, "EB1QT")
OTHER_CSD = "400e00325b590000ee7f7f800a40004b"


def page(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, address
    return response.content.decode()


def cid(number: int, *, name: str = "EB1QT", revision: int = 0x30, month: int = 0x15A) -> str:
    return f"1b534d{name.encode().hex()}{revision:02x}{SERIAL}{number:03x}{month:04x}5b"


def log(number: int, *lines: str, **registers: Any) -> None:
    claims = Claims(label=Label(brand="Samsung", capacity_gb=64))
    text = "\n".join([f"cid: {cid(number, **registers)}", *lines]).encode()
    receipt = ingest.receive_text(text, claims=claims, channel="page", submitter=f"person {number}")
    ingest.process(receipt.submission.pk)


def run(number: int, *, iops: float, revision: int, by: str, card: int = 0, **changes: Any) -> None:
    registers = {"cid": cid(card or number, revision=revision)} | changes.pop("registers", {})
    described = {"bus": "SD", "registers": registers, "label": {"brand": "Samsung"}}
    given = body(uuid=uuid(number), card=described, measurements=[rand_read(iops, iops, iops)], **changes)
    ingest.process(ingest.receive(given, channel="api", submitter=by).submission.pk)


def candidates(client: Client) -> Any:
    return client.get("/api/v1/quirks/candidates/").json()["results"]


def test_it_works(client: Client) -> None:
    log(1, FLUSH)
    log(2, FLUSH, revision=0x31)

    (row,) = candidates(client)
    assert (row["mid"], row["oid"], row["pnm"]) == ("0x1b", "0x534d", "EB1QT")
    assert (row["breaks"], row["revisions"], row["months"]) == ("cache", ["3.0", "3.1"], ["2021-10"])
    assert (row["cards"], row["people"], row["quirks"]) == (2, 2, [])
    assert (row["words"], row["trouble"]) == (
        ["error -110 writing Cache Flush bit"],
        "the write cache does not answer",
    )
    assert row["run"] == Submission.objects.latest("pk").public_id
    assert row["model"] == CardModel.objects.get().slug
    assert '_FIXUP_EXT("EB1QT", 0x1b, 0x534d, 2021, 10,' in row["patch"]
    for address in ("/quirks/", PLACE):
        assert "MMC_QUIRK_BROKEN_SD_CACHE, EXT_CSD_REV_ANY" in page(client, address)
    assert f'href="{PLACE}"' in page(client, "/quirks/")
    assert f'href="{PLACE}"' in page(client, f"/models/{row['model']}/")
    assert f'href="{PLACE}"' in page(client, "/cid/")


def test_candidates_are_a_table_too(client: Client) -> None:
    log(1, FLUSH)
    text = client.get("/api/v1/quirks/candidates/?format=csv").content.decode()

    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["pnm"], row["breaks"]) == ("EB1QT", "cache")
    assert "MMC_QUIRK_BROKEN_SD_CACHE" in row["patch"]


@pytest.mark.parametrize(
    ("line", "breaks"),
    [
        ("mmc0: running CQE recovery", "queue"),
        ("mmc0: cqhci: timeout for tag 10, qcnt 1", "queue"),
        ("mmc0: error -110 writing Power Off Notify bit", "power-off"),
        ("I/O error, dev mmcblk0, sector 8 op 0x3:(DISCARD) flags 0x0 phys_seg 1 prio class 2", "discard"),
        ("mmc0: tuning execution failed: -5", "tuning"),
        ("mmc0: error -110 reading status register", "setting"),
    ],
)
def test_what_breaks_is_read_off_a_kernel_log(client: Client, line: str, breaks: str) -> None:
    log(1, line)

    (row,) = candidates(client)
    assert row["breaks"] == breaks, row["words"]
    assert bool(row["patch"]) == (breaks in ("power-off", "discard")), "else Linux has no quirk for it"


def test_a_tuning_that_fails_in_ddr50_has_a_quirk(client: Client) -> None:
    log(1, "mmc0: new ultra high speed DDR50 SDXC card at address 0001", "mmc0: tuning execution failed: -5")
    assert "MMC_QUIRK_NO_UHS_DDR50_TUNING" in candidates(client)[0]["patch"]


@pytest.mark.parametrize("name", ["<b>&x", "a/b.?", '"*/;1', "../..", "=1+1x", "\x00\xff\n\t5"])
def test_a_hostile_name_is_a_name_like_any_other(client: Client, name: str) -> None:
    raw = name.encode("latin-1")[:5].ljust(5, b"\0").hex()
    claims = Claims(label=Label(brand="Samsung", capacity_gb=64))
    text = f"cid: 1b534d{raw}30a5e2b001015a5b\n{FLUSH}\n".encode()
    receipt = ingest.receive_text(text, claims=claims, channel="page", submitter="x")
    ingest.process(receipt.submission.pk)

    (row,) = client.get("/api/v1/cid/").json()["results"]
    shown = page(client, row["links"]["page"].removeprefix("http://testserver"))
    assert "<b>&x" not in shown
    assert client.get(row["links"]["self"]).json()["pnm"] == row["pnm"]
    for address in ("/quirks/", "/cid/"):
        assert "<b>&x" not in page(client, address)


@pytest.mark.parametrize(
    "address", ["cid/sd/1b-534d/EB1QX/", "cid/sd/1b-534d/~00/", "cid/usb/1b/EB1QT/", "cid/sd/nonsense/%00/"]
)
def test_an_unknown_family_is_not_here(client: Client, address: str) -> None:
    assert client.get(f"/{address}").status_code == 404
    answer = client.get(f"/api/v1/{address}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


def test_the_list_is_chosen_from(client: Client) -> None:
    log(1)
    assert "EB1QT" in page(client, "/cid/?q=eb1&bus=SD&page=nonsense")
    assert "Show all" in page(client, "/cid/?q=EB2")
    assert [row["pnm"] for row in client.get("/api/v1/cid/?pnm=eb1&bus=SD").json()["results"]] == ["EB1QT"]
    assert client.get("/api/v1/cid/?pmn=eb1").status_code == 400


def test_no_serial_number_is_shown(client: Client) -> None:
    log(0x123, FLUSH)
    for address in ("/cid/", PLACE, "/api/v1/cid/", f"/api/v1{PLACE}", "/quirks/"):
        assert f"{SERIAL}123" not in page(client, address), address


def test_revisions_stand_side_by_side(client: Client) -> None:
    for number in range(7):
        later = number % 2
        iops = (1000 + 10 * number) * (1 + 2 * later)
        run(number, iops=iops, revision=0x30 + later, by=f"person {number}")

    first, later_one = client.get(f"/api/v1{PLACE}").json()["figures"]
    assert [(row["revision"], row["cards"], row["people"]) for row in (first, later_one)] == [
        ("3.0", 4, 4),
        ("3.1", 3, 3),
    ]
    told = [first[name] for name in ("lowest", "median", "highest")]
    assert told == pytest.approx([1000, 1030, 1060])
    assert later_one["median"] == pytest.approx(3090)
    assert "1,000 IOPS – 1,060 IOPS" in page(client, PLACE)


def test_a_card_counts_once_with_its_median() -> None:
    run(1, iops=1000, revision=0x30, by="a")
    run(2, iops=5000, revision=0x30, by="b", card=1)
    run(3, iops=9000, revision=0x30, by="b", card=2, simulated=True, host={"interface": "simulated"})
    (row,) = families.list_revisions(FAMILY)
    assert (row.cards, row.people, row.median) == (1, 2, pytest.approx(3000))


def test_a_csd_is_told_of_cards_whose_registers_are_their_own() -> None:
    for number, csd in enumerate((SA04G["csd"], SA04G["csd"], OTHER_CSD), 1):
        run(number, iops=1000, revision=0x30, by="a", registers={"csd": csd})
    run(4, iops=1000, revision=0x30, by="a", card=1, registers={"csd": OTHER_CSD})  # held: not as before
    run(5, iops=1000, revision=0x30, by="a")
    assert families.count_csds(FAMILY) == [(SA04G["csd"][:30], 2), (OTHER_CSD[:30], 1)]


def test_a_family_costs_the_same_however_many_cards(
    client: Client, django_assert_max_num_queries: Any
) -> None:
    for number in range(4):
        run(number, iops=1000 + number, revision=0x30 + number, by=f"person {number}")
    with django_assert_max_num_queries(7):
        page(client, PLACE)
    with django_assert_max_num_queries(3):
        page(client, "/cid/")
    with django_assert_max_num_queries(1):
        assert [row.cards for row in families.list_families()] == [4]


def test_simulated_cards_and_those_without_a_cid_are_no_family() -> None:
    ingest.process(ingest.receive(body(card={}), channel="api", submitter="x").submission.pk)
    assert list(Variant.objects.families()) == []
