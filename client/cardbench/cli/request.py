"""Classes of options that several commands share; an instance is made once from the command line."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from cardbench.cli.label import FIELDS, read
from cardbench.cli.options import argument, file_size_bytes, flag, option, positive, size_bytes, weights
from cardbench.measuring.suites import SUITES, WORKLOADS, Choice
from cardbench.server.request import ATTEMPTS, DEFAULT_SERVER, Server
from cardbench.shapes import JsonDict
from cardbench.target.safety import Consent
from cardbench.target.sysfs import Sysfs

CONDITIONS = ("fresh", "filled", "trimmed", "used", "unknown")


@dataclass(frozen=True)
class Request:
    """The options of all commands.

    `titles` gives the options of a base class a group with this title on the help page.
    """

    titles: ClassVar[dict[str, str]] = {
        "FlashbenchOptions": "with --suite flashbench",
        "Claims": "about the card",
    }
    json: bool = flag("print JSON on standard output, and show no progress")


@dataclass(frozen=True)
class SystemRequest(Request):
    """The option for the directory in which Linux describes block devices."""

    sysfs: Sysfs = option(
        Sysfs(),
        "read the card's identity from this sysfs directory",
        type=lambda root: Sysfs(Path(root)),
        metavar="ROOT",
    )


@dataclass(frozen=True)
class TargetRequest(SystemRequest):
    """The argument for the target of a measurement, and the option for the engine that reads and writes it."""

    target: str = argument("DEVICE|DIRECTORY|FILE")
    engine: str | None = option(
        None, "a program that uses the protocol in engine/PROTOCOL.md", metavar="COMMAND"
    )


@dataclass(frozen=True)
class SuiteRequest(Request):
    """The options that choose measurements."""

    workload: tuple[str, ...] = option(
        (),
        "run only this workload, whatever the suite; can be repeated",
        action="append",
        choices=WORKLOADS,
    )
    file_count: int | None = option(
        None, "number of files, for workloads that use whole files", type=positive, metavar="N"
    )
    file_size: tuple[int, ...] = option(
        (),
        "size of each of these files; repeat it to test several sizes in turn",
        action="append",
        type=file_size_bytes,
        metavar="BYTES",
    )
    threads: int | None = option(
        None, "number of threads, for the workload “mixed”", type=positive, metavar="N"
    )
    weights: str = option(
        "",
        "how often the workload “mixed” does each action, such as create:4,append:3,read:2,delete:1",
        type=weights,
    )
    suite: str = option(
        "quick",
        "“standard” also finds the erase block, the page and more; “full” runs everything; default:"
        " %(default)s",
        choices=sorted(SUITES),
    )

    all: bool = flag("show every figure before the summary")

    @property
    def choice(self) -> Choice:
        """Return the measurements that the options choose."""
        return Choice(self.suite, self.workload, self.file_count, self.file_size, self.threads, self.weights)


@dataclass(frozen=True)
class FlashbenchOptions(Request):
    """The options for sizes and counts of flashbench's own patterns."""

    erase_size: int | None = option(
        None,
        "erase block size; default: the size that the card prefers, or 4M",
        type=size_bytes,
        metavar="BYTES",
    )
    block_size: int | None = option(
        None, "smallest block size; default: 16K", type=size_bytes, metavar="BYTES"
    )
    open_au_nr: tuple[int, ...] = option(
        (),
        "test only this number of open units; default: 1, 2, 3, … until the speed collapses",
        type=positive,
        action="append",
        metavar="N",
    )


@dataclass(frozen=True)
class ServerRequest(Request):
    """The options that name a server and the user's token."""

    server: str = option(
        os.environ.get("CARDBENCH_SERVER", DEFAULT_SERVER),
        "default: $CARDBENCH_SERVER, or else %(default)s",
        metavar="URL",
    )
    token: str = option(os.environ.get("CARDBENCH_TOKEN", ""), "default: $CARDBENCH_TOKEN")


@dataclass(frozen=True)
class SendingRequest(ServerRequest):
    """The options for sending reports to a server."""

    attempts: int = option(
        ATTEMPTS, "how often to try to send (default: %(default)s)", type=positive, metavar="N"
    )
    even_if_no_card: bool = flag(
        "send the report although it does not seem to be about a card, or not about the card on the label; a"
        " server does not rank it"
    )

    @property
    def site(self) -> Server:
        """Return the server to which the reports are sent."""
        return Server(self.server, self.token, self.attempts)


