"""`cardbench health` asks cards by ioctl; the library asked.c answers in place of the kernel."""

import json
import shlex
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from cardbench.target.health import ANSWERS, Health, read_emmc
from cardbench.target.sysfs import Sysfs
from prometheus_client.parser import text_string_to_metric_families

from submissions.domain.report import parse
from tests.client.conftest import compile_preload

CIDS = {
    "sandisk": "035344",
    "transcend": "744a60",
    "micron": "fe4e43",
    "swissbit": "5d5342",
    "longsys": "ad4c53",
}
CID_REST = "4153433136478033e2d5f401167c"[:26]
Look = Callable[..., subprocess.CompletedProcess[str]]


def block(*parts: tuple[int, bytes], filler: int = 0) -> bytes:
    """Return 512 bytes with these parts at these offsets."""
    content = bytearray([filler]) * 512
    for at, part in parts:
        content[at : at + len(part)] = part
    return bytes(content)


def big(number: int, width: int) -> bytes:
    return number.to_bytes(width, "big")


SANDISK = block((0, b"DS150712"), (8, bytes([12])), (24, big(321, 3)))
# The figures printed in sdmon issue 30, of a Kingston SDCE/256GB.
PHISON = block(
    (0, bytes.fromhex("983ea8037ae4081600")), (64, big(9981, 2)), (80, big(66, 4)), (96, big(9997, 2)),
    (98, big(1, 2)), (112, big(16, 4)),
)  # fmt: skip
NVME = block((3, bytes([100])), (5, bytes([7])), (48, (2_000_000).to_bytes(16, "little")))


@pytest.fixture(scope="session")
def kernel(tmp_path_factory) -> Path:
    return compile_preload("asked", tmp_path_factory.mktemp("asked"))


@pytest.fixture
def answers(tmp_path) -> Path:
    place = tmp_path / "answers"
    place.mkdir()
    (place / "asked").touch()
    return place


@pytest.fixture
def look(cardbench, kernel, answers, tmp_path) -> Look:
    """Return a function that runs `health` on a card of a maker that answers with the given blocks."""

    def run(
        blocks: Mapping[str, bytes], *words: object, maker: str = "sandisk", disk: str = "mmcblk0"
    ) -> subprocess.CompletedProcess[str]:
        device = tmp_path / "sys/block" / disk / "device"
        device.mkdir(parents=True, exist_ok=True)
        (device / "cid").write_text(f"{CIDS.get(maker, '123456')}{CID_REST}")
        (device / "type").write_text("SD")
        (device.parent / "size").write_text("1024")
        (device.parent / "dev").write_text("179:0")
        (device.parent / "stat").write_text("1 0 8 0 1 0 2000000 0 0 0 0")
        for name, content in blocks.items():
            (answers / name).write_bytes(content)
        (tmp_path / disk).touch()
        place = ("--sysfs", tmp_path / "sys")
        verb = "watch" if "--history" in words else "health"
        return cardbench(verb, tmp_path / disk, *place, *words, LD_PRELOAD=str(kernel), ANSWERS=str(answers))

    return run


def list_requests(answers: Path) -> list[str]:
    return (answers / "asked").read_text().splitlines()


def test_it_works(look, answers, tmp_path):
    answer = look({"00000001": SANDISK}, "-o", tmp_path / "r.json")
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.startswith(
        "The card reports that at most 12 % of its life is used up, in steps of 1 %."
    )
    assert "321  times the card was powered on" in answer.stdout
    assert list_requests(answers) == ["00000001"] * 2
    understood = parse((tmp_path / "r.json").read_bytes())
    figures = {reading.name: (reading.value, reading.unit) for reading in understood.readings}
    assert figures == {
        "life_used": (12, "%"),
        "power_cycles": (321, "count"),
        "life_used_step": (1, "%"),
        "bytes_written_since_start": (1_024_000_000, "B"),
    }
    assert (understood.run.suite, understood.run.destructive) == ("health", False)


