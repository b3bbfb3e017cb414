"""The commands `health` and `watch`: show the wear that a card reports, once or day by day."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cardbench.cli import reports, subject, textfile
from cardbench.cli.disks import find_block, find_disk, find_path
from cardbench.cli.options import argument, flag, option
from cardbench.cli.request import CardRequest, SharingRequest, output_option
from cardbench.cli.terminal import print_json, say, write
from cardbench.errors import UsageError
from cardbench.measuring import report, wear
from cardbench.target import health, identity, safety
from cardbench.target.health import Health
from cardbench.target.registers import name_of
from cardbench.target.sysfs import Sysfs

BAD = 7  # exit status
_WARN_DAYS = 90
_SEND_DAYS = 30
_TITLES = {
    "spare_left": "spare blocks left",
    "reserve_used": "spare blocks used",
    "good_blocks": "good blocks",
    "bad_blocks_later": "blocks that have gone bad",
    "erases_average": "times each block was erased, on average",
    "erases_rated": "times each block can be erased, as rated",
    "erases_total": "blocks erased",
    "slc_life_used": "life used in the fast (SLC) part of the card",
    "power_cycles": "times the card was powered on",
    "power_losses": "times the card lost power without warning",
    "media_errors": "memory errors",
    "bytes_written": "data written to the card in its lifetime",
    "bytes_left": "data that can still be written to the card",
    "bytes_written_since_start": "data written since the card was inserted or the machine was started",
}


@dataclass(frozen=True)
class AskingRequest(SharingRequest, CardRequest):
    """The options that choose a card and the way to ask for its health."""

    device: str = argument(
        "DEVICE|DIRECTORY", "a disk such as mmcblk0, or a directory on it; not in a card reader"
    )
    ask: str | None = option(
        None,
        f"use this maker's command: {', '.join(sorted(health.ANSWERS))}",
        choices=sorted(health.ANSWERS),
        metavar="MAKER",
    )
    even_if_mounted: bool = flag("read the health of a card that is in use (a few cards hang then)")


@dataclass(frozen=True)
class HealthRequest(AskingRequest):
    """The options of the command `health`."""

    output: Path | None = output_option("default: do not save it")
    textfile: Path | None = option(
        None,
        "also write the figures to this file for Prometheus' node_exporter",
        type=Path,
        metavar="FILE.prom",
    )


@dataclass(frozen=True)
class WatchRequest(AskingRequest):
    """The options of the command `watch`."""

    history: Path | None = option(
        None, "default: /var/lib/cardbench, or a directory in your home", type=Path, metavar="DIRECTORY"
    )
    print: str | None = option(
        None, "only print a timer that runs this command every day", choices=("systemd", "cron")
    )


def show_health(request: HealthRequest) -> int:
    """Print the wear that a card reports. Return the exit status 0, or 7 if its life is over or nearly over."""
    disk, found = _look(request)
    document = _compose(request, disk, found)
    if request.json:
        print_json(document)
    else:
        write("\n".join(_lines(found)))
    if request.textfile:
        report.save(request.textfile, textfile.write(disk, found).encode())
    return reports.save_and_send(document, request) or (BAD if found.is_near_its_end else 0)


def watch(request: WatchRequest) -> int:
    """Add a reading to the history of a card's wear. Return the exit status 0, or 7 if the end of its life is near."""
    if request.print:
        write(_timer(request), end="")
        return 0
    disk, found = _look(request)
    tree, path = request.sysfs, _history_path(request, disk)
    before = wear.load(path)
    points = wear.add_reading(before, _point(tree, disk, found))
    wear.save(path, points)
    is_near = found.is_near_its_end or _ends_soon(points)
    _print_watched(found, points, is_near=is_near, as_json=request.json)
    status = 0
    if request.submit and _is_worth_sending(before, points[-1]):
        status = reports.save_and_send(_compose(request, disk, found), request)
    return status or (BAD if is_near else 0)


