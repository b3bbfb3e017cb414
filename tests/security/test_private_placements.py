"""No page, list, feed, badge, dump or log of the site shows a private word of a report.

Every field that accepts a text contains such a word.
"""

import html
import io
import json
import logging
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from django.core.management import call_command
from django.test import Client

from submissions.models import CardModel, Submission
from submissions.writing import ingest
from tests import test_serials
from tests.factories import rand_write, report, specimen, uuid

pytestmark = pytest.mark.django_db(transaction=True)  # a dump is written in a transaction of its own

SUBMIT = "/api/v1/submissions/"
LETTERS = ("bcdf", "aeiou", "rlmn", "aeiou")
WORDS = ("".join(letters) + "vex" for letters in product(*LETTERS))
ANY_WORD = re.compile("".join(f"[{letters}]" for letters in LETTERS) + "vex")
TIMING = " Timing O_DIRECT disk reads:  66 MB in  3.05 seconds =  21.63 MB/sec"
COPIED = "100+0 records in\n100+0 records out\n104857600 bytes (105 MB, 100 MiB) copied, 7.0 s, 15.0 MB/s"
# The text around a word in a field of a report, by the path to the field. A report has every
# ninth of them, so that few reports have all and no two are of one part.
REPORTS = 9
FIELDS: tuple[tuple[str, str], ...] = (
    ("client.name", "{}"),
    ("client.version", "1.0-{}"),
    ("note", "write to {}@bigbox.example"),
    ("extra.anything", "{}"),
    ("simulated.note", "SSID {}"),
    ("card.specimen", "the one of {}"),
    ("card.registers.csd", "{}"),
    ("card.registers.scr", "0x{}"),
    ("card.label.bought_at", "from {}"),
    ("host.board", "Raspberry Pi 4 of {}"),
    ("host.machine", "{}"),
    ("host.kernel", "Linux {} 6.12.47 #1 SMP"),
    ("host.device", "mapper/{}"),
    ("host.driver", "{}"),
    ("host.reader", "USB\\VID_0BDA\\{}"),
    ("host.filesystem", "{}"),
    ("host.mount_options", "rw,uid={}"),
    ("host.scheduler", "{}"),
    ("host.bus_mode.name", "{}"),
    ("run.suite", "{}"),
    ("run.tool", "{}"),
    ("run.tool_version", "{}"),
    ("run.before.governor", "{}"),
    ("run.after.governor", "{}"),
    ("run.doubts.0", "host: {} was busy"),
    ("run.not_compared", "the card of {}"),
    ("measurements.0.failure.code", "{}"),
    ("measurements.0.failure.detail", "/media/{}/SD"),
    ("measurements.0.parameters.variant", "{}"),
    ("measurements.1.workload", "{}"),
    ("measurements.2.metric", "{}"),
    ("measurements.3.unit", "{}"),
    ("readings.0.name", "{}"),
    ("readings.0.value", "seen by {}"),
    ("readings.0.unit", "{}"),
    ("readings.0.of", "{}"),
    ("readings.0.tool", "{}"),
    ("source.title", "a mail of {}"),
    ("source.id", "{}"),
    ("source.place", "{}/results.txt"),
    ("source.dated", "when {} was here"),
    ("source.author", "{}"),
    ("source.url", "https://user:{}@nas.example/x"),
    ("source.licence", "{}"),
)
TEXTS = (
    "{0}@bigbox:~ $ sudo hdparm -t --direct /dev/mmcblk0\n" + TIMING,
    "bigbox:~ {0}$ sudo hdparm -t --direct /dev/mmcblk0\n" + TIMING,
    "{0}:/home/u # sudo hdparm -t --direct /dev/mmcblk0\n" + TIMING,
    "{0}# hdparm -t --direct /dev/mmcblk0\n" + TIMING,
    "[root@{0} tmp]# hdparm -t --direct /dev/mmcblk0\n" + TIMING,
    "PS C:\\Users\\{0}> hdparm -t --direct /dev/mmcblk0\n" + TIMING,
    "# the card of {0}\nhdparm -t --direct /dev/mmcblk0\n" + TIMING,
    "== {0} ==\n" + TIMING,
    "hdparm -t --direct /dev/mmcblk0 # {0} did it\n" + TIMING,
    "Dear {0},\n\n" + TIMING,
    TIMING + "\n-- \n{0}",
    TIMING + "  {0}",
    "Mar 14 12:00:01 {0} kernel: mmcblk0: mmc0:0001 SA04G 3.64 GiB\n" + TIMING,
    "SSHPASS={0} dd if=/dev/zero of=/dev/mmcblk0 bs=1M count=100 oflag=direct\n" + COPIED,
    "PASS={0} dd if=/dev/zero of=/dev/mmcblk0 bs=1M count=100 oflag=direct\n" + COPIED,
    "dd if=/dev/zero of={0} bs=1M count=100 oflag=direct\n" + COPIED,
    "dd if=/dev/zero of='/media/{0} mueller/SD' bs=1M count=100 oflag=direct\n" + COPIED,
    "dd if=/dev/zero of=/media/karl\\ {0}/SD bs=1M count=100 oflag=direct\n" + COPIED,
    "dd if=/dev/zero of=file:///home/{0}/x bs=1M count=100 oflag=direct\n" + COPIED,
    "dd if=/dev/zero of=//home/{0} bs=1M count=100 oflag=direct\n" + COPIED,
    "dd if=/dev/zero of=\\\\NAS\\{0} bs=1M count=100 oflag=direct\n" + COPIED,
    "dd if=/dev/zero of=~{0}/x bs=1M count=100 oflag=direct\n" + COPIED,
    "dd if=/dev/zero of=/dev/disk/by-label/{0} bs=1M count=100 oflag=direct\n" + COPIED,
    "dd if=/dev/zero of=/dev/mmcblk0 bs=1M count=100 oflag=direct; echo {0}\n" + COPIED,
    "I, {0}, ran dd if=/dev/zero of=/dev/mmcblk0 bs=1M count=100 oflag=direct\n" + COPIED,
    "1.96,1.96,{0},1,1424557976,2G,,75,98,11028,9,7172,7,507,99,23015,9,1054,47,16,,,,,3861,39,+++++,+++,5097,41,7133,"
    "71,+++++,+++,4915,40,613ms,9537ms,6887ms,37024us,29880us,89690us,761us,3017us,3273us,694us,82us,619us",
    "f3write /media/{0}/6135-3363/\nAverage writing speed: 8.16 MB/s",
    "cid: 02544d5341303447113533890900d371\nserial: {0}\n" + TIMING,
    "iozone -e -I -a -s 100M -r 4k -i 0 -i 1 -f {0}\n" + TIMING,
)


