"""Parse the output of FFSB: a weighted mix of file operations for a set time, in several threads.

KB and MB are powers of 1024. The sums are mixed work. The operations run at the same time, so the rate of each is only
kept in `extra` of the report.
"""

from typing import Any

from submissions.domain.intake.slots import Found, Table, row

_WORKLOAD = "file-operations"


class Ffsb(Table):
    tool = "ffsb"

    def set_up(self) -> None:
        self.started = False
        self.weights: dict[str, int] = {}
        self.shares: list[str] = []  # of operations only, which newer versions print with a percentage

    def begin(self) -> None:
        """Forget the run above at a command or another tool's heading, but not at a title that FFSB prints."""
        self.started = self.started and not (self.scene.command.program or self.scene.heading)

    @row("FFSB version {tool_version:word} started…")
    def banner(self, found: Found) -> None:
        self.started, self.weights, self.shares, self.stated = True, {}, [], {}
        self.tell(found)

    @row("num_threads = {threads:count}")
    @row(r"{_name:\w{3,20}} = {_weight:count}(?: \({:number}%\))?")
    def setting(self, found: Found) -> bool:
        if "threads" in found.row.converts:
            self.stated = {"threads": found["threads"]}
        else:
            self.weights[found["_name"]] = found["_weight"]
            is_share = "%" in found.text() and found["_weight"]
            self.shares += [f"{found['_name']}:{found['_weight']}"] if is_share else []
        return self.started

    @row(
        r"{operation:\w{3,20}} : {:count} {iops:number} {:number}% {:number}% (?:{throughput:binary_rate}|NA)"
    )
    def operation(self, found: Found) -> None:
        weight = self.weights.get(found["operation"])
        known: dict[str, Any] = {"weight": weight} if weight else {}
        self.measure(_WORKLOAD, found, **known)

    @row("{_all:Read|Write} Throughput: {throughput:binary_rate}…")
    @row("{iops:number} Transactions per Second…")
    @row("Benchmark took {duration:time}")
    def sums(self, found: Found) -> bool:
        direction = {"direction": found["_all"].lower()} if "_all" in found.row.converts else {}
        if self.started:
            known: dict[str, Any] = {"weights": " ".join(self.shares)} if self.shares else {}
            self.measure("mixed", found, **known, **direction)
        return self.started

    @row(
        r"\[ ?{_call:\w{2,20}}\] {latency_min:milliseconds} {latency_mean:milliseconds}"
        " {latency_max:milliseconds} {:count}"
    )
    def call(self, found: Found) -> bool:
        if self.started:
            self.measure(_WORKLOAD, found, operation=f"{found['_call']} call")
        return self.started

    @row(r"[\w ]{3,30} = [0-9].{0,60}")
    @row(r"[0-9]{1,15} \( ?{:size}\) -> [0-9].{0,30}")
    @row(
        "(?:ThreadGroup|current utilization =|Syncing|fs setup took|Starting Actual Benchmark|FFSB benchmark) ?.{1,60}"
    )
    @row("{:number}% (?:User Time|System Time|CPU Utilization)")
    def progress(self, found: Found) -> bool:
        return self.started