def _ends_soon(points: list[wear.Point]) -> bool:
    left = wear.estimate_remaining(points)
    return left is not None and left.shortest_days < _WARN_DAYS


def _print_watched(found: Health, points: list[wear.Point], *, is_near: bool, as_json: bool) -> None:
    left = wear.estimate_remaining(points)
    said = [sentence(found) if found.life_used is not None else f"{found.silence} {_describe_writes(points)}"]
    said += [left.words()] if left else []
    if as_json:
        days = {"days_left": [left.shortest_days, left.longest_days]} if left else {}
        answer = {"life_used_percent": found.life_used, "near_its_end": is_near, "said": said}
        answer["written_bytes"] = points[-1].bytes_written - points[0].bytes_written
        print_json(answer | days)
        return
    write("\n  ".join(said))
    if is_near:
        say("  Copy your files off it, and have a spare card ready.")


def _describe_writes(points: list[wear.Point]) -> str:
    written = points[-1].bytes_written - points[0].bytes_written
    days = (points[-1].time_s - points[0].time_s) // wear.DAY_S
    if not days:
        return "From now on, cardbench counts how much is written to the card."
    return f"In {days} days, {written / 1e9:.1f} GB were written to the card."


def _is_worth_sending(before: list[wear.Point], now: wear.Point) -> bool:
    # True for a new value of the wear, and for the first reading of a month.
    if not before or before[-1].life_used != now.life_used:
        return True
    month = _SEND_DAYS * wear.DAY_S
    return before[-1].time_s // month != now.time_s // month


def _look(request: AskingRequest) -> tuple[str, Health]:
    tree, given = request.sysfs, find_path(request.device)
    disk = find_disk(given, tree) if given.is_dir() else find_block(tree, request.device).disk
    if not disk:
        raise UsageError(
            f"{given} is not on exactly one disk of this machine. “cardbench list” shows the disks."
        )
    path = given if given.name == disk else Path("/dev", disk)
    return disk, _ask(tree, disk, path, request)


def _ask(tree: Sysfs, disk: str, path: Path, request: AskingRequest) -> Health:
    bus = identity.bus(tree, disk)
    if bus == "MMC":
        return health.read_emmc(tree, disk)
    if disk.startswith("nvme"):
        return health.read_nvme(path)
    if bus != "SD":
        why = "it is behind a card reader" if bus == "USB" else f"{disk} is not in a slot for cards"
        return Health(
            silence=f"cardbench cannot read its health, because {why}: put the card into an SD slot."
        )
    card = name_of(bus, tree.text(f"block/{disk}/device/cid"))
    names = [request.ask] if request.ask else health.find_questions(card)
    if not names:
        return Health(
            silence="We know of no card from this maker that reports its health, so cardbench did not try to read"
            " it: a command that a card does not know can make the card hang. To try anyway, add --ask"
            f" {'|'.join(health.ANSWERS)}."
        )
    places = safety.gather_facts(disk, sysfs=tree)
    if (places.mounted_at or places.swaps or places.holders) and not request.even_if_mounted:
        where = ", ".join((*places.mounted_at, *places.swaps, *places.holders))
        return Health(
            silence=f"It is in use ({where}), so cardbench did not read its health: a few cards hang if you"
            " read it while they are in use. To read it anyway, add --even-if-mounted."
        )
    return health.ask_sd(path, names)


def sentence(found: Health) -> str:
    """Return a sentence about the part of a card's life that is used."""
    if found.life_used is None:
        if found.is_used_up:
            return (
                "The card reports that its spare blocks are used up: copy your files off it, and replace it."
            )
        return found.silence or "The card does not report how much of its life is used up."
    used = f"{found.life_used:.4g} % of its life is used up"
    if found.is_used_up:
        return f"Worn out: the card reports that {used}. Copy your files off it, and replace it."
    if found.is_near_its_end:
        return f"Near its end: the card reports that {used}. Copy your files off it, and have a spare card ready."
    step = found.figures.get("life_used_step", 1)
    return f"The card reports that at most {used}, in steps of {step:g} %."