def make_report_with(words: Mapping[str, str]) -> dict[str, Any]:
    """Return a valid report that contains these words in these fields."""
    document = deepcopy(report())
    document |= {
        "measurements": [rand_write() for _ in range(4)],
        "readings": [{"name": "price", "value": 1.0}],
    }
    document |= {"source": {"title": "a mail"}}
    document["run"] |= {"before": {}, "after": {}, "doubts": [""]}
    document["measurements"][0]["failure"] = {"code": "io_error"}
    for path, word in words.items():
        *way, last = path.removeprefix("simulated.").split(".")
        place: Any = document
        for step in way:
            place = place[int(step)] if step.isdigit() else place.setdefault(step, {})
        place[int(last) if last.isdigit() else last] = dict(FIELDS)[path].format(word)
    return document


@pytest.fixture(name="private")
def place_private_words(
    client: Client, caplog: pytest.LogCaptureFixture, settings: Any, tmp_path: Path
) -> Iterator[dict[str, str]]:
    """Store reports and texts with private words; yield each word by the field that contains it."""
    caplog.set_level(logging.INFO)
    settings.MEDIA_ROOT = str(tmp_path)
    settings.RATE_LIMITS = {}
    test_serials.file_reports()
    placed: dict[str, str] = {}
    for number in range(REPORTS):
        words = {path: next(WORDS) for path, _ in FIELDS[number::REPORTS]}
        placed |= words
        document = make_report_with(words) | {"uuid": uuid(100 + number)}
        document["card"] |= {"label": {"brand": "Kingston"} | document["card"].get("label", {})}
        document["card"]["registers"] = specimen(1000 + number)["registers"] | {
            name: text
            for name, text in document["card"]["registers"].items()
            if f"card.registers.{name}" in words
        }
        placed[f"User-Agent {number}"] = agent = next(WORDS)
        answer = client.post(SUBMIT, json.dumps(document), "application/json", headers={"User-Agent": agent})
        assert answer.status_code == 202, (words, answer.content)
    for number, text in enumerate(TEXTS):
        word = placed[text] = next(WORDS)
        address = f"{SUBMIT}?brand=Kingston&capacity_gb={4 + number}&note=of+{word}"
        answer = client.post(address, text.format(word), content_type="text/plain")
        assert answer.status_code == 202, (text, answer.content)
        key, place = answer.json()["delete_key"], answer.json()["links"]["self"]
        client.patch(place, {"note": f"by {word}"}, "application/json", headers={"Delete-Key": key})
    ingest.reprocess_all(Submission.objects.all())
    call_command("write_dump", stdout=io.StringIO())
    yield placed


def test_no_private_word_and_no_serial_number_is_told_anywhere(
    client: Client, private: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    assert len(private) >= 60
    assert Submission.objects.exclude(state="rejected").count() >= REPORTS + len(TEXTS)
    seen = dict(test_serials.walk_site(client))
    test_serials.assert_no_trace(seen)
    seen["the log"] = caplog.text
    for address in (*_list_pages(), *(model.get_absolute_url() for model in CardModel.objects.all())):
        if address not in seen:
            seen[address] = client.get(address).content.decode()
    where = {word: place for place, word in private.items()}
    found = {
        address: ANY_WORD.findall(unquote(html.unescape(text)).lower()) for address, text in seen.items()
    }
    assert {address: where[words[0]] for address, words in found.items() if words} == {}
    assert any("/dumps/" in address for address in seen)


def _list_pages() -> Iterator[str]:
    for public_id in Submission.objects.values_list("public_id", flat=True):
        yield from (f"/submissions/{public_id}/{part}" for part in ("", "text/", "report.json"))
        yield from (f"{SUBMIT}{public_id}/", f"/runs/{public_id}/", f"/api/v1/runs/{public_id}/")
