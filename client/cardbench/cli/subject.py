"""Describe a card and its host for a report, from the system and from the options of the user."""

from __future__ import annotations

import os
from pathlib import Path

from cardbench.cli import doubts
from cardbench.cli.request import CardRequest, FlashbenchOptions
from cardbench.errors import UsageError
from cardbench.measuring import flashbench, report
from cardbench.shapes import JsonDict
from cardbench.target import identity, mounts

# Mount options with values about the file system; the values of all others may name the machine.
_HARMLESS = "data commit compress errors iocharset stripe discard fsync_mode alloc_mode"


def describe_card(request: CardRequest, disk: str) -> JsonDict:
    """Return the `card` part of a report, from the system and from the options of the user."""
    facts = identity.card(request.sysfs, disk) if disk else {}
    return {"registers": {}} | facts | request.claims


def describe_host(request: CardRequest, disk: str) -> JsonDict:
    """Return the `host` part of a report. Only the label tells an SD Express card from any other NVMe disk."""
    is_express = disk.startswith("nvme") and doubts.is_express(request.label_fields)
    host = identity.host(request.sysfs, disk)
    return host | ({"interface": "express"} if is_express else {})


def describe_mount(path: Path) -> JsonDict:
    """Return the file system of a path and its mount options, without options that may contain private names."""
    mount = mounts.find_mount(path)
    options = [word for word in mount.options if "=" not in word or word.split("=")[0] in _HARMLESS.split()]
    named = {"filesystem": mount.filesystem} if mount.filesystem else {}
    block = {"filesystem_block_bytes": os.statvfs(path).f_bsize} if hasattr(os, "statvfs") else {}
    return named | block | {"mount_options": ",".join(options)[:200]}


def compose_reading(request: CardRequest, disk: str, run: JsonDict) -> JsonDict:
    """Return a report without measurements about a card; `run`: the suite and further facts about the run."""
    started = {"started_at": report.now().isoformat()}
    return report.compose(
        card=describe_card(request, disk), host=describe_host(request, disk), run=run | started
    )


def flashbench_options(request: FlashbenchOptions, card: JsonDict) -> flashbench.Options:
    """Return the options of flashbench; the erase block defaults to the size that the card prefers.

    Raises UsageError.
    """
    usual = flashbench.Options()
    preferred = card.get("preferred_erase_size_bytes")
    erase_block_bytes = request.erase_size or preferred or usual.erase_block_bytes
    open_aus = request.open_au_nr or usual.open_aus
    try:
        return flashbench.Options(request.block_size or usual.block_bytes, erase_block_bytes, open_aus)
    except ValueError as error:
        raise UsageError(f"--erase-size and --block-size do not work together: {error}.") from error
