"""What a card says of its own wear: a table of answers, a row for each maker, and how an answer is believed.

No standard of SD names any of it. A row is used only for cards of makers it is known of, and an answer counts only
with its signature, with figures that can be, and when it is the same twice: cards that do not know the question have
answered with zeros, with ones, and with whatever was left in their memory (sdmon, issues 14, 42 and 43).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cardbench.errors import DeviceError
from cardbench.target import asking
from cardbench.target.registers import CardName
from cardbench.target.surface import WorkDirectory
from cardbench.target.sysfs import Sysfs

NEAR_ITS_END_PERCENT, USED_UP_PERCENT = 90, 100
_URGENT_PERCENT = 90  # of the reserve of an eMMC
_SECTOR_BYTES, _GIB = 512, 1024**3
_MOST_PERCENT = 255  # a byte; wear goes on being counted beyond 100
_MOST_COUNT = 2**32 - 2  # all ones are no count


@dataclass(frozen=True)
class Reading:
    """A figure in an answer. `places`: of its bytes, the most significant first; `adds` them up instead."""

    name: str
    places: Sequence[int]
    scale: float = 1
    most: float = _MOST_COUNT
    unit: str = "count"
    adds: bool = False

    def of(self, block: bytes) -> float:
        raw = [block[place] for place in self.places]
        return self.scale * (sum(raw) if self.adds else int.from_bytes(bytes(raw), "big"))


def _big(at: int, width: int) -> range:
    return range(at, at + width)


def _little(at: int, width: int) -> range:
    return range(at + width - 1, at - 1, -1)


def _used(places: Sequence[int]) -> Reading:
    return Reading("life_used", places, most=_MOST_PERCENT, unit="%")


def _left(places: Sequence[int], scale: float = 1) -> Reading:
    return Reading("life_left", places, scale, 100, "%")


@dataclass(frozen=True)
class Answer:
    """One kind of answer. `makers`: MID of the CID, of those whose cards are asked unbidden; `step_percent`: how
    finely it tells the life used."""

    argument: int
    signatures: tuple[bytes, ...]
    readings: tuple[Reading, ...]
    makers: tuple[int, ...]
    source: str
    step_percent: float = 1
    prepare: int | None = None  # the argument of a block of zeros that goes to the card first


# The layout of Silicon Motion's controllers, as ADATA and Transcend sell them.
_SDMON = "sdmon, src/sdmon.c at 0.9.0 (github.com/Ognian/sdmon)"
ANSWERS: Mapping[str, Answer] = {
    "sandisk": Answer(
        0x00000001,
        (b"DS", b"DW"),
        (_used([8]), Reading("power_cycles", _big(24, 3))),
        (0x03,),
        f"{_SDMON}; 1 is 0 to 0.99 % used",
    ),
    "longsys": Answer(
        0x00000001,
        (b"\x70\x58",),
        (
            _left(_little(44, 4)),
            Reading("bad_blocks_later", _little(20, 4)),
            Reading("bytes_written", _little(24, 8), _SECTOR_BYTES, 2**60, "B"),
            Reading("bytes_left", _little(48, 4), _GIB, 2**60, "B"),
        ),
        (0xAD,),
        _SDMON,
    ),
    "adata": Answer(
        0x110005F1,
        (b"\x09\x41",),
        (
            _left([70]),
            Reading("bad_blocks_later", [26]),
            Reading("erases_average", _big(44, 4)),
            Reading("erases_rated", _big(68, 2)),
            Reading("power_cycles", _big(76, 4)),
        ),
        (0x1D, 0x74),
        f"{_SDMON}, pull request 22; issue 44: a Transcend 460T answers so, too",
    ),
    "transcend": Answer(
        0x110005F9,
        (b"Tr",),
        (
            _left([70]),
            Reading("bad_blocks_later", [26]),
            Reading("erases_average", _little(44, 4)),
            Reading("power_cycles", _big(76, 2)),
        ),
        (0x74,),
        f"{_SDMON}; transcend-information.github.io, 2023-10-18",
    ),
    "micron": Answer(
        0x110005FB,
        (b"ME",),
        (_used([8]), Reading("slc_life_used", [9], most=_MOST_PERCENT, unit="%")),
        (0xFE,),
        f"Micron TN-SD-02; {_SDMON}, issue 15",
    ),
    "innodisk": Answer(
        0x110005FD,
        (b"LX",),
        (Reading("bad_blocks_later", [26]), Reading("erases_average", _big(44, 4))),
        (),
        _SDMON,
    ),
    "swissbit": Answer(
        0x53420001,
        (b"Sw",),
        (
            _left([80]),
            Reading("erases_average", _big(60, 4)),
            Reading("erases_rated", _big(48, 4)),
            Reading("bad_blocks_later", _big(96, 4)),
            Reading("power_cycles", _big(116, 4)),
        ),
        (0x5D,),
        _SDMON,
    ),
    # Phison's controllers under many names. It has no signature, and a block is sent to the card first: after that
    # a Transcend card had left the bus (issue 43), so no card is asked this unbidden.
    "phison": Answer(
        0x00000021,
        (),
        (
            _left(_big(96, 2), 0.01),
            Reading("good_blocks", _big(64, 2), 0.01, 100, "%"),
            Reading("erases_average", (104, 105, 98, 99)),
            Reading("erases_total", _big(80, 4)),
            Reading("bad_blocks_later", _big(184, 32), adds=True),
            Reading("power_cycles", _big(112, 4)),
            Reading("power_losses", _big(128, 2), most=65534),
        ),
        (),
        f"{_SDMON}; issues 30, 40 and 41",
        0.01,
        prepare=0x00000010,
    ),
}
# NVM Express Base Specification 2.0, figure 208; data units are 1000 x 512 bytes.
_NVME = (
    _used([5]),
    Reading("spare_left", [3], most=100, unit="%"),
    Reading("bytes_written", _little(48, 16), 512_000, 2**80, "B"),
    Reading("power_cycles", _little(112, 16), most=2**63),
    Reading("power_losses", _little(144, 16), most=2**63),
    Reading("media_errors", _little(160, 16), most=2**63),
)
UNITS = {
    reading.name: reading.unit
    for answer in (*(answer.readings for answer in ANSWERS.values()), _NVME)
    for reading in answer
} | {"life_used": "%", "life_used_step": "%", "reserve_used": "%", "bytes_written_since_start": "B"}


@dataclass(frozen=True)
class Health:
    """What a card says of itself: name -> figure in its unit of UNITS; `silence` says why it is nothing."""

    figures: Mapping[str, float] = field(default_factory=dict)
    source: str = ""
    silence: str = ""

    @property
    def life_used(self) -> float | None:
        """Percent; None when the card does not say."""
        return self.figures.get("life_used")

    @property
    def is_used_up(self) -> bool:
        """Whether it says that its life or its reserve is over."""
        reserve_is_over = self.figures.get("reserve_used", 0) >= _URGENT_PERCENT
        return reserve_is_over or (self.life_used or 0) >= USED_UP_PERCENT

    @property
    def is_near_its_end(self) -> bool:
        return self.is_used_up or (self.life_used or 0) >= NEAR_ITS_END_PERCENT


def of_emmc(tree: Sysfs, disk: str) -> Health:
    """EXT_CSD of JEDEC JESD84-B51, 7.4.40 and 7.4.41: two kinds of memory in tenths, 11 is past the end; and the
    reserve: 1 normal, 2 means 80 % used, 3 means 90 %, which the standard calls urgent."""
    words = tree.text(f"block/{disk}/device/life_time").split()
    tenths = max((number for number in map(_hexadecimal, words) if 0 < number <= 11), default=0)
    reserve = {2: 80, 3: _URGENT_PERCENT}.get(_hexadecimal(tree.text(f"block/{disk}/device/pre_eol_info")), 0)
    figures = {"life_used": 10.0 * tenths, "life_used_step": 10.0} if tenths else {}
    if reserve:
        figures["reserve_used"] = float(reserve)
    return Health(figures, "EXT_CSD") if figures else Health(silence="Its EXT_CSD says nothing of its life.")


def _hexadecimal(word: str) -> int:
    try:
        return int(word, 16)
    except ValueError:
        return 0


def of_nvme(path: Path) -> Health:
    """SMART of an NVMe device, which SD Express cards are."""
    with asking.opened(path) as device:
        return _twice(lambda: asking.health_log(device), _NVME, "SMART of NVMe", 1)


def of_sd(path: Path, names: Sequence[str]) -> Health:
    """What an SD card answers to these questions of ANSWERS; the first answer that can be believed counts."""
    silences = []
    with asking.opened(path) as device:
        for name in names:
            health = _of_answer(device, name)
            if health.figures:
                return health
            silences.append(health.silence)
    return Health(silence=" ".join(silences))


def known_of(card: CardName | None) -> list[str]:
    """The questions that cards of this maker are known to answer."""
    return [name for name, answer in ANSWERS.items() if card and card.mid in answer.makers]


def _of_answer(device: int, name: str) -> Health:
    answer = ANSWERS[name]

    def ask() -> bytes:
        if answer.prepare is not None:
            asking.general_command(device, answer.prepare, prepares=True)
        block = asking.general_command(device, answer.argument)
        if answer.signatures and not block.startswith(answer.signatures):
            raise DeviceError(f"It does not answer as cards of {name} do.", code="ENODATA")
        return block

    return _twice(ask, answer.readings, f"CMD56 ({name})", answer.step_percent)


def _twice(ask: Callable[[], bytes], readings: Sequence[Reading], source: str, step: float) -> Health:
    """An answer counts that is the same twice, is not all the same byte, and holds only what can be."""
    try:
        blocks = ask(), ask()
    except DeviceError as error:
        return Health(silence=str(error))
    first, second = ({reading.name: reading.of(block) for reading in readings} for block in blocks)
    if len(set(blocks[0])) == 1:
        return Health(
            silence=f"Its answer is the byte {blocks[0][0]:#04x} and nothing else, which is no answer."
        )
    if first != second:
        return Health(silence="Asked twice, it answered differently, which is no answer.")
    if wrong := [reading.name for reading in readings if first[reading.name] > reading.most]:
        return Health(
            silence=f"Its answer cannot be ({wrong[0]} {first[wrong[0]]:g}), so none of it is taken."
        )
    if "life_left" in first:
        first["life_used"] = round(100 - first.pop("life_left"), 2)
    return Health(first | ({"life_used_step": step} if "life_used" in first else {}), source)


def written_since_start(tree: Sysfs, disk: str) -> int | None:
    """Bytes that this machine has written to the disk since it is there."""
    counters = WorkDirectory(Path(), disk, tree).counters()
    return counters[1] if counters else None
