"""The command line: what can be typed, and which function does it."""

import argparse
import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import TypeAlias

from cardbench import __version__
from cardbench.cli import commands, compare, completion, decode, label, parse
from cardbench.errors import CardbenchError
from cardbench.measuring.suites import SUITES, WORKLOADS
from cardbench.server.http import ATTEMPTS, DEFAULT_SERVER

CONDITIONS = ("fresh", "filled", "trimmed", "used", "unknown")

EPILOG = """exit status: 0 done, 2 wrong usage, 3 refused for safety, 4 device error, 5 server refused,
6 server not reached, 130 interrupted"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command -> its exit status."""
    arguments = parser().parse_args(argv)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        return int(arguments.command(arguments))
    except CardbenchError as error:
        _complain(error, as_json=arguments.json)
        return error.exit_status
    except KeyboardInterrupt:
        print("cardbench: interrupted", file=sys.stderr)
        return commands.INTERRUPTED
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _complain(error: CardbenchError, *, as_json: bool) -> None:
    if as_json:
        print(
            json.dumps({"error": {"code": error.code, "detail": str(error), "field": ""}}, ensure_ascii=False)
        )
    print(f"cardbench: {error}", file=sys.stderr)


def parser() -> argparse.ArgumentParser:
    """Every command with its options."""
    top = argparse.ArgumentParser(
        prog="cardbench", description="Measures SD cards and flash drives.", epilog=EPILOG
    )
    top.add_argument("--version", action="version", version=f"cardbench {__version__}")
    verbs = top.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for add in (
        _add_list,
        _add_identify,
        _add_run,
        _add_compare,
        _add_show,
        _add_submit,
        _add_parse,
        _add_demo,
        _add_completion,
    ):
        add(verbs)
    return top


Verbs: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def _verb(verbs: Verbs, name: str, function: commands.Command, help_text: str) -> argparse.ArgumentParser:
    verb = verbs.add_parser(name, help=help_text, description=help_text, epilog=EPILOG)
    verb.set_defaults(command=function)
    verb.add_argument(
        "--json", action="store_true", help="answer with JSON on standard output, and show no progress"
    )
    return verb


def _add_list(verbs: Verbs) -> None:
    verb = _verb(verbs, "list", commands.list_disks, "list the disks of this machine, cards first")
    _add_sysfs(verb)


def _add_identify(verbs: Verbs) -> None:
    verb = _verb(
        verbs, "identify", decode.identify, "show what a card says of itself; reads nothing but registers"
    )
    verb.add_argument("device", metavar="DEVICE", help="such as mmcblk0 or /dev/sda")
    verb.add_argument(
        "--server",
        metavar="URL",
        help="ask this server who made it; the registers are sent, nothing is stored",
    )
    _add_sysfs(verb)


def _add_sysfs(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--sysfs", type=Path, default=Path("/sys"), metavar="ROOT", help="read the identity here"
    )


def _add_run(verbs: Verbs) -> None:
    verb = _verb(
        verbs, "run", commands.run, "measure a card; without --destructive a device or a file is only read"
    )
    verb.add_argument(
        "target", metavar="DEVICE|DIRECTORY|FILE", help="in a directory, a file of its own is measured"
    )
    _add_suite(verb)
    _add_output(verb, "default: cardbench-DATE-TIME.json, and nowhere with --json")
    _add_sharing(verb)
    verb.add_argument(
        "--resume",
        type=Path,
        metavar="REPORT",
        help="go on with a run that was cut short; what is in its report is not measured again",
    )
    _add_sysfs(verb)
    verb.add_argument("--engine", metavar="COMMAND", help="a program that speaks engine/PROTOCOL.md")
    _add_flashbench(verb.add_argument_group("with --suite flashbench"))
    _add_safety(verb.add_argument_group("writing to a device or a file"))
    _add_description(verb.add_argument_group("what the system cannot know"))


def _add_compare(verbs: Verbs) -> None:
    verb = _verb(
        verbs,
        "compare-filesystems",
        compare.compare_filesystems,
        "make each file system on a card given up for it, and measure it there; everything on it is lost",
    )
    verb.add_argument("target", metavar="DEVICE")
    verb.add_argument(
        "--filesystem",
        action="append",
        choices=sorted(compare.MAKERS),
        help="only this one; may be given several times",
    )
    _add_suite(verb)
    _add_output(verb, "default: cardbench-DATE-TIME.json; the name of the file system is added")
    _add_sharing(verb)
    _add_sysfs(verb)
    verb.add_argument("--engine", metavar="COMMAND", help="a program that speaks engine/PROTOCOL.md")
    _add_flashbench(verb.add_argument_group("with --suite flashbench"))
    _add_safety(verb.add_argument_group("giving the card up"), destructive=False)
    _add_description(verb.add_argument_group("what the system cannot know"))


