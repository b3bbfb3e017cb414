"""`cardbench completion bash|man`: completion and manual page, made of the commands and options there are."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from cardbench import __version__

_BASH = """\
# Completion of cardbench for bash: cardbench completion bash > ~/.local/share/bash-completion/completions/cardbench
_cardbench() {
    local word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} options=""
    if [ "$COMP_CWORD" = 1 ]; then
        COMPREPLY=($(compgen -W "@VERBS@" -- "$word"))
        return
    fi
    case $verb in
@CASES@
    esac
    case $word in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word") $(compgen -W "$(ls /sys/block 2> /dev/null)" -- "$word")) ;;
    esac
}
complete -o filenames -F _cardbench cardbench
"""


def write(parser: argparse.ArgumentParser, kind: str) -> str:
    """The text of one kind."""
    return bash(parser) if kind == "bash" else manual(parser)


def verbs(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Command -> its parser."""
    (action,) = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return dict(action.choices)


def bash(parser: argparse.ArgumentParser) -> str:
    """A script for bash."""
    parsers = verbs(parser)
    cases = [f'    {name}) options="{" ".join(_options(verb))}" ;;' for name, verb in parsers.items()]
    return _BASH.replace("@VERBS@", " ".join(parsers)).replace("@CASES@", "\n".join(cases))


def _options(verb: argparse.ArgumentParser) -> list[str]:
    return [option for action in verb._actions for option in action.option_strings if option.startswith("--")]


def manual(parser: argparse.ArgumentParser) -> str:
    """A manual page for man(1), as man(7) wants it."""
    lines = [
        f'.TH CARDBENCH 1 "" "cardbench {__version__}"',
        ".SH NAME",
        "cardbench \\- measure SD cards and flash drives, and submit what was found",
        ".SH SYNOPSIS",
        ".B cardbench",
        "COMMAND [OPTION]...",
        ".SH DESCRIPTION",
        "Measures an SD card or flash drive, says what it is and how sure that is, and shares it. A device or a file",
        "is only read unless \\-\\-destructive is given; a directory is measured in a file of our own.",
        ".SH COMMANDS",
    ]
    for name, verb in verbs(parser).items():
        lines += [f".SS {_escaped(name)}", _escaped(verb.description or "")]
        lines += [line for action in verb._actions for line in _entry(action)]
    lines += [".SH EXIT STATUS", _escaped(parser.epilog or "").removeprefix("exit status: ")]
    return "\n".join(lines) + "\n"


def _entry(action: argparse.Action) -> Iterator[str]:
    if action.help in (None, argparse.SUPPRESS) or action.dest == "help":
        return
    value = action.metavar if isinstance(action.metavar, str) else ""
    if action.choices and not value:
        value = "|".join(map(str, action.choices))
    names = ", ".join(action.option_strings)
    yield ".TP"
    yield f".B {_escaped(' '.join(filter(None, (names, value))))}"
    yield _escaped(str(action.help))


def _escaped(text: str) -> str:
    """A leading dot or quote would be a request; a hyphen would become a dash."""
    plain = " ".join(text.split()).replace("\\", "\\\\").replace("-", "\\-")
    return f"\\&{plain}" if plain[:1] in (".", "'") else plain