def test_the_figures_of_a_published_reading(look, answers):
    answer = look({"00000021": PHISON}, "--ask", "phison", "--json")
    figures = {row["name"]: row["value"] for row in json.loads(answer.stdout)["readings"]}
    assert (figures["life_used"], figures["good_blocks"], figures["erases_total"]) == (0.03, 99.81, 66)
    assert (figures["erases_average"], figures["power_cycles"]) == (1, 16)
    assert list_requests(answers) == ["00000010 takes", "00000021"] * 2


def test_sd_express(look):
    answer = look({"nvme": NVME}, disk="nvme0n1")
    assert answer.stdout.startswith("The card reports that at most 7 % of its life is used up")
    assert "1,024.0 GB  data written to the card in its lifetime" in answer.stdout


@pytest.mark.parametrize(
    ("percent", "words", "status"),
    [
        (89, "The card reports that at most 89 %", 0),
        (90, "Near its end: the card reports that 90 %", 7),
        (100, "Worn out: the card reports that 100 %", 7),
        (120, "Worn out: the card reports that 120 %", 7),
    ],
)
def test_the_end_is_told(look, percent, words, status):
    answer = look({"00000001": block((0, b"DW"), (8, bytes([percent])))})
    assert (answer.returncode, answer.stdout.startswith(words)) == (status, True), answer.stdout


@pytest.mark.parametrize(
    ("blocks", "maker", "words"),
    [
        ({}, "sandisk", "No answer: Connection timed out"),
        ({"00000001": bytes(512)}, "sandisk", "does not answer like a sandisk card"),
        ({"53420001": b"Sw" + b"\xff" * 510}, "swissbit", "The card's answer is impossible (life_left 255)"),
        (
            {"00000001": SANDISK + block((0, b"DS"), (8, bytes([13])))},
            "sandisk",
            ("gave two different answers"),
        ),
        ({"00000001": SANDISK}, "nobody", "so cardbench did not try to read it"),
        ({"00000001": SANDISK}, "swissbit", "No answer"),
    ],
)
def test_what_is_no_answer(look, answers, blocks, maker, words):
    answer = look(blocks, maker=maker)
    assert (answer.returncode, words in answer.stdout) == (0, True), answer.stdout
    assert "life is used" not in answer.stdout
    assert (list_requests(answers) == []) == (maker == "nobody")


@pytest.mark.parametrize("byte", [0x00, 0xFF])
def test_an_answer_of_one_byte_is_none_even_without_a_signature(look, byte):
    answer = look({"00000021": bytes([byte]) * 512}, "--ask", "phison")
    assert f"the byte {byte:#04x} and nothing else" in answer.stdout


def test_a_card_in_use_is_not_asked_unless_one_says_so(look, answers, tmp_path):
    (tmp_path / "sys/block/mmcblk0/holders/dm-0").mkdir(parents=True)
    assert "It is in use (dm-0)" in look({"00000001": SANDISK}).stdout
    assert list_requests(answers) == []
    assert "at most 12 %" in look({"00000001": SANDISK}, "--even-if-mounted").stdout


def test_a_card_that_is_sent_a_block_is_never_asked_unbidden():
    assert [name for name, answer in ANSWERS.items() if answer.prepare is not None and answer.makers] == []


def test_every_kind_of_answer_has_a_source():
    assert all(answer.source for answer in ANSWERS.values())


@pytest.mark.parametrize(
    ("life_time", "pre_eol", "health"),
    [
        ("0x01 0x02", "0x01", Health({"life_used": 20, "life_used_step": 10}, "EXT_CSD")),
        (
            "0x0b 0x02",
            "0x02",
            Health({"life_used": 110, "life_used_step": 10, "reserve_used": 80}, "EXT_CSD"),
        ),
        ("0x00 0x00", "0x03", Health({"reserve_used": 90}, "EXT_CSD")),
        ("0xff zz", "0x00", Health(silence="The EXT_CSD of the card says nothing about its life.")),
    ],
)
def test_an_emmc(tmp_path, life_time, pre_eol, health):
    device = tmp_path / "block/mmcblk0/device"
    device.mkdir(parents=True)
    (device / "life_time").write_text(life_time)
    (device / "pre_eol_info").write_text(pre_eol)
    assert read_emmc(Sysfs(tmp_path), "mmcblk0") == health
    assert health.is_used_up == ("0x0b" in life_time or pre_eol == "0x03")


