"""The commands `list` and `identify`: show the disks of this machine, and the registers of a card.

With --server, a server decodes the registers; it does not store them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cardbench.api import Session
from cardbench.cli import show
from cardbench.cli.options import argument, option
from cardbench.cli.request import SystemRequest, TargetRequest
from cardbench.cli.terminal import print_json, write
from cardbench.errors import DeviceError, UsageError
from cardbench.shapes import JsonDict, JsonMapping
from cardbench.target import identity, mounts, safety
from cardbench.target.registers import name_of
from cardbench.target.sysfs import Block, Sysfs, find, size_bytes


def list_disks(request: SystemRequest) -> int:
    """Print the disks of this machine, cards and removable disks first."""
    tree = request.sysfs
    disks = [_summary(tree, name) for name in tree.names("block")]
    shown = sorted(
        (disk for disk in disks if disk["size_bytes"]), key=lambda disk: (not disk["movable"], disk["name"])
    )
    if request.json:
        print_json(shown)
    else:
        write(show.disks(shown))
    return 0


def _summary(tree: Sysfs, name: str) -> JsonDict:
    bus = identity.bus(tree, name)
    carried = [mount.mount_point for mount in mounts.read() if name in mounts.disks_of_mount(tree, mount)]
    cid = name_of(bus, tree.text(f"block/{name}/device/cid"))
    return {
        "name": name,
        "size_bytes": size_bytes(tree, Block(name)),
        "bus": bus,
        "movable": bus in ("SD", "MMC") or tree.text(f"block/{name}/removable") == "1",
        "title": cid.pnm
        if cid
        else tree.text(f"block/{name}/device/model") or tree.text(f"block/{name}/device/name"),
        "mounted_at": carried,
    }


@dataclass(frozen=True)
class IdentifyRequest(SystemRequest):
    """The options of the command `identify`."""

    device: str = argument("DEVICE", "such as mmcblk0 or /dev/sda")
    server: str | None = option(
        None,
        "ask this server who made the card; it receives the registers, but does not store them",
        metavar="URL",
    )


def identify(request: IdentifyRequest) -> int:
    """Print the registers of a card and, if asked, their meaning by the server."""
    tree = request.sysfs
    disk = find_block(tree, request.device).disk
    answer = {"card": identity.card(tree, disk), "host": identity.host(tree, disk)}
    page = show.identity(answer["card"], answer["host"])
    if request.server:
        answer["decoded"] = _decode(request.server, answer["card"])
        page += "\n".join(_decoding_lines(answer["decoded"])) + "\n"
    if request.json:
        print_json(answer)
    else:
        write(page, end="")
    return 0


def _decode(server: str, card: JsonMapping) -> JsonDict:
    if not card.get("registers"):
        raise DeviceError(
            "This disk shows no registers. Put the card into an SD slot instead of a reader.", code="ENODATA"
        )
    known = {name: card[name] for name in ("bus", "size_bytes") if name in card} | card["registers"]
    return Session(server, attempts=1).decode(**known)


def _decoding_lines(decoded: JsonMapping) -> Iterator[str]:
    yield ""
    for reading in decoded.get("readings") or [decoded]:  # two if the server could not tell SD from MMC
        yield from _reading_lines(reading)


def _reading_lines(reading: JsonMapping) -> Iterator[str]:
    maker = reading.get("maker") or {}
    yield f"  {reading.get('sentence') or 'These registers show neither the maker nor the capacity.'}"
    if maker.get("brands"):
        yield (
            f"  Brands seen with these numbers: {', '.join(maker['brands'])}; only the label shows which"
            " one it is."
        )
    for conflict in maker.get("conflicts", ()):
        yield f"  Another source says: {conflict}"
    for product in reading.get("products", ()):
        yield f"  Products of this name: {product['brand']} {product['line']}"
    for finding in reading.get("findings", ()):
        yield f"  {finding['register'].upper()}: {finding['detail']}"
    if reading.get("verdict"):
        yield f"  Verdict: {reading['verdict']}"
    for suspicion in reading["suspicions"]:
        yield f"  - {suspicion['reason']}"


def find_block(tree: Sysfs, text: str) -> Block:
    """Return the block device for "mmcblk0", "/dev/mmcblk0" or a link to it. Raises UsageError if there is none."""
    name = Path(text).resolve().name if "/" in text else text
    block = find(tree, name) or find(tree, Path(text).name)
    if not block:
        raise UsageError(
            f"{text} is not a block device of this machine. “cardbench list” shows its block devices."
        )
    return block


def find_path(text: str) -> Path:
    """Return the path that an argument names: "mmcblk0" is a device, unless a file in this directory has that name."""
    path = Path(text)
    return path if "/" in text or path.exists() else Path("/dev") / text


def find_target(request: TargetRequest) -> Path:
    """Return the path of the target of a command. Raises UsageError if it is no device, directory or file."""
    path = find_path(request.target)
    if not (path.is_dir() or path.is_block_device() or path.is_file()):
        raise UsageError(
            f"{path} is not a block device, a directory or a file. “cardbench list” shows the devices."
        )
    return path if path.is_dir() else path.resolve()


def find_disk(path: Path, tree: Sysfs) -> str:
    """Return the disk that a path is or lies on; "" if it is not exactly one disk of this machine."""
    if path.is_block_device():
        block = find(tree, safety.kernel_name(path) or path.name)
        return block.disk if block else ""
    return mounts.disk_below(path, tree)
