"""Read the wear that a card reports: a table of questions per maker, and checks of the card's answers.

No standard of SD describes these questions. A question is asked only of cards of makers known to support it. An answer
counts only with its signature, with possible figures, and if it is the same twice: cards that do not know the question
have answered with zeros, with ones, and with old content of their memory (sdmon, issues 14, 42 and 43).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cardbench.errors import DeviceError
from cardbench.target import asking
from cardbench.target.registers import CardName
from cardbench.target.surface import WorkDirectory
from cardbench.target.sysfs import Sysfs

NEAR_ITS_END_PERCENT, USED_UP_PERCENT = 90, 100
_URGENT_PERCENT = 90  # of the reserve of an eMMC
_SDMON = "sdmon, src/sdmon.c at 0.9.0 (github.com/Ognian/sdmon)"

# Question; its argument, and that of a block of zeros sent to the card first; first bytes of an answer; MID in the
# CID of cards that are asked by default; resolution of the life used, in percent; source beside _SDMON.
# The layout of adata and transcend is that of Silicon Motion's controllers. Phison's controllers have many names and
# no signature, and a block is sent to the card first: after that a Transcend card had left the bus (issue 43), so no
# card is asked this by default.
_QUESTIONS = """
sandisk    0x00000001  -           4453,4457  03     1     1 is 0 to 0.99 % used
longsys    0x00000001  -           7058       ad     1
adata      0x110005f1  -           0941       1d,74  1     pull request 22; issue 44: a Transcend 460T answers so, too
transcend  0x110005f9  -           5472       74     1     transcend-information.github.io, 2023-10-18
micron     0x110005fb  -           4d45       fe     1     Micron TN-SD-02; issue 15
innodisk   0x110005fd  -           4c58       -      1
swissbit   0x53420001  -           5377       5d     1
phison     0x00000021  0x00000010  -          -      0.01  issues 30, 40 and 41
"""
# Question, figure, its bytes, the most significant first (with + they are added up), scale, most that can be, unit.
# All ones are no count, and wear is counted beyond 100 %. For nvme: NVM Express Base Specification 2.0,
# figure 208; data units are 1000 x 512 bytes.
_READINGS = """
sandisk    life_used         8              1           255                     %
sandisk    power_cycles      24-26          1           4294967294              count
longsys    life_left         47-44          1           100                     %
longsys    bad_blocks_later  23-20          1           4294967294              count
longsys    bytes_written     31-24          512         0x1000000000000000      B
longsys    bytes_left        51-48          1073741824  0x1000000000000000      B
adata      life_left         70             1           100                     %
adata      bad_blocks_later  26             1           4294967294              count
adata      erases_average    44-47          1           4294967294              count
adata      erases_rated      68-69          1           4294967294              count
adata      power_cycles      76-79          1           4294967294              count
transcend  life_left         70             1           100                     %
transcend  bad_blocks_later  26             1           4294967294              count
transcend  erases_average    47-44          1           4294967294              count
transcend  power_cycles      76-77          1           4294967294              count
micron     life_used         8              1           255                     %
micron     slc_life_used     9              1           255                     %
innodisk   bad_blocks_later  26             1           4294967294              count
innodisk   erases_average    44-47          1           4294967294              count
swissbit   life_left         80             1           100                     %
swissbit   erases_average    60-63          1           4294967294              count
swissbit   erases_rated      48-51          1           4294967294              count
swissbit   bad_blocks_later  96-99          1           4294967294              count
swissbit   power_cycles      116-119        1           4294967294              count
phison     life_left         96-97          0.01        100                     %
phison     good_blocks       64-65          0.01        100                     %
phison     erases_average    104-105,98-99  1           4294967294              count
phison     erases_total      80-83          1           4294967294              count
phison     bad_blocks_later  +184-215       1           4294967294              count
phison     power_cycles      112-115        1           4294967294              count
phison     power_losses      128-129        1           65534                   count
nvme       life_used         5              1           255                     %
nvme       spare_left        3              1           100                     %
nvme       bytes_written     63-48          512000      0x100000000000000000000 B
nvme       power_cycles      127-112        1           0x8000000000000000      count
nvme       power_losses      159-144        1           0x8000000000000000      count
nvme       media_errors      175-160        1           0x8000000000000000      count
"""


@dataclass(frozen=True)
class Reading:
    """A figure in a card's answer, as a row of _READINGS describes it: its bytes, scale, largest value and unit."""

    name: str
    places: str
    scale: float
    most: int
    unit: str

    def decode(self, block: bytes) -> float:
        raw = bytes(block[place] for place in _list_places(self.places.lstrip("+")))
        return self.scale * (sum(raw) if self.places[0] == "+" else int.from_bytes(raw, "big"))


def _list_places(text: str) -> Iterator[int]:
    for part in text.split(","):
        first, _, last = part.partition("-")
        begin, end = int(first), int(last or first)
        yield from range(begin, end + 1) if begin <= end else range(begin, end - 1, -1)


@dataclass(frozen=True)
class Answer:
    """A question to a card and how to recognize its answer, as a row of _QUESTIONS describes them."""

    argument: int
    prepare: int | None
    signatures: tuple[bytes, ...]
    makers: tuple[int, ...]
    step_percent: float
    source: str


def _answer(argument: str, prepare: str, signatures: str, makers: str, step: str, *source: str) -> Answer:
    return Answer(
        int(argument, 16),
        int(prepare, 16) if prepare != "-" else None,
        tuple(bytes.fromhex(begin) for begin in _split(signatures)),
        tuple(int(maker, 16) for maker in _split(makers)),
        json.loads(step),
        "; ".join((_SDMON, *source)),
    )


