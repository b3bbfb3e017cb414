"""FFSB: a mix of file operations for a set time. KB and MB are powers of 1024; all of it is kept beside the report.

Its operations run at the same time, in several threads, with a weight each and through the file system: none of them is
a figure of a card alone.
"""

import re

from submissions.domain.intake.scene import Reader, Scene

TOOL = "ffsb"
_BANNER = re.compile(r"FFSB version ([0-9A-Za-z.-]{1,20}) started")
_OPERATION = re.compile(
    r"(\w{3,20}) :\s{1,20}([0-9]{1,12})\s{1,20}([0-9]{1,9}\.[0-9]{1,3})\s{1,20}[0-9.]{1,8}%\s{1,20}[0-9.]{1,8}%\s{1,20}"
    r"(?:([0-9]{1,7}(?:\.[0-9]{1,3})?)([KMG]?B)/sec|NA)\s*\Z"
)
_TOTAL = re.compile(r"(Read|Write) Throughput: ([0-9]{1,7}(?:\.[0-9]{1,3})?)([KMG]?B)/sec")
_TRANSACTIONS = re.compile(r"([0-9]{1,9}\.[0-9]{1,3}) Transactions per Second")
_CALL = re.compile(
    r"\[\s{0,12}(\w{2,20})\]\s{1,9}([0-9.]{1,16})\s{1,9}([0-9.]{1,16})\s{1,9}([0-9.]{1,16})\s{1,24}[0-9]{1,12}\s*\Z"
)
_WEIGHT = re.compile(r"(num_threads|\w{3,20})\s{0,12}= ([0-9]{1,6})(?: \([0-9.]{1,8}%\))?\s*\Z")
_TIME = re.compile(r"Benchmark took ([0-9]{1,9}(?:\.[0-9]{1,3})?) sec\s*\Z")
_SETTING = re.compile(
    r"(?:[\w ]{3,30}\s{0,9}= [0-9].{0,60}|[0-9]{1,15} \(\s{0,9}[0-9.]{1,9}[KMG]?B\) -> [0-9].{0,30}"
    r"|ThreadGroup [0-9]{1,5}"
    r"|current utilization = .{1,20}|Syncing\(\).{1,20}|fs setup took .{1,20}"
    r"|[0-9.]{1,8}% (?:User   Time|System Time|CPU Utilization)|(?:Starting Actual|FFSB) [Bb]enchmark .{1,60})\Z"
)
_UNITS = {"B": "B/s", "KB": "KiB/s", "MB": "MiB/s", "GB": "GiB/s"}


class Ffsb(Reader):
    def __init__(self) -> None:
        self.started = False
        self.weights: dict[str, int] = {}

    def begin(self, scene: Scene) -> None:
        """Another command ends it; its own titles do not."""
        self.started = self.started and not (scene.command.program or scene.heading)

    def banner(self, match: re.Match[str], scene: Scene) -> None:
        self.started, self.weights = True, {}
        scene.add_fact(TOOL, "tool_version", match[1], span=scene.span(match, 1))

    def operation(self, match: re.Match[str], scene: Scene) -> None:
        self._kept("iops", "1/s", match[3], match[1], match, scene)
        if match[4]:
            self._kept("throughput", _UNITS[match[5]], match[4], match[1], match, scene)

    def total(self, match: re.Match[str], scene: Scene) -> bool | None:
        if not self.started:
            return False
        self._kept("throughput", _UNITS[match[3]], match[2], f"all {match[1].lower()}s", match, scene)
        return None

    def transactions(self, match: re.Match[str], scene: Scene) -> None:
        self._kept("iops", "1/s", match[1], "all", match, scene)

    def weight(self, match: re.Match[str], scene: Scene) -> bool | None:
        self.weights[match[1]] = int(match[2])
        return None if self.started else False

    def time(self, match: re.Match[str], scene: Scene) -> None:
        self._kept("duration", "s", match[1], "all", match, scene)

    def call(self, match: re.Match[str], scene: Scene) -> bool | None:
        if not self.started:
            return False
        for group, metric in ((2, "latency_min"), (3, "latency_mean"), (4, "latency_max")):
            self._kept(metric, "ms", match[group], f"{match[1]} call", match, scene)
        return None

    def setting(self, match: re.Match[str], scene: Scene) -> bool | None:
        return None if self.started else False

    def _kept(
        self, metric: str, unit: str, printed: str, operation: str, match: re.Match[str], scene: Scene
    ) -> None:
        known = {"threads": self.weights.get("num_threads"), "weight": self.weights.get(operation)}
        parameters = {name: value for name, value in known.items() if value} | {"operation": operation}
        scene.printed(TOOL, ("file-operations", metric, unit), printed, match, **parameters)

    rows = (
        (_BANNER, banner),
        (_OPERATION, operation),
        (_TOTAL, total),
        (_TRANSACTIONS, transactions),
        (_CALL, call),
        (_TIME, time),
        (_WEIGHT, weight),
        (_SETTING, setting),
    )
