"""Ask the user before anything is overwritten, and say how much is written and how long it takes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from cardbench import geometry
from cardbench.cli.request import Permission
from cardbench.cli.terminal import command, say
from cardbench.errors import SafetyError, UsageError
from cardbench.measuring import capacity, flashbench, plan
from cardbench.measuring.suites import Choice
from cardbench.target import identity, safety
from cardbench.target.safety import Victim
from cardbench.target.surface import Surface
from cardbench.target.sysfs import Block, Sysfs, size_bytes

_USUAL_BYTES_PER_S = 20e6  # assumed rate of a usual card; the output says “about”


def read_victim(name: str, size: int | None = None) -> Victim:
    """Return the identity of a device as the kernel sees it now; `size` in bytes, if given, replaces the kernel's."""
    tree = Sysfs()
    sequence = tree.text(f"block/{name}/diskseq")
    return Victim(name, size or size_bytes(tree, Block(name)) or 0, identity.serial(tree, name), sequence)


def refuse_destructive(directory: Path, request: Permission) -> None:
    """Raise UsageError if --destructive is given with a directory, where only a temporary file is written."""
    if request.destructive:
        raise UsageError(
            f"{directory} is a directory: cardbench writes only to a temporary file in it, so nothing is lost."
        )


def check_device(name: str, request: Permission) -> None:
    """Raise SafetyError with each objection to writing to a device.

    If a single option removes all objections, the message contains the full command with it.
    """
    facts = safety.gather_facts(name)
    try:
        safety.check_device(facts, even_if_fixed=request.even_if_fixed, say=say)
    except SafetyError as error:
        if safety.objections(facts, even_if_fixed=True):
            raise
        again = command(*sys.argv[1:], "--even-if-fixed")
        sudo = "sudo " if os.environ.get("SUDO_USER") else ""
        raise SafetyError(f"{error} If you can lose everything on it, run: {sudo}{again}") from error


def ask_for_all(path: Path, what: str, request: Permission) -> Victim:
    """Ask the user whether a whole device may be overwritten, and return that device. Raises SafetyError."""
    name = safety.kernel_name(path)
    check_device(name, request)
    agreed = read_victim(name)
    say(f"This may overwrite any of the {agreed.size_bytes:,} bytes of {name}: {what}.")
    safety.confirm(agreed, request.consent)
    return agreed


def ask_for_file(path: Path, request: Permission) -> None:
    """Ask the user whether a file may be overwritten. Raises SafetyError."""
    safety.check_file(path)
    safety.confirm(Victim(path.name, path.stat().st_size), request.consent)


def ask_for_suite(victim: Victim, chosen: Choice, options: flashbench.Options, request: Permission) -> None:
    """Print how much a suite writes and how long it takes, then ask the user for consent. Raises SafetyError."""
    if not victim.size_bytes:
        raise SafetyError(f"{victim.name} reports no size. Is there a card in the slot?")
    surface = Surface(victim.size_bytes, 512, may_write=True, shows_boundaries=True)
    say(f"{_describe_writes(chosen, options, surface, victim.name)}.")
    safety.confirm(victim, request.consent)


def _describe_writes(chosen: Choice, options: flashbench.Options, surface: Surface, name: str) -> str:
    if chosen.is_flashbench:
        most = options.written_bytes
        seconds = most / _USUAL_BYTES_PER_S
        return (
            f"cardbench will write up to {most:,} bytes, from the start of {name}; in {seconds:.0f} s or more"
        )
    written, most, seconds = _estimate_cost(chosen, surface)
    written, most = written + capacity.USUALLY_PLANTED_BYTES, most + capacity.PLANTED_BYTES
    return (
        f"cardbench will write about {written:,} bytes ({most:,} at most) anywhere on {name}, which takes about"
        f" {max(1, round(seconds))} s on a typical card"
    )


def say_what_a_file_takes(path: Path, chosen: Choice) -> None:
    """Print how many bytes a run writes in a directory, and how long that takes on a usual card."""
    surface = Surface(chosen.file_bytes, 512, may_write=True, shows_boundaries=True)
    written, most, seconds = _estimate_cost(chosen, surface)
    besides = chosen.file_bytes + sum(piece.written_bytes for piece in chosen.file_work)
    seconds += (2 * besides - chosen.file_bytes) / _USUAL_BYTES_PER_S
    say(
        f"cardbench will create a file of at most {chosen.file_bytes:,} bytes in {path}. In total it will"
        f" write about {written + besides:,} bytes there ({most + besides:,} at most), which takes about"
        f" {max(1, round(seconds))} s on a typical card. It deletes the file afterwards."
    )


def _estimate_cost(chosen: Choice, surface: Surface) -> tuple[int, int, float]:
    # Returns bytes written on a usual card, bytes written at most, and seconds including all reads.
    table = plan.cells(chosen, surface)
    written, seconds = plan.estimate_usual_cost(table)
    most = plan.written_bytes(table)
    if chosen.geometry:
        quantities = geometry.table(surface)
        usual = geometry.usual(quantities, surface.size_bytes)
        written, seconds = written + usual.written_bytes, seconds + usual.duration_s
        most += geometry.written_bytes(quantities)
    return written, most, seconds
