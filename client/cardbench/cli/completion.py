"""The command `completion`: shell completions and the manual page, generated from the commands and their options."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from shlex import quote

from cardbench import __version__

_DISKS = "$(ls /sys/block 2> /dev/null)"
_BASH = """\
# Completion of cardbench for bash: cardbench completion bash > ~/.local/share/bash-completion/completions/cardbench
_cardbench() {
    local word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} options="" choices=""
    if [ "$COMP_CWORD" = 1 ]; then
        COMPREPLY=($(compgen -W "@VERBS@" -- "$word"))
        return
    fi
    case $verb in
@OPTIONS@
    esac
    case "$verb ${COMP_WORDS[COMP_CWORD-1]}" in
@CHOICES@
    esac
    case $word in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *) COMPREPLY=($(compgen -W "${choices:-@DISKS@}" -- "$word") $([ "$choices" ] || compgen -f -- "$word")) ;;
    esac
}
complete -o filenames -F _cardbench cardbench
"""
_ZSH = """\
#compdef cardbench
# Completion of cardbench for zsh: cardbench completion zsh > DIRECTORY/_cardbench, where DIRECTORY is in $fpath
_cardbench_target() {
    _alternative 'disks:disk:(@DISKS@)' 'files:file:_files'
}
_cardbench() {
    local -a verbs=(@VERBS@)
    if (( CURRENT == 2 )); then
        _describe command verbs
        return
    fi
    shift words
    (( CURRENT-- ))
    case $words[1] in
@CASES@
    esac
}
_cardbench "$@"
"""
_FISH = """\
# Completion of cardbench for fish: cardbench completion fish > ~/.config/fish/completions/cardbench.fish
complete -c cardbench -f
"""


def verbs(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parser of each command, by the command's name."""
    (action,) = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return dict(action.choices)


def bash(parser: argparse.ArgumentParser) -> str:
    """Return the completion script for bash."""
    parsers = verbs(parser)
    options = [f'    {name}) options="{" ".join(_options(verb))}" ;;' for name, verb in parsers.items()]
    choices = [
        f'    "{name} {word}") choices="{" ".join(action.choices)}" ;;'
        for name, verb in parsers.items()
        for action in verb._actions
        if action.choices
        for word in action.option_strings or [name]
    ]
    filled = {"VERBS": " ".join(parsers), "OPTIONS": "\n".join(options), "CHOICES": "\n".join(choices)}
    return _fill(_BASH, filled)


def _options(verb: argparse.ArgumentParser) -> list[str]:
    return [option for action in verb._actions for option in action.option_strings if option.startswith("--")]


def _fill(script: str, filled: dict[str, str]) -> str:
    for name, text in ({"DISKS": _DISKS} | filled).items():
        script = script.replace(f"@{name}@", text)
    return script


def zsh(parser: argparse.ArgumentParser) -> str:
    """Return the completion script for zsh."""
    parsers = verbs(parser)
    described = (quote(f"{name}:{verb.description}") for name, verb in parsers.items())
    cases = (
        f"    {name}) _arguments {' '.join(map(_zsh_argument, verb._actions))} ;;"
        for name, verb in parsers.items()
    )
    return _fill(_ZSH, {"VERBS": " ".join(described), "CASES": "\n".join(cases)})


def _zsh_argument(action: argparse.Action) -> str:
    values = f"({' '.join(action.choices)})" if action.choices else "_files" if action.type is Path else " "
    if not action.option_strings:
        return quote(f"*:{action.dest}:{values if action.choices else '_cardbench_target'}")
    help_text = _read_help(action).translate({ord(letter): f"\\{letter}" for letter in "[]:"})
    value = "" if action.nargs == 0 else f":{action.dest}:{values}"
    mark = "*" if isinstance(action, argparse._AppendAction) else ""  # may be given several times
    return " ".join(quote(f"{mark}{name}[{help_text}]{value}") for name in action.option_strings)


def _read_help(action: argparse.Action) -> str:
    return " ".join((action.help or "").split())


def fish(parser: argparse.ArgumentParser) -> str:
    """Return the completion script for fish."""
    parsers = verbs(parser)
    lines = [
        f"complete -c cardbench -n __fish_use_subcommand -a {name} -d {quote(verb.description or '')}"
        for name, verb in parsers.items()
    ]
    lines += [
        f"complete -c cardbench -n '__fish_seen_subcommand_from {name}' {_fish_argument(action)}"
        for name, verb in parsers.items()
        for action in verb._actions
    ]
    return _FISH + "\n".join(lines) + "\n"


def _fish_argument(action: argparse.Action) -> str:
    """Return the options of complete(1) for an argument: -F completes files, and -x only the choices."""
    choices = f"-x -a {quote(' '.join(action.choices))}" if action.choices else ""
    if not action.option_strings:
        return choices or "-F -a '(ls /sys/block 2> /dev/null)'"
    names = [
        f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in action.option_strings
    ]
    value = "" if action.nargs == 0 else choices or ("-r -F" if action.type is Path else "-x")
    return " ".join(filter(None, (*names, value, "-d", quote(_read_help(action)))))


def manual(parser: argparse.ArgumentParser) -> str:
    """Return the manual page for man(1), in the format of man(7)."""
    lines = [
        f'.TH CARDBENCH 1 "" "cardbench {__version__}"',
        ".SH NAME",
        "cardbench \\- measure SD cards and flash drives, and submit the results",
        ".SH SYNOPSIS",
        ".B cardbench",
        "COMMAND [OPTION]...",
        ".SH DESCRIPTION",
        "Measures an SD card or flash drive, shows the results and how certain they are, and shares them. Without",
        "\\-\\-destructive, it only reads a device or a file. In a directory, it measures a temporary file.",
        ".SH COMMANDS",
    ]
    for name, verb in verbs(parser).items():
        example = (verb.epilog or "").splitlines()[1].replace(parser.prog, "cardbench", 1)
        lines += [f".SS {_escape(name)}", _escape(verb.description or ""), ".PP", f".B {_escape(example)}"]
        lines += [line for action in verb._actions for line in _entry(action)]
    status = (parser.epilog or "").partition("exit status: ")[2]
    return "\n".join((*lines, ".SH EXIT STATUS", _escape(status))) + "\n"


def _entry(action: argparse.Action) -> Iterator[str]:
    if action.help in (None, argparse.SUPPRESS) or action.dest == "help":
        return
    value = action.metavar if isinstance(action.metavar, str) else ""
    if action.choices and not value:
        value = "|".join(map(str, action.choices))
    names = ", ".join(action.option_strings)
    yield ".TP"
    yield f".B {_escape(' '.join(filter(None, (names, value))))}"
    yield _escape(str(action.help))


def _escape(text: str) -> str:
    # In man(7) a leading dot or quote is a request, and a hyphen becomes a dash.
    plain = " ".join(text.split()).replace("\\", "\\\\").replace("-", "\\-")
    return f"\\&{plain}" if plain[:1] in (".", "'") else plain


KINDS: dict[str, Callable[[argparse.ArgumentParser], str]] = {
    "bash": bash,
    "fish": fish,
    "man": manual,
    "zsh": zsh,
}