def _lines(found: Health) -> Iterator[str]:
    yield sentence(found)
    for name, title in _TITLES.items():
        if name in found.figures:
            yield f"  {_amount(name, found.figures[name]):>12}  {title}"
    if found.source:
        yield f"  reported by {found.source}"


def _amount(name: str, value: float) -> str:
    unit = health.UNITS[name]
    return f"{value / 1e9:,.1f} GB" if unit == "B" else f"{value:g} %" if unit == "%" else f"{value:,.0f}"


def _compose(request: AskingRequest, disk: str, found: Health) -> dict[str, Any]:
    run = {"suite": "health", "target": "device", "destructive": False}
    document = subject.compose_reading(request, disk, run)
    written = health.count_written_bytes(request.sysfs, disk)
    figures = dict(found.figures) | ({"bytes_written_since_start": written} if written is not None else {})
    readings = [
        {"name": name, "value": value, "unit": health.UNITS[name]}
        | ({"tool": found.source} if name in found.figures and found.source else {})
        for name, value in figures.items()
    ]
    said = {"life_used_percent": found.life_used, "near_its_end": found.is_near_its_end}
    extra = {"health": said | {"sentence": sentence(found)}}
    return document | {"readings": readings, "extra": extra} | request.note_field


def _point(tree: Sysfs, disk: str, found: Health) -> wear.Point:
    counter = health.count_written_bytes(tree, disk) or 0
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
    start = _digest(boot + tree.text(f"block/{disk}/diskseq"))[:4]
    step = float(found.figures.get("life_used_step", 1))
    return wear.Point(int(report.now().timestamp()), found.life_used, step, 0, counter, start)


def _history_path(request: WatchRequest, disk: str) -> Path:
    # The name contains the identity of the card, so that another card in the same slot has its own file.
    tree = request.sysfs
    who = (
        tree.text(f"block/{disk}/device/cid")
        or tree.text(f"block/{disk}/wwid")
        or identity.serial(tree, disk)
    )
    root = request.history or _state_directory()
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"{root} cannot be created: {error.strerror}. Name a different directory with --history."
        ) from error
    return root / f"{_digest(who or disk)[:12]}.wear"


def _state_directory() -> Path:
    if given := os.environ.get("STATE_DIRECTORY"):  # systemd.exec(5)
        return Path(given.partition(":")[0])
    if os.geteuid() == 0:
        return Path("/var/lib/cardbench")
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state") / "cardbench"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


_CRON = "17 4 * * *  root  {command}\n"
_SYSTEMD = """\
# /etc/systemd/system/cardbench-watch.service
[Unit]
Description=Record how worn a card is

[Service]
Type=oneshot
ExecStart={command}
StateDirectory=cardbench
WorkingDirectory=%S/cardbench
Nice=10

# /etc/systemd/system/cardbench-watch.timer
[Unit]
Description=Record every day how worn a card is

[Timer]
OnCalendar=daily
RandomizedDelaySec=1h
Persistent=true

[Install]
WantedBy=timers.target
"""


def _timer(request: WatchRequest) -> str:
    words = [*_own_command(), "watch", str(find_path(request.device))]
    words += ["--ask", request.ask] if request.ask else []
    words += ["--even-if-mounted"] if request.even_if_mounted else []
    words += ["--submit", "--server", request.server] if request.submit else []
    return (_CRON if request.print == "cron" else _SYSTEMD).format(command=shlex.join(words))


def _own_command() -> list[str]:
    here = Path(sys.argv[0]).resolve()
    if here.name != "__main__.py":  # an installed program, or the client as one file
        return [sys.executable, str(here)] if here.suffix == ".pyz" else [str(here)]
    installed = shutil.which("cardbench")
    return (
        [installed]
        if installed
        else ["env", f"PYTHONPATH={here.parents[1]}", sys.executable, "-m", "cardbench"]
    )
