"""Parse the output of f3write, f3read and f3probe: the real capacity of a card.

Sizes and speeds are powers of 1024 (f3 libutils.c). A speed is the average over all files, in chunks of changing size:
no figure of a report, so it is only kept in `extra`. f3probe finds a capacity. f3read finds one only if it finds
losses, and more than a few unless the card was full. If its sums are missing because the text is cut, the numbers of
the files are added up instead.
"""

from collections import Counter

from submissions.domain.intake.parsed import Span
from submissions.domain.intake.readers.h2testw import FEW, is_promised
from submissions.domain.intake.slots import (
    TYPES,
    Found,
    Table,
    count_bytes,
    fact,
    figure,
    noise,
    row,
    spell_unit,
)

_SECTOR = 512
_OF_FILES = ("ok_bytes", "corrupted_bytes", "changed_bytes", "overwritten_bytes")
_NAMES = {
    "Usable size": "usable_size_bytes",
    "Announced size": "announced_size_bytes",
    "Approximate cache size": "cache_size_bytes",
    "Data OK": "ok_bytes",
    "Data LOST": "lost_bytes",
    "Corrupted": "corrupted_bytes",
    "Slightly changed": "changed_bytes",
    "Overwritten": "overwritten_bytes",
}
_TYPES = TYPES | {
    "name": (r"\*?Usable\*? size|" + "|".join(_NAMES), lambda text: _NAMES[text.replace("*", "")])
}


class F3(Table):
    types = _TYPES
    tool = "f3"

    def set_up(self) -> None:
        self.kind, self.free_bytes = "", 0

    def begin(self) -> None:
        self.files, self.files_at = Counter[str](), Span(0, 0, 0)
        self.ok_bytes, self.summed = 0, set[str]()

    def end(self) -> None:
        missing = () if "lost_bytes" in self.summed else self.files.keys() - self.summed
        for name in sorted(missing):
            self.scene.add_fact(self.tool, name, self.files[name], span=self.files_at)
        self.begin()

    def begin_files(self, _found: Found) -> None:
        self.end()

    def file(self, found: Found) -> None:
        self.files.update({name: found[name] * _SECTOR for name in _OF_FILES})
        self.files_at = self.span(found)

    @row("Free space: {free:binary_size}")
    def free(self, found: Found) -> None:
        self.free_bytes = found["free"]

    @row(
        r"{name:name}:(?: {about:number} {unit:Byte|[KMGT]B})?(?: \(?{sectors:count} (?:blocks|sectors)\)?)?"
        r"(?:, need-reset=\w{2,3})?"
    )
    def size(self, found: Found) -> bool | None:
        """Add a size that f3 printed: in exact bytes if it also printed blocks, else rounded.

        Return False if the blocks contradict the rounded size.
        """
        unit = spell_unit(found["unit"] or "Byte", binary=True)
        about, one = count_bytes(found["about"] or 0, unit), count_bytes(1, unit)
        self.summed.add(found["name"])
        if found["sectors"] is None:
            self.add(f"about_{found['name']}", about, found)
            return None
        exact = found["sectors"] * _SECTOR
        if found["unit"] and abs(exact - about) > 0.0051 * one:
            return False
        self.add(found["name"], exact, found)
        self._capacity(found["name"], exact, found)
        return None

    def _capacity(self, name: str, size_bytes: int, found: Found) -> None:
        if name == "ok_bytes":
            self.ok_bytes = size_bytes
        elif name == "lost_bytes" and size_bytes:
            tested = self.ok_bytes + size_bytes
            if "ok_bytes" not in self.summed:
                self.add_loss(found)
            elif size_bytes > FEW * tested or (is_promised(tested) and self.free_bytes <= tested):
                self.add_capacity(self.ok_bytes, found)
        elif name == "usable_size_bytes" and self.kind:
            self.add_capacity(size_bytes, found, capacity_kind=self.kind)

    @row(
        "(?:Bad|Good) news: The device .{1,60}? is"
        " (?:a counterfeit of type {fake:limbo|wraparound|chain}|{damaged:damaged}|the real thing)…"
    )
    def verdict(self, found: Found) -> None:
        self.kind = found["fake"] or found["damaged"] or "good"
        self.add("capacity_verdict", self.kind, found)

    lines = (
        figure("(?i:Average {direction:access} speed: {throughput:binary_rate})…", "fill"),
        fact(r"F3 (?:write|read|probe) {tool_version:[0-9]{1,3}\.[0-9]{1,3}}"),
        (
            r"Validating file {:count}\.(?:h2w|fff) ?\.{3}"
            + " ?/".join(f" ?{{{name}:count}}" for name in _OF_FILES)
            + "…",
            file,
        ),
        ("SECTORS ok/corrupted/changed/overwritten", begin_files),
        # Progress.
        *noise(
            r"(?:Creating|Validating|Removing old) file [0-9]{1,5}\.(?:h2w|fff).{0,160}",
            r"Module: {:number} \w{2,4}(?: \(2\^[0-9]{1,3} Bytes\))?",
            "(?:Physical block size|Probe time): .{1,40}",
            r"(?:Read|Write|Reset): \S{1,12} / [0-9]{1,12} [=-] \S{1,12}",
            "(?:Device geometry|Operation: total time / count = avg time).{0,9}",
            "Probe finished, recovering blocks\\.\\.\\..{0,20}",
            'You can "fix" this device using the following command.{0,40}',
            r"f3fix --last-sec=[0-9]{1,14} /dev/\S{1,20}",
            # The authors of f3, and how long a test may take.
            r"Copyright \(C\) 2010 Digirati.{0,60}",
            "This is free software; see the source for copying conditions.{0,20}",
            "WARNING: Probing normally takes from a few seconds to 15 minutes.{0,20}",
            "it can take longer. Please be patient.{0,9}",
            # The possible cause of an error.
            "The write error above may be due to your memory card overheating",
            "under constant, maximum write rate. You can test this hypothesis",
            "touching your memory card. If it is hot, you can try f3write",
            "to limit the maximum write rate to 2MB/s, or another suitable rate.",
        ),
    )