def test_behind_a_reader_it_says_what_to_do(cardbench):
    tree = Path(__file__).parents[1] / "sysfs" / "usb-reader"
    assert "put the card into an SD slot" in cardbench("health", "sdb", "--sysfs", tree).stdout


def test_watch_keeps_a_history_of_each_card(look, tmp_path):
    history = tmp_path / "history"
    assert look({"00000001": SANDISK}, "--history", history).returncode == 0
    assert look({"00000001": SANDISK}, "--history", history).returncode == 0
    assert look({}, "--history", history, maker="nobody").returncode == 0
    sizes = sorted(len(path.read_text().splitlines()) for path in history.iterdir())
    assert sizes == [2, 3]


def test_watch_warns_before_the_end(look, tmp_path, kernel):
    history = tmp_path / "history"
    look({"00000001": SANDISK}, "--history", history)
    (path,) = history.iterdir()
    header, line = path.read_text().splitlines()
    time_s = int(line.split()[0])
    old = "\n".join(f"{time_s - day * 86_400} {12 - day / 10:g} 1 0 0 old" for day in (80, 40))
    path.write_text(f"{header}\n{old}\n")
    steady = look({"00000001": SANDISK}, "--history", history)
    assert (steady.returncode, "at this rate, it will last another" in steady.stdout) == (0, True), (
        steady.stdout
    )
    path.write_text(f"{header}\n{time_s - 20 * 86_400} 1 1 0 0 old\n")
    failing = look({"00000001": block((0, b"DS"), (8, bytes([60])))}, "--history", history)
    assert (failing.returncode, "have a spare card ready" in failing.stderr) == (7, True), failing.stdout
    answer = json.loads(look({}, "--history", history, "--json", maker="nobody").stdout)
    assert (answer["near_its_end"], answer["life_used_percent"]) == (False, None)


@pytest.mark.parametrize(("kind", "word"), [("systemd", "ExecStart="), ("cron", "17 4 * * *")])
def test_watch_prints_what_runs_it_each_day(cardbench, kind, word):
    printed = cardbench("watch", "mmcblk0", "--print", kind, "--submit").stdout
    assert word in printed
    assert "watch /dev/mmcblk0 --submit --server" in printed
    line = printed[printed.index(word) :].splitlines()[0]
    words = shlex.split(line.removeprefix("ExecStart=").removeprefix("17 4 * * *  root"))
    again = [*words[: words.index("watch")], "--version"]
    assert subprocess.run(again, check=True, capture_output=True).stdout.startswith(b"cardbench")


def test_prometheus_reads_it(look, tmp_path):
    assert look({"00000001": SANDISK}, "--textfile", tmp_path / "card.prom").returncode == 0
    text = (tmp_path / "card.prom").read_text()
    figures = {family.name: family.samples[0].value for family in text_string_to_metric_families(text)}
    assert figures == {
        "cardbench_health_known": 1,
        "cardbench_health_life_used_ratio": 0.12,
        "cardbench_health_life_used_step_ratio": 0.01,
        "cardbench_health_near_its_end": 0,
        "cardbench_health_power_cycles": 321,
    }
    assert '{disk="mmcblk0"}' in text


def test_prometheus_learns_that_a_card_says_nothing(look, tmp_path):
    look({}, "--textfile", tmp_path / "card.prom", maker="nobody")
    text = (tmp_path / "card.prom").read_text()
    assert 'cardbench_health_known{disk="mmcblk0"} 0\n' in text and "life_used" not in text


def test_a_directory_stands_for_the_disk_below_it(cardbench, card, loop):
    answer = cardbench("health", card, "--json")
    assert json.loads(answer.stdout)["host"]["device"] == Path(loop).name


def test_a_directory_on_no_disk_is_refused(cardbench):
    answer = cardbench("health", "/proc")
    assert (answer.returncode, "/proc is not on exactly one disk" in answer.stderr) == (2, True)
