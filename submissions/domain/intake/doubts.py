"""Find numbers in a text that are not to be believed.

Not believed are reads from memory, a last line that may be cut off, and measurements of a medium that is no card.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from submissions.domain.intake.lines import LONGEST_LINE, Line
from submissions.domain.intake.parsed import Figure
from submissions.domain.measuring import units

# The fastest bus of a card that is no PCIe: UHS-II.
_FASTEST_CARD = 312e6
_APART = 5  # times as fast as the slowest repeat of one test
_FROM_MEMORY = (
    "page_cache",
    "This was read from the host's page cache: the other repeats are many times slower.",
)
FROM_MEMORY_AGAIN = (
    "page_cache",
    "This was read from the host's page cache, because the host had just written or read the same data.",
)
# A file is read from memory above both SDR104, which few slots exceed, and so many times the rate before.
_UHS_I, _FAR_FASTER = 104e6, 3
# Commands, and notes of people, after which the host has to ask the card again.
_EMPTIES = (
    r"(?:\S{0,20}\bdrop.{0,12}caches?|--flushbufs|(?:u|re)?mount(?:ed|ing)?\b(?!/)|reboot|eject|unplug)"
)
EMPTIES_CACHE = re.compile(rf"(?:\S{{1,24}} ){{0,12}}{_EMPTIES}", re.IGNORECASE)
# Two decimals or a unit show that a number is whole; of mere digits some may be missing.
_CUT = re.compile(r"[0-9]\Z")
_TWO_DECIMALS = re.compile(r"[0-9][.,][0-9]{2,}\Z")
# Words for other media than cards: kinds, the disk of Windows (CrystalDiskMark), names of the kernel, and series of
# well-known disks.
_OTHER_MEDIUM = re.compile(
    r"(?<![^\W_])(?<!-)(SSDs?|NVMe|HDDs?|zram[0-9]?|tmpfs|ramfs|ram ?dis[ck]|iSCSI|NFS[34]?|SSHFS|CIFS|virtiofs"
    r"|SATA(?!/)|M\.2|hard drives?|\[C: [0-9.]{1,5}%"
    r"|/dev/(?:nvme|zram|ram[0-9]|shm|md[0-9]|dm-|loop[0-9]|mapper|mtd|ubi|hd[a-z]|vd[a-z]|xvd)[\w/-]{0,40}"
    r"|Seagates?|Maxtor|HGST|WDC|My Passport|Crucial X[0-9]|Samsung (?:T[1-9]|[89][4-9]0)|Intel [5-7][0-9]0p"
    r"|WD ?_?(?:Black|Blue|Green|Red)|SN[5-8][0-9]0X?|[BM]X[25]00)(?![^\W_])",
    re.IGNORECASE,
)
# Kinds of media that people also compare cards with, and that count where no card is named.
_OTHER_KIND = re.compile(
    r"(?<![^\W_])(RAID ?[0-9]{0,2}|(?:Xen|KVM|VMware|VirtualBox|Hyper-V) guests?|virtual machines?"
    r"|hard (?:drive|dis[ck])s?|Festplatten?|disques? durs?|discos? (?:duro|rígido)s?|harde schij\w{1,3}"
    r"|ж[её]стк\w{1,3} диск\w{0,3})(?![^\W_])|(云盘|云硬盘|硬盘|硬碟|ハードディスク)",
    re.IGNORECASE,
)
_SHARE = re.compile(
    r"[\w.-]{1,60}:/\S{0,80}(?=\s{1,20}[0-9.]{1,9}[KMGT]\s)"
)  # as df lists it, by host and folder
# From a question of PiBenchmarks to its user.
_EXAMPLE = "(Example: Kingston A400 SSD"
# Words of people, the kernel, udev and lsusb for media on USB, and for cards.
_USB = re.compile(r"(?<![A-Za-z])(?:USB|UAS)(?![A-Za-z])|usb-storage|removable disk", re.IGNORECASE)
_FLASH = re.compile(
    rf"{_USB.pattern}|(?<![A-Za-z/])(?:(?:micro)?-?(?:SD|TF)(?:HC|XC|UC)?|cards?|flash|stick|pen ?drive|thumb|reader)"
    r"(?![A-Za-z])|mmc|\b(?:cid|csd)\b|flashbench|\bf3|h2testw|[Kk]arte|carte|tarjeta|scheda|cartão|карт|флеш|卡|カード|U盘|카드",
    re.IGNORECASE,
)
_SOME_DISK = ("sd", "disk", "rdisk")
MAY_BE_CUT = "Is the last line complete? It ends in a digit, without a line break."


@dataclass(frozen=True, slots=True)
class Access:
    """A read or write of a file through the page cache, with its size, and its rate in bytes per second."""

    bytes: int
    rate: float
    writes: bool


class PageCache:
    """The files of a text that a host may hold in its memory.

    `since`: the last line of the previous results. If all commands precede all their results, a command that empties
    the cache counts for each result.
    """

    def __init__(self) -> None:
        self.since = 0
        self._emptied: list[int] = []
        self._held: dict[object, Access] = {}

    def empty(self, line: int) -> None:
        self._emptied.append(line)

    def find_source(self, file: object, access: Access, *, line: int) -> str:
        """Return the source of the data of an access: "card", "memory", or "" if it may be either.

        A file that was just written or read comes from memory if it is read far faster than before and than the buses
        of slots allow. A slower read comes from the card if the file was read before; if it was written, the source is
        not known.
        """
        was_emptied = bisect_right(self._emptied, line) > bisect_right(self._emptied, self.since)
        before = None if was_emptied else self._held.get(file)
        if access.writes or before is None:
            self._held[file] = access
            return "card"
        larger, slower = max(access.bytes, before.bytes), min(access.rate, before.rate)
        self._held[file] = Access(larger, slower, before.writes)
        if access.bytes > before.bytes:
            return "card"
        if access.rate > max(_UHS_I, _FAR_FASTER * before.rate):
            return "memory"
        return "" if before.writes else "card"


def reject_cached_reads(figures: Sequence[Figure]) -> Iterator[Figure]:
    """Yield the figures, with reads from the page cache as failures.

    A read comes from the page cache if it is buffered, and far faster than any card and than the slowest repeat of the
    same measurement.
    """
    slowest: dict[object, float] = {}
    for figure in filter(_is_buffered_read, figures):
        rate = figure.value_in(units.RATE)
        slowest[figure.pattern] = min(rate, slowest.get(figure.pattern, rate))
    for figure in figures:
        doubtful = _is_buffered_read(figure) and figure.value_in(units.RATE) > max(
            _FASTEST_CARD, _APART * slowest[figure.pattern]
        )
        failure, detail = _FROM_MEMORY
        yield replace(figure, value=None, failure=failure, detail=detail) if doubtful else figure


def _is_buffered_read(figure: Figure) -> bool:
    parameters = figure.parameters
    through_cache = parameters.get("io") == "buffered" and parameters.get("direction") == "read"
    return through_cache and figure.metric == "throughput" and figure.value is not None


def other_medium(lines: Iterable[Line], figures: Iterable[Figure]) -> tuple[int, str]:
    """Return the number of the first line that names another medium than a card, and that word.

    Such a line counts if a figure may be about the medium: the text does not say on which device the figure was
    measured, or only that it was a disk. Without such a line, return (0, "").
    """
    if not any(figure.subject.startswith(_SOME_DISK) or not figure.subject for figure in figures):
        return 0, ""
    lines = list(lines)
    kinds = (_OTHER_MEDIUM,) if _any_line(_FLASH, lines) else (_OTHER_MEDIUM, _OTHER_KIND)
    for line in lines:
        matches = (
            _SHARE.match(line.text, line.start),
            *(kind.search(line.text[:LONGEST_LINE]) for kind in kinds),
        )
        named = next(filter(None, matches), None)
        if named and _EXAMPLE not in line.text:
            return line.number, named[0]
    return 0, ""


def unknown_disk(lines: Iterable[Line], figures: Iterable[Figure]) -> tuple[int, str]:
    """Return line and name of the first measured disk of an unknown kind, (0, "") if the text names a kind."""
    on_disk = next((figure for figure in figures if figure.subject.startswith("sd")), None)
    if on_disk is None or _any_line(_FLASH, lines):
        return 0, ""
    return on_disk.span.line, on_disk.subject


def is_on_usb(lines: Iterable[Line]) -> bool:
    return _any_line(_USB, lines)


def _any_line(pattern: re.Pattern[str], lines: Iterable[Line]) -> bool:
    return any(pattern.search(line.text) for line in lines if len(line.text) <= LONGEST_LINE)


def cut_line(lines: Sequence[Line], figures: Iterable[Figure]) -> int:
    """Return the number of the last line if it may end within a number that was measured, else 0."""
    last = lines[-1]
    may_be_cut = _CUT.search(last.text) and not _TWO_DECIMALS.search(last.text)
    return last.number if may_be_cut and any(f.span.line == last.number for f in figures) else 0
