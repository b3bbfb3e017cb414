"""Storage.sh of PiBenchmarks: hdparm, dd, fio and iozone in a row, and their numbers again in a table.

Where a tool's own output stands in the same text, the table only repeats it. What the script runs is in Storage.sh:
hdparm -t --direct; dd bs=4k conv=fsync of zeros; fio libaio, O_DIRECT, 64 requests of 4 KiB in flight; iozone -e -I
with 4 KiB.
"""

import re
from collections.abc import Mapping
from typing import Any

from submissions.domain.intake.lines import decimal
from submissions.domain.intake.scene import Reader, Scene, skip

TOOL = "pibenchmarks"
_KIB, _MIB = 1024, 1024**2
_ROW = re.compile(
    r"(?:\| ?)?(HDParm|DD|FIO|IOZone)[\s|]{1,40}(Disk Read|Cached Disk Read|Disk Write|4k "
    r"(?:[Rr]andom )?(?:[Rr]ead|[Ww]rite))"
    r"[\s|]{1,40}([0-9]{1,9}(?:[.,][0-9]{1,3})?) (MB/s|KB/s|IOPS)(?:ec)?(?: \(([0-9]{1,9}) KB/s\)| IOPS| KB/s)?[\s|]*\Z"
)
_FIO = re.compile(
    r"FIO results - 4k RandWrite: ([0-9]{1,9}) IOPS \(([0-9]{1,9}) KB/s\)"
    r" - 4k RandRead: ([0-9]{1,9}) IOPS \(([0-9]{1,9}) KB/s\)"
)
# Repeated numbers, and a score that mixes units.
_REPEATS = re.compile(
    r"(?:HDParm: [0-9.]{1,9} MB/s - HDParmCached: [0-9.]{1,9} MB/s|DD Write Speed: [0-9.,]{1,9} [kMG]B/s"
    r"|RandRead: [0-9]{1,9} - RandWrite: [0-9]{1,9} - Read: [0-9]{1,9} - Write: [0-9]{1,9}|Score: [0-9]{1,9})\s*\Z"
)
_DIRECT = {"queue_depth": 1, "io": "direct"}
_DEEP = {"queue_depth": 64, "io": "direct", "block_size_bytes": 4 * _KIB, "order": "random"}
_IOZONE = _DIRECT | {"block_size_bytes": 4 * _KIB, "file_size_bytes": 80 * _MIB}
_READ, _WRITE = {"direction": "read"}, {"direction": "write"}
_END = {"sync": "fsync_at_end"}
_NO_END = {"sync": "none"}
# category and test -> the tool that ran, workload and parameters
_TESTS: dict[tuple[str, str], tuple[str, str, Mapping[str, Any]]] = {
    ("HDParm", "Disk Read"): (
        "hdparm",
        "stream",
        _READ | _DIRECT | {"order": "sequential", "block_size_bytes": 2 * _MIB},
    ),
    ("HDParm", "Cached Disk Read"): ("hdparm", "hdparm", _READ | _DIRECT),
    ("DD", "Disk Write"): (
        "dd",
        "stream",
        _WRITE
        | _END
        | {
            "order": "sequential",
            "block_size_bytes": 4 * _KIB,
            "queue_depth": 1,
            "io": "buffered",
            "data": "zeros",
        },
    ),
    ("FIO", "4k random read"): ("fio", "stream", _READ | _DEEP),
    ("FIO", "4k random write"): ("fio", "stream", _WRITE | _DEEP | _NO_END),
    ("IOZone", "4k read"): ("iozone", "stream", _READ | _IOZONE | {"order": "sequential"}),
    ("IOZone", "4k write"): ("iozone", "stream", _WRITE | _IOZONE | _END | {"order": "sequential"}),
    ("IOZone", "4k random read"): ("iozone", "stream", _READ | _IOZONE | {"order": "random"}),
    ("IOZone", "4k random write"): ("iozone", "stream", _WRITE | _IOZONE | _END | {"order": "random"}),
}
# hdparm's MB are 2^20 bytes and dd's 10^6; fio's and iozone's KB are 1024.
_UNITS = {
    ("hdparm", "MB/s"): "MiB/s",
    ("dd", "MB/s"): "MB/s",
    ("fio", "KB/s"): "KiB/s",
    ("iozone", "KB/s"): "KiB/s",
}


class PiBenchmarks(Reader):
    def __init__(self) -> None:
        self.numbers: set[tuple[str, str, float]] = set()

    def row(self, match: re.Match[str], scene: Scene) -> bool | None:
        name = match[2].lower() if match[2][0] == "4" else match[2]
        test = _TESTS.get((match[1], name))
        if not test:
            return False
        if match[4] == "IOPS":
            self._measured(test, "iops", "1/s", match, 3, scene)
            if match[5]:
                self._measured(test, "throughput", "KiB/s", match, 5, scene)
            return None
        unit = _UNITS.get((test[0], match[4]))
        if unit is None:
            return False
        self._measured(test, "throughput", unit, match, 3, scene)
        return None

    def fio(self, match: re.Match[str], scene: Scene) -> None:
        for test, group in (("4k random write", 1), ("4k random read", 3)):
            self._measured(_TESTS["FIO", test], "iops", "1/s", match, group, scene)
            self._measured(_TESTS["FIO", test], "throughput", "KiB/s", match, group + 1, scene)

    def _measured(
        self,
        test: tuple[str, str, Mapping[str, Any]],
        metric: str,
        unit: str,
        match: re.Match[str],
        group: int,
        scene: Scene,
    ) -> None:
        tool, workload, parameters = test
        value = decimal(match[group])
        number = (f"{tool} {workload} {sorted(parameters.items())}", metric, value)
        if value and tool not in scene.speaking and number not in self.numbers:
            what = (workload, metric, unit)
            scene.measured(TOOL, what, value, span=scene.span(match, group), parameters=parameters)
        self.numbers.add(number)

    rows = ((_ROW, row), (_FIO, fio), (_REPEATS, skip))
