"""Run a command with its own PostgreSQL and Redis, and stop them when it ends."""

import argparse
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path

from flashdb.local_services import LocalServicesError, local_services
from flashdb.local_services.children import (
    Interrupted,
    die_with_make,
    forwarding_signals,
    spawn,
    stop,
    stopping_on_signals,
)
from flashdb.local_services.own_settings import own_settings
from flashdb.local_services.places import temporary_state


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status; 1 if a server cannot start, 128 + n if signal n ended the command."""
    options = _parser().parse_args(argv)
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if not command:
        _parser().error("give a command to run after --")
    die_with_make()
    try:
        durable = options.durable or not options.temporary
        with (
            stopping_on_signals(),
            temporary_state() if options.temporary else nullcontext(options.state) as state,
            local_services(state, durable=durable) as services,
        ):
            print(services.description, file=sys.stderr, flush=True)
            return _run(command, own_settings(state) | os.environ | services.environment)
    except LocalServicesError as error:
        print(f"flashdb: {error}", file=sys.stderr)
        return 1
    except Interrupted as signal_seen:
        return signal_seen.exit_status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m flashdb.local_services", description=__doc__)
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--state", type=Path, default=Path(os.environ.get("FLASHDB_STATE") or ".state"))
    where.add_argument(
        "--temporary", action="store_true", help="start fresh services and remove their data afterwards"
    )
    parser.add_argument(
        "--durable",
        action="store_true",
        help="with --temporary: commit to disk like a real server, for benchmarks",
    )
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND ...")
    return parser


def _run(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run `command` and return its exit status; on a terminal the command can read input, as a debugger does.

    Ctrl-C on a terminal reaches the command directly, so SIGINT is not forwarded.
    """
    on_terminal = sys.stdin is not None and sys.stdin.isatty()
    try:
        child = spawn(command, env=environment, session=not on_terminal)
    except OSError as error:
        print(f"flashdb: cannot run {command[0]}: {error.strerror}", file=sys.stderr)
        return 127
    try:
        with forwarding_signals(child, except_for=[signal.SIGINT] if on_terminal else []):
            status = child.wait()
    finally:
        stop(child)
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())
