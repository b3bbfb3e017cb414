"""The command line: what can be typed, and which function does it."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from cardbench import __version__
from cardbench.cli import check, commands, compare, completion, decode, health, options, parse, powercut
from cardbench.errors import CardbenchError
from cardbench.measuring.checkup import BUDGET_S
from cardbench.stopping import heed
from cardbench.target.health import ANSWERS


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command -> its exit status."""
    arguments = parser().parse_args(argv)
    heed()
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


def _complain(error: CardbenchError, *, as_json: bool) -> None:
    if as_json:
        print(
            json.dumps({"error": {"code": error.code, "detail": str(error), "field": ""}}, ensure_ascii=False)
        )
    print(f"cardbench: {error}", file=sys.stderr)


def parser() -> argparse.ArgumentParser:
    """Every command with its options."""
    top = argparse.ArgumentParser(
        prog="cardbench", description="Measures SD cards and flash drives.", epilog=options.EPILOG
    )
    top.add_argument("--version", action="version", version=f"cardbench {__version__}")
    verbs = top.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for add in (
        _add_list,
        _add_identify,
        _add_run,
        _add_check,
        _add_health,
        _add_watch,
        _add_powercut,
        _add_compare,
        _add_show,
        _add_submit,
        _add_parse,
        _add_demo,
        _add_completion,
    ):
        add(verbs)
    return top


def _add_list(verbs: options.Verbs) -> None:
    verb = options.verb_of(verbs, "list", commands.list_disks, "list the disks of this machine, cards first")
    options.sysfs(verb)


def _add_identify(verbs: options.Verbs) -> None:
    verb = options.verb_of(
        verbs, "identify", decode.identify, "show what a card says of itself; reads nothing but registers"
    )
    verb.add_argument("device", metavar="DEVICE", help="such as mmcblk0 or /dev/sda")
    verb.add_argument(
        "--server",
        metavar="URL",
        help="ask this server who made it; the registers are sent, nothing is stored",
    )
    options.sysfs(verb)


def _add_run(verbs: options.Verbs) -> None:
    verb = options.verb_of(
        verbs, "run", commands.run, "measure a card; without --destructive a device or a file is only read"
    )
    verb.add_argument(
        "target", metavar="DEVICE|DIRECTORY|FILE", help="in a directory, a file of its own is measured"
    )
    options.suite(verb)
    options.output(verb, "default: cardbench-DATE-TIME.json, and nowhere with --json")
    options.sharing(verb)
    verb.add_argument(
        "--resume",
        type=Path,
        metavar="REPORT",
        help="go on with a run that was cut short; what is in its report is not measured again",
    )
    options.sysfs(verb)
    verb.add_argument("--engine", metavar="COMMAND", help="a program that speaks engine/PROTOCOL.md")
    options.flashbench(verb.add_argument_group("with --suite flashbench"))
    options.safety(verb.add_argument_group("writing to a device or a file"))
    options.description(verb.add_argument_group("what the system cannot know"))


