"""Options that several commands share, a function for each group of them."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from cardbench.cli import commands, label
from cardbench.measuring.suites import SUITES, WORKLOADS
from cardbench.server.request import ATTEMPTS, DEFAULT_SERVER

CONDITIONS = ("fresh", "filled", "trimmed", "used", "unknown")
EPILOG = """exit status: 0 done, 2 wrong usage, 3 refused for safety, 4 device error, 5 server refused,
6 server not reached, 7 the card is bad, 130 interrupted"""
Verbs = argparse._SubParsersAction


def verb_of(
    verbs: Verbs,
    name: str,
    function: commands.Command,
    help_text: str,
) -> argparse.ArgumentParser:
    verb = verbs.add_parser(name, help=help_text, description=help_text, epilog=EPILOG)
    verb.set_defaults(command=function)
    verb.add_argument(
        "--json", action="store_true", help="answer with JSON on standard output, and show no progress"
    )
    return verb


def sysfs(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--sysfs", type=Path, default=Path("/sys"), metavar="ROOT", help="read the identity here"
    )


def suite(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--workload",
        action="append",
        choices=WORKLOADS,
        help="only this one of everything there is; may be given several times",
    )
    verb.add_argument("--file-count", type=positive, metavar="N", help="of the workloads files and copy")
    verb.add_argument("--file-size", type=size_bytes, metavar="BYTES", help="of each of those files")
    verb.add_argument(
        "--suite",
        choices=sorted(SUITES),
        default="quick",
        help="standard also looks for erase block, page and more; full takes everything; default: %(default)s",
    )


def output(verb: argparse.ArgumentParser, default: str) -> None:
    verb.add_argument("-o", "--output", type=Path, metavar="FILE", help=f"save the report here; {default}")


def sharing(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--submit",
        action="store_true",
        help="send the report to the server afterwards; “submit --dry-run” prints what that is",
    )
    server(verb)
    attempts(verb)
    consent(verb)


def consent(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--even-if-no-card",
        action="store_true",
        help="send it although it seems to be no card, or not the one on the label; it will not be ranked",
    )


def flashbench(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--erase-size", type=size_bytes, metavar="BYTES", help="default: what the card prefers, else 4M"
    )
    group.add_argument("--block-size", type=size_bytes, metavar="BYTES", help="the smallest; default: 16K")
    group.add_argument(
        "--open-au-nr",
        type=positive,
        action="append",
        metavar="N",
        help="only so many open units; default: 1, 2, 3, … until it collapses",
    )


def safety(group: argparse._ArgumentGroup, *, destructive: bool = True) -> None:
    if destructive:
        group.add_argument(
            "--destructive", action="store_true", help="write, too: everything on it will be lost"
        )
    group.add_argument(
        "--yes", action="store_true", help="do not ask; only with --confirm-size or --confirm-serial"
    )
    group.add_argument(
        "--confirm-serial", default="", metavar="HEX", help="the serial number of what may be overwritten"
    )
    group.add_argument(
        "--confirm-size", type=int, metavar="BYTES", help="the exact size of what may be overwritten"
    )
    group.add_argument(
        "--even-if-fixed", action="store_true", help="even if it is neither removable nor SD nor MMC"
    )


def description(group: argparse._ArgumentGroup) -> None:
    for name, field in label.FIELDS.items():
        if field.has_option:
            option = f"--{name.replace('_', '-')}"
            group.add_argument(option, type=field.read, metavar="TEXT", help=field.meaning)
    others = (f"{name} ({field.meaning})" for name, field in label.FIELDS.items() if not field.has_option)
    group.add_argument(
        "--label",
        action="append",
        type=label.said,
        default=[],
        metavar="NAME=VALUE",
        help=f"what else there is to say: {', '.join(others)}; may be given several times",
    )
    group.add_argument(
        "--condition", choices=CONDITIONS, default="unknown", help="of the card before the run"
    )
    group.add_argument(
        "--specimen", default="", metavar="TEXT", help='tells cards without a CID apart, e.g. "card 5"'
    )
    group.add_argument("--note", default="", metavar="TEXT", help="anything for readers")


def server(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--server",
        default=os.environ.get("CARDBENCH_SERVER", DEFAULT_SERVER),
        metavar="URL",
        help="default: $CARDBENCH_SERVER, else %(default)s",
    )
    verb.add_argument(
        "--token", default=os.environ.get("CARDBENCH_TOKEN", ""), help="default: $CARDBENCH_TOKEN"
    )


def attempts(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--attempts",
        type=positive,
        default=ATTEMPTS,
        metavar="N",
        help="how often to try to send (default %(default)s)",
    )


def size_bytes(text: str) -> int:
    """ "4194304", "4096K", "4M"."""
    factor = {"K": 1024, "M": 1024**2, "G": 1024**3}.get(text[-1:].upper(), 1)
    return positive(text[:-1] if factor > 1 else text) * factor


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number