@dataclass(frozen=True)
class SharingRequest(SendingRequest):
    """The options that save a report, and send it if asked to."""

    output: Path | None = None
    submit: bool = flag(
        "send the report to the server afterwards; “submit --dry-run” prints what would be sent"
    )


def output_option(default: str) -> Any:
    """Return the field of the option -o, which saves a report."""
    return option(None, f"save the report here; {default}", "-o", type=Path, metavar="FILE")


@dataclass(frozen=True)
class Permission(Request):
    """The options that permit overwriting a device or a file."""

    destructive: bool = flag("also write to the device: everything on it will be lost")
    yes: bool = flag("do not ask for confirmation; requires --confirm-size or --confirm-serial")
    confirm_serial: str = option("", "serial number of the device that may be overwritten", metavar="HEX")
    confirm_size: int | None = option(
        None, "exact size of the device that may be overwritten", type=int, metavar="BYTES"
    )
    even_if_fixed: bool = flag("allow writing although the device is neither removable nor an SD or MMC card")

    @property
    def consent(self) -> Consent:
        """Return the consent that the user gave in advance by options."""
        return Consent(self.yes, self.confirm_size, self.confirm_serial)


def _label_option(name: str) -> Any:
    reader, meaning = FIELDS[name]
    return option(None, meaning, type=reader, metavar="TEXT")


_OWN_OPTIONS = ("brand", "line", "model_number", "capacity_gb")
_OTHERS = ", ".join(
    f"{name} ({meaning})" for name, (_, meaning) in FIELDS.items() if name not in _OWN_OPTIONS
)


@dataclass(frozen=True)
class Claims(Request):
    """The options by which the user describes a card, such as its label."""

    brand: str | None = _label_option("brand")
    line: str | None = _label_option("line")
    model_number: str | None = _label_option("model_number")
    capacity_gb: float | None = _label_option("capacity_gb")
    label: tuple[tuple[str, Any], ...] = option(
        (),
        f"anything else about the card: {_OTHERS}; can be repeated",
        action="append",
        type=read,
        metavar="NAME=VALUE",
    )
    condition: str = option("unknown", "condition of the card before the run", choices=CONDITIONS)
    specimen: str = option(
        "", 'your name for this card, to tell cards without a CID apart, such as "card 5"', metavar="TEXT"
    )
    note: str = option("", "a note for readers of the report", metavar="TEXT")

    @property
    def label_fields(self) -> dict[str, Any]:
        """Return the label from all options, with the field names of a report.

        If a field is given twice, the last one counts.
        """
        typed = {name: getattr(self, name) for name in _OWN_OPTIONS} | dict(self.label)
        label = {name: value for name, value in typed.items() if value}
        if "price" in label:
            label["price"], label["currency"] = label["price"]
        return label

    @property
    def claims(self) -> dict[str, Any]:
        """Return the description of the card by the user, with the field names of a report."""
        specimen = {"specimen": self.specimen} if self.specimen else {}
        return {"label": self.label_fields, "condition": self.condition} | specimen

    def describe(self, card: JsonDict) -> JsonDict:
        """Return the card of a report with the user's description added; fields without one stay as they are."""
        said = {name: value for name, value in self.claims.items() if value and value != "unknown"}
        return (
            card | said | ({"label": card.get("label", {}) | self.label_fields} if self.label_fields else {})
        )

    @property
    def note_field(self) -> dict[str, str]:
        """Return the note of the user as a field of a report; empty without a note."""
        return {"note": self.note} if self.note else {}


@dataclass(frozen=True)
class CardRequest(Claims, SystemRequest):
    """The options that describe a card in this machine."""


@dataclass(frozen=True)
class MeasureRequest(SuiteRequest, SharingRequest, TargetRequest, FlashbenchOptions, Permission, CardRequest):
    """The options of commands that measure one target."""

    resume: Path | None = None
    own_mount: bool = False  # the target is a file system that was made and mounted for this


@dataclass(frozen=True)
class RunRequest(MeasureRequest):
    """The options of the command `run`."""

    titles = Request.titles | {"Permission": "writing to a device or a file"}
    target: str = argument("DEVICE|DIRECTORY|FILE", "in a directory, cardbench measures a temporary file")
    output: Path | None = output_option("default: cardbench-DATE-TIME.json; with --json, do not save it")
    resume: Path | None = option(
        None,
        "continue an interrupted run, without repeating the measurements in its report",
        type=Path,
        metavar="REPORT",
    )
