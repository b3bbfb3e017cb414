"""The page /quirks/ lists candidates for quirks in the kernel: the cards, the faults, and the line of code."""

import csv
import io
from typing import Any

import pytest
from django.test import Client

from submissions.domain.pasting.pasted import Claims
from submissions.domain.report import Label
from submissions.models import CardModel, Submission
from submissions.writing import ingest

pytestmark = pytest.mark.django_db

FLUSH = "mmc0: error -110 writing Cache Flush bit"
SERIAL = "a5e2b"


def page(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, address
    return response.content.decode()


def cid(number: int, *, name: str = "EB1QT", revision: int = 0x30, month: int = 0x15A) -> str:
    return f"1b534d{name.encode().hex()}{revision:02x}{SERIAL}{number:03x}{month:04x}5b"


def log(number: int, *lines: str, person: str = "", **registers: Any) -> None:
    claims = Claims(label=Label(brand="Samsung", capacity_gb=64))
    text = "\n".join([f"cid: {cid(number, **registers)}", *lines]).encode()
    person = person or f"person {number}"
    receipt = ingest.receive_parts(text, [claims], channel="page", submitter=person)[0]
    ingest.process(receipt.submission.pk)


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
        "the write cache does not respond",
    )
    assert row["run"] == Submission.objects.latest("pk").public_id
    assert row["model"] == CardModel.objects.get().slug
    assert '_FIXUP_EXT("EB1QT", 0x1b, 0x534d, 2021, 10,' in row["patch"]
    shown = page(client, "/quirks/")
    assert "MMC_QUIRK_BROKEN_SD_CACHE, EXT_CSD_REV_ANY" in shown
    assert "<code>EB1QT</code>" in shown and f'href="/runs/{row["run"]}/"' in shown
    assert "EB1QT" in page(client, f"/models/{row['model']}/")


def test_a_person_with_two_cards_counts_once(client: Client) -> None:
    for number in (1, 2):
        log(number, FLUSH, person="one")
    (row,) = candidates(client)
    assert (row["cards"], row["people"]) == (2, 1)


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
    receipt = ingest.receive_parts(text, [claims], channel="page", submitter="x")[0]
    ingest.process(receipt.submission.pk)

    (row,) = candidates(client)
    for address in ("/quirks/", f"/models/{row['model']}/", f"/runs/{row['run']}/"):
        assert "<b>&x" not in page(client, address)


def test_no_serial_number_is_shown(client: Client) -> None:
    log(0x123, FLUSH)
    for address in ("/quirks/", "/api/v1/quirks/candidates/"):
        assert f"{SERIAL}123" not in page(client, address), address
