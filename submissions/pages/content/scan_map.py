"""Draw the scan of a card as a strip with its bad, slow and changing areas."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec
from django.utils.translation import gettext as _

from submissions.domain.report import Scan
from submissions.pages import wording

_LEAST_WIDTH = 0.4  # percent: an area of a large card would be thinner than a line


class Area(NamedTuple):
    """An area on the strip of a scan: its CSS class, place and width in percent, and words."""

    kind: str
    left: float
    width: float
    title: str
    place: str
    size: str


class ScanMap(NamedTuple):
    """The strip of a scan; `summary` is a sentence about the part that was read."""

    summary: str
    size: str
    areas: tuple[Area, ...]


def draw_scan(stored: Mapping[str, Any] | None) -> ScanMap | None:
    """Return the strip for a stored scan; None if nothing is stored."""
    if not stored:
        return None
    scan = msgspec.convert(stored, Scan)
    return ScanMap(
        _summarize(scan),
        wording.size(scan.size_bytes),
        tuple(sorted(_list_areas(scan), key=lambda area: area.left)),
    )


def _summarize(scan: Scan) -> str:
    if scan.is_whole:
        return _("The whole card was read.")
    words = {
        "share": wording.localize(scan.share_in_words),
        "gap": wording.size(scan.largest_gap_bytes),
    }
    return _("%(share)s of the card was read: a bad area larger than %(gap)s would have been found.") % words


def _list_areas(scan: Scan) -> Iterator[Area]:
    titles = {
        "bad": _("cannot be read"),
        "changed": _("different data each time"),
        "changed_in_queue": _("wrong data when several reads are in progress"),
        "slow": _("slow each time"),
    }
    for kind, title in titles.items():
        for start, length in getattr(scan, kind):
            left, width = 100 * start / scan.size_bytes, 100 * length / scan.size_bytes
            place = wording.localize(f"{start / 1e9:.3f} GB")
            yield Area(kind, left, max(width, _LEAST_WIDTH), title, place, wording.size(length))