def _add_compare(verbs: options.Verbs) -> None:
    verb = options.verb_of(
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
    verb.add_argument(
        "--filesystem-block",
        type=options.size_bytes,
        metavar="BYTES",
        help="of the file system; default: its own",
    )
    verb.add_argument(
        "--mount-options", default="", metavar="LIST", help="as mount -o takes them, such as sync"
    )
    options.suite(verb)
    options.output(verb, "default: cardbench-DATE-TIME.json; the name of the file system is added")
    options.sharing(verb)
    options.sysfs(verb)
    verb.add_argument("--engine", metavar="COMMAND", help="a program that speaks engine/PROTOCOL.md")
    options.flashbench(verb.add_argument_group("with --suite flashbench"))
    options.safety(verb.add_argument_group("giving the card up"), destructive=False)
    options.description(verb.add_argument_group("what the system cannot know"))


def _add_completion(verbs: options.Verbs) -> None:
    verb = options.verb_of(
        verbs, "completion", _print_completion, "print the completion for a shell, or the manual page"
    )
    verb.add_argument("kind", choices=("bash", "man"))


def _print_completion(arguments: argparse.Namespace) -> int:
    print(completion.write(parser(), arguments.kind), end="")
    return 0


def _add_check(verbs: options.Verbs) -> None:
    verb = options.verb_of(
        verbs,
        "check",
        check.check,
        "say in one sentence whether a card is genuine and well; in a directory only a file of its own is written",
    )
    verb.add_argument("target", metavar="DEVICE|DIRECTORY|FILE")
    verb.add_argument(
        "--seconds",
        type=options.positive,
        default=BUDGET_S,
        metavar="N",
        help="of the card's time (default %(default)s)",
    )
    verb.add_argument("--engine", metavar="COMMAND", help="a program that speaks engine/PROTOCOL.md")
    options.sysfs(verb)
    options.safety(verb.add_argument_group("to try out how much it holds; everything on it will be lost"))


def _add_health(verbs: options.Verbs) -> None:
    verb = options.verb_of(
        verbs,
        "health",
        health.show_health,
        "show what a card itself says of its wear; nothing is read or written",
    )
    _add_asking(verb)
    options.output(verb, "default: nowhere")
    verb.add_argument(
        "--textfile", type=Path, metavar="FILE.prom", help="figures for Prometheus' node_exporter"
    )


def _add_watch(verbs: options.Verbs) -> None:
    verb = options.verb_of(
        verbs,
        "watch",
        health.watch,
        "note how worn a card is, and how long it lasts at this rate; once a day, say",
    )
    _add_asking(verb)
    verb.add_argument(
        "--history", type=Path, metavar="DIRECTORY", help="default: /var/lib/cardbench, or in your home"
    )
    verb.add_argument(
        "--print",
        choices=("systemd", "cron"),
        help="print what makes a machine do this each day, and do nothing",
    )
    verb.set_defaults(output=None)


def _add_asking(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "device",
        metavar="DEVICE|DIRECTORY",
        help="such as mmcblk0, or a directory on it; not behind a card reader",
    )
    verb.add_argument(
        "--ask",
        choices=sorted(ANSWERS),
        metavar="MAKER",
        help="ask as cards of this maker want it: %(choices)s",
    )
    verb.add_argument(
        "--even-if-mounted",
        action="store_true",
        help="ask it although it is in use; a few cards hang when asked",
    )
    options.sysfs(verb)
    options.sharing(verb)
    options.description(verb.add_argument_group("what the system cannot know"))


def _add_powercut(verbs: options.Verbs) -> None:
    verb = options.verb_of(
        verbs, "powercut", powercut.run, "cut the power while blocks are written, and count what was not kept"
    )
    verb.add_argument(
        "target", metavar="DEVICE|DIRECTORY", help="in a directory only a file of its own is written"
    )
    verb.add_argument(
        "--cuts", type=options.positive, default=powercut.CUTS, metavar="N", help="default %(default)s"
    )
    verb.add_argument(
        "--seconds", type=float, default=3.0, metavar="S", help="the longest before a cut; default 3"
    )
    verb.add_argument(
        "--cut-command",
        metavar="COMMAND",
        help="cuts the power, as “uhubctl -l 1-1 -p 2 -a off”; default: by hand",
    )
    verb.add_argument(
        "--back-command", metavar="COMMAND", help="brings it back, and mounts it where it was mounted"
    )
    verb.add_argument(
        "--check-command", metavar="COMMAND", help="looks at the file system; status 0: it is sound"
    )
    verb.add_argument("--engine", metavar="COMMAND", help="a program that speaks engine/PROTOCOL.md")
    options.output(verb, "default: nowhere")
    options.sharing(verb)
    options.sysfs(verb)
    options.safety(verb.add_argument_group("to cut the power of a device; everything on it will be lost"))
    options.description(verb.add_argument_group("what the system cannot know"))


def _add_demo(verbs: options.Verbs) -> None:
    verb = options.verb_of(
        verbs, "demo", commands.demo, "measure a simulated card; needs no card, no engine and no rights"
    )
    options.suite(verb)
    options.output(verb, "default: nowhere")
    verb.set_defaults(submit=False)
    verb.add_argument("--seed", type=int, default=1, help="which simulated card (default 1)")


def _add_show(verbs: options.Verbs) -> None:
    verb = options.verb_of(verbs, "show", commands.show_report, "show a report as a page for people")
    verb.add_argument("report", type=Path, metavar="REPORT")
    verb.add_argument("--server", metavar="URL", help="put a typical card of this server beside it")


def _add_submit(verbs: options.Verbs) -> None:
    verb = options.verb_of(
        verbs, "submit", commands.submit_reports, "send reports to a server; sending twice counts once"
    )
    verb.add_argument("reports", type=Path, nargs="+", metavar="REPORT")
    options.server(verb)
    options.attempts(verb)
    options.consent(verb)
    verb.add_argument(
        "--dry-run", action="store_true", help="send nothing; print exactly the bytes that would be sent"
    )


def _add_parse(verbs: options.Verbs) -> None:
    verb = options.verb_of(
        verbs,
        "parse",
        parse.parse,
        "turn what flashbench, fio, dd, f3 and others printed into reports; a server reads it and stores nothing",
    )
    verb.add_argument("logs", type=Path, nargs="+", metavar="LOGFILE")
    options.server(verb)
    options.output(verb, "default: LOGFILE.report.json")
    verb.add_argument(
        "--answer",
        action="append",
        type=_answer,
        default=[],
        metavar="KEY=CHOICE",
        help="to a question that a log leaves open; may be given several times",
    )
    options.description(verb.add_argument_group("what the log cannot know"))


def _answer(text: str) -> tuple[str, str]:
    key, equals, choice = text.partition("=")
    if not (key and equals and choice):
        raise argparse.ArgumentTypeError("KEY=CHOICE, as “cardbench parse” names them")
    return key, choice