def _split(text: str) -> list[str]:
    return text.split(",") if text != "-" else []


ANSWERS: Mapping[str, Answer] = {
    name: _answer(*cells)
    for name, *cells in (line.split(maxsplit=6) for line in _QUESTIONS.strip().splitlines())
}
READINGS: dict[str, list[Reading]] = {}
for _question, _name, _bytes, _scale, _most, _unit in map(str.split, _READINGS.strip().splitlines()):
    _reading = Reading(_name, _bytes, json.loads(_scale), int(_most, 0), _unit)
    READINGS.setdefault(_question, []).append(_reading)
UNITS = {reading.name: reading.unit for readings in READINGS.values() for reading in readings}
UNITS |= {"life_used_step": "%", "reserve_used": "%", "bytes_written_since_start": "B"}


@dataclass(frozen=True)
class Health:
    """The figures that a card reports of its wear, by name, in the units of UNITS.

    `silence` says why there are none.
    """

    figures: Mapping[str, float] = field(default_factory=dict)
    source: str = ""
    silence: str = ""

    @property
    def life_used(self) -> float | None:
        """Return the used life in percent; None if the card does not report it."""
        return self.figures.get("life_used")

    @property
    def is_used_up(self) -> bool:
        """Return whether the card reports that its life or its reserve of blocks is used up."""
        reserve_is_over = self.figures.get("reserve_used", 0) >= _URGENT_PERCENT
        return reserve_is_over or (self.life_used or 0) >= USED_UP_PERCENT

    @property
    def is_near_its_end(self) -> bool:
        return self.is_used_up or (self.life_used or 0) >= NEAR_ITS_END_PERCENT


def read_emmc(tree: Sysfs, disk: str) -> Health:
    """Return the wear of an eMMC from its EXT_CSD (JEDEC JESD84-B51, 7.4.40 and 7.4.41).

    The used life is given in tenths for each of two kinds of memory, and the larger value counts; 11 means past the
    end. Of the reserve of blocks, 1 is normal, 2 means 80 % used, and 3 means 90 %, which the standard calls urgent.
    """
    words = tree.text(f"block/{disk}/device/life_time").split()
    tenths = max((number for number in map(_hexadecimal, words) if 0 < number <= 11), default=0)
    reserve = {2: 80, 3: _URGENT_PERCENT}.get(_hexadecimal(tree.text(f"block/{disk}/device/pre_eol_info")), 0)
    figures = {"life_used": 10.0 * tenths, "life_used_step": 10.0} if tenths else {}
    if reserve:
        figures["reserve_used"] = float(reserve)
    return (
        Health(figures, "EXT_CSD")
        if figures
        else Health(silence="The EXT_CSD of the card says nothing about its life.")
    )


def _hexadecimal(word: str) -> int:
    try:
        return int(word, 16)
    except ValueError:
        return 0


def read_nvme(path: Path) -> Health:
    """Return the wear of an NVMe device, such as an SD Express card, from its SMART log."""
    with asking.open_read_only(path) as device:
        return _ask_twice(lambda: asking.read_health_log(device), READINGS["nvme"], "SMART of NVMe", 1)


def ask_sd(path: Path, names: Sequence[str]) -> Health:
    """Ask an SD card the named questions of ANSWERS; return the wear from the first answer that passes all checks."""
    silences = []
    with asking.open_read_only(path) as device:
        for name in names:
            health = _ask_question(device, name)
            if health.figures:
                return health
            silences.append(health.silence)
    return Health(silence=" ".join(silences))


def find_questions(card: CardName | None) -> list[str]:
    """Return the names of the questions that cards of this maker are known to answer."""
    return [name for name, answer in ANSWERS.items() if card and card.mid in answer.makers]


def _ask_question(device: int, name: str) -> Health:
    answer = ANSWERS[name]

    def ask() -> bytes:
        if answer.prepare is not None:
            asking.send_general_command(device, answer.prepare, prepares=True)
        block = asking.send_general_command(device, answer.argument)
        if answer.signatures and not block.startswith(answer.signatures):
            raise DeviceError(f"The card does not answer like a {name} card.", code="ENODATA")
        return block

    return _ask_twice(ask, READINGS[name], f"CMD56 ({name})", answer.step_percent)


def _ask_twice(ask: Callable[[], bytes], readings: Sequence[Reading], source: str, step: float) -> Health:
    """Ask a card twice. Its answer counts only if both are equal, not all the same byte, and have possible figures."""
    try:
        blocks = ask(), ask()
    except DeviceError as error:
        return Health(silence=str(error))
    first, second = ({reading.name: reading.decode(block) for reading in readings} for block in blocks)
    if len(set(blocks[0])) == 1:
        return Health(
            silence=f"The card's answer is the byte {blocks[0][0]:#04x} and nothing else, which is not a valid answer."
        )
    if first != second:
        return Health(
            silence="The card gave two different answers to the same question, so neither is valid."
        )
    if wrong := [reading.name for reading in readings if first[reading.name] > reading.most]:
        return Health(
            silence=f"The card's answer is impossible ({wrong[0]} {first[wrong[0]]:g}), so cardbench ignores all of it."
        )
    if "life_left" in first:
        first["life_used"] = round(100 - first.pop("life_left"), 2)
    return Health(first | ({"life_used_step": step} if "life_used" in first else {}), source)


def count_written_bytes(tree: Sysfs, disk: str) -> int | None:
    """Return the bytes that this machine has written to the disk since it was connected; None if unknown."""
    counters = WorkDirectory(Path(), disk, tree).counters()
    return counters[1] if counters else None