def _add_completion(verbs: Verbs) -> None:
    verb = _verb(
        verbs, "completion", _print_completion, "print the completion for a shell, or the manual page"
    )
    verb.add_argument("kind", choices=("bash", "man"))


def _print_completion(arguments: argparse.Namespace) -> int:
    print(completion.write(parser(), arguments.kind), end="")
    return 0


def _add_suite(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--workload",
        action="append",
        choices=WORKLOADS,
        help="only this one of everything there is; may be given several times",
    )
    verb.add_argument("--file-count", type=_positive, metavar="N", help="of the workloads files and copy")
    verb.add_argument("--file-size", type=_bytes, metavar="BYTES", help="of each of those files")
    verb.add_argument(
        "--suite",
        choices=sorted(SUITES),
        default="quick",
        help="standard also looks for erase block, page and more; full takes everything; default: %(default)s",
    )


def _add_output(verb: argparse.ArgumentParser, default: str) -> None:
    verb.add_argument("-o", "--output", type=Path, metavar="FILE", help=f"save the report here; {default}")


def _add_sharing(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--submit",
        action="store_true",
        help="send the report to the server afterwards; “submit --dry-run” prints what that is",
    )
    _add_server(verb)
    _add_attempts(verb)


def _add_flashbench(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--erase-size", type=_bytes, metavar="BYTES", help="default: what the card prefers, else 4M"
    )
    group.add_argument("--block-size", type=_bytes, metavar="BYTES", help="the smallest; default: 16K")
    group.add_argument(
        "--open-au-nr",
        type=_positive,
        action="append",
        metavar="N",
        help="only so many open units; default: 1, 2, 3, … until it collapses",
    )


def _add_safety(group: argparse._ArgumentGroup, *, destructive: bool = True) -> None:
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


def _add_description(group: argparse._ArgumentGroup) -> None:
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


def _add_demo(verbs: Verbs) -> None:
    verb = _verb(
        verbs, "demo", commands.demo, "measure a simulated card; needs no card, no engine and no rights"
    )
    _add_suite(verb)
    _add_output(verb, "default: nowhere")
    verb.set_defaults(submit=False)
    verb.add_argument("--seed", type=int, default=1, help="which simulated card (default 1)")


def _add_show(verbs: Verbs) -> None:
    verb = _verb(verbs, "show", commands.show_report, "show a report as a page for people")
    verb.add_argument("report", type=Path, metavar="REPORT")
    verb.add_argument("--server", metavar="URL", help="put a typical card of this server beside it")


def _add_submit(verbs: Verbs) -> None:
    verb = _verb(
        verbs, "submit", commands.submit_reports, "send reports to a server; sending twice counts once"
    )
    verb.add_argument("reports", type=Path, nargs="+", metavar="REPORT")
    _add_server(verb)
    _add_attempts(verb)
    verb.add_argument(
        "--dry-run", action="store_true", help="send nothing; print exactly the bytes that would be sent"
    )


def _add_server(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--server",
        default=os.environ.get("CARDBENCH_SERVER", DEFAULT_SERVER),
        metavar="URL",
        help="default: $CARDBENCH_SERVER, else %(default)s",
    )
    verb.add_argument(
        "--token", default=os.environ.get("CARDBENCH_TOKEN", ""), help="default: $CARDBENCH_TOKEN"
    )


def _add_attempts(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "--attempts",
        type=_positive,
        default=ATTEMPTS,
        metavar="N",
        help="how often to try to send (default %(default)s)",
    )


def _add_parse(verbs: Verbs) -> None:
    verb = _verb(
        verbs,
        "parse",
        parse.parse,
        "turn what flashbench, fio, dd, f3 and others printed into reports; a server reads it and stores nothing",
    )
    verb.add_argument("logs", type=Path, nargs="+", metavar="LOGFILE")
    _add_server(verb)
    _add_output(verb, "default: LOGFILE.report.json")
    verb.add_argument(
        "--answer",
        action="append",
        type=_answer,
        default=[],
        metavar="KEY=CHOICE",
        help="to a question that a log leaves open; may be given several times",
    )
    _add_description(verb.add_argument_group("what the log cannot know"))


def _answer(text: str) -> tuple[str, str]:
    key, equals, choice = text.partition("=")
    if not (key and equals and choice):
        raise argparse.ArgumentTypeError("KEY=CHOICE, as “cardbench parse” names them")
    return key, choice


def _bytes(text: str) -> int:
    """ "4194304", "4096K", "4M"."""
    factor = {"K": 1024, "M": 1024**2, "G": 1024**3}.get(text[-1:].upper(), 1)
    return _positive(text[:-1] if factor > 1 else text) * factor


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number
