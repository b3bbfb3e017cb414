"""Parse command lines in pasted text, without prompt, sudo, shell arithmetic and line continuations."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

# Programs with output that readers understand, and programs that end such output.
_NAMES = (
    "flashbench dd hdparm fio iozone bonnie bonnie++ f3write f3read f3probe ffsb ioping sysbench fdisk factor head cat"
    " udevadm mmc lsblk mkfs mount cardbench"
)
PROGRAMS = frozenset(_NAMES.split())
# user@host:dir $, [user@host dir]#, ***@***.***:~ $ (masked), host:dir user$ (macOS), 1|user@host:/ # (Android),
# / # (BusyBox), PS C:\>, $
_PROMPT = re.compile(
    r"\s{0,40}(?:(?:(?:[0-9]{1,3}\|)?[\w.*-]{1,64}@[^#$]{1,100}?|\[[^\]]{1,100}\]|\w{0,20}:~"
    r"|[\w.-]{1,40}:[\w.~/-]{1,60} [\w.-]{1,32}|[~/][\w./-]{0,60}|(?:PS )?[A-Z]:\\[^>]{0,80})\s?[#$%>]"
    r"|[A-Za-z][\w.-]{0,30}[%$]|\$)(?:\s|\Z)"
)
_HOST = re.compile(r"\s{0,40}\[?([\w.-]{1,32}@[\w.-]{1,64})[: ][^#$]{0,100}[#$]")
_ENDS_OF_PROMPTS = "#$%>"
_AMONG = 12  # words at the start of a line that are searched for a program
_WORDS_BEFORE = "sudo time sync && ; nice ionice env ./ | $ # % > -n19 -c2"
BEFORE = frozenset(_WORDS_BEFORE.split())
QUOTES = "`'\"()"
_ENDS = frozenset([";", "&&", "||", "|", "&"])
_CHAIN = re.compile(r"&&|\|\||;")
_ARITHMETIC = re.compile(r"\$\[([0-9*+ ()]{1,60})\]|\$\(\(([0-9*+ ()]{1,60})\)\)")
_OPERAND = re.compile(r"(?:if|of|i?bs|obs|count|skip|seek|conv|[io]flag|status)=\S{1,200}\Z")
_OPTION = re.compile(r"--?[A-Za-z][\w-]{0,30}(?:=\S{1,200})?\Z|/dev/[\w/-]{2,60}\Z")
_SHORT = re.compile(r"-[A-Za-z]+\Z")
_QUOTED = re.compile(r"\"[^\"]{0,80}\"|'[^']{0,80}'")
_VALUE = re.compile(r"(?=\S{0,59}[0-9/])[\w./:-]{1,60}\Z")
_DEVICE = re.compile(
    r"/dev/((?:mmcblk|sd[a-z]|nvme|loop|disk|mapper|zram|ram[0-9]|pmem|dm-|md[0-9]|bcache|vd[a-z]|xvd|hd[a-z]|nbd|shm)"
    r"[0-9A-Za-z/_-]{0,40})"
)
# Mount points of removable media in Linux and macOS (udisks, pmount, Finder); a drive that begins a line of Windows.
_MOUNT_POINT = re.compile(
    r"(?<![\w.])/(?:run/media/[^/\s]{1,60}/|media/(?:[^/\s]{1,60}/(?=[^/\s.]{1,60}(?:/|\s?[$#])))?|mnt/|Volumes/)"
    r"[^/\s'\"`:$]{1,60}"
)
_DRIVE = re.compile(r"\s{0,9}[D-Z]:\\?\s*\Z")
_SUFFIXES = {
    **{"": 1, "c": 1, "w": 2, "b": 512, "k": 1024, "m": 1024**2, "g": 1024**3},
    **{"kb": 1000, "mb": 1000**2, "gb": 1000**3},
}
_SIZE = re.compile(r"([0-9]{1,12})([a-zA-Z]{0,3})\Z")
_MOST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Command:
    """A program and its arguments. `program`: "" before any command, and for a program that is not in PROGRAMS."""

    program: str = ""
    words: tuple[str, ...] = ()

    def option(self, *names: str) -> str | None:
        """Return the value of the first option of these names, None if no option is given.

        Forms: --name=value, --name value, -n value, -nvalue, name=value.
        """
        for at, word in enumerate(self.words):
            name, equals, value = word.partition("=")
            if equals and name in names:
                return value
            if word in names and at + 1 < len(self.words):
                return self.words[at + 1]
            if word[:2] in names and len(word) > 2 and word[1] != "-" and word[2].isdecimal():
                return word[2:]
        return None

    def has(self, *flags: str) -> bool:
        """Return whether the command has one of the flags; a short flag may be joined with others: -tT has -t."""
        short = {flag[1] for flag in flags if len(flag) == 2}
        return any(word in flags or (_SHORT.match(word) and short & set(word[1:])) for word in self.words)


def prompt_length(text: str) -> int:
    """Return the length of the shell prompt at the start of a line, with the blanks around it; 0 without a prompt."""
    prompt = _PROMPT.match(text) if any(end in text for end in _ENDS_OF_PROMPTS) else None
    return prompt.end() if prompt else 0


def host_in_prompt(text: str) -> str:
    """Return user@host of the shell prompt at the start of a line; "" without a prompt."""
    match = _HOST.match(text)
    return match[1] if match else ""


def parse(text: str) -> Command | None:
    """Return the command in a line, None if the line holds none. The time is linear in the length of the line."""
    words = _calculate_all(text).replace(";", " ; ").split()
    prompted = prompt_length(text) > 0
    for at, command in _find_programs(words):
        like_command = any(map(_like_argument, command.words))
        first = at == 0 or prompted or set(words[:at]) <= BEFORE
        quoted = words[at].startswith("`") and like_command
        if quoted or _is_unmistakable(command) or (first and (prompted or like_command)):
            return command
    return Command() if prompted else None


def parse_chain(text: str) -> tuple[Command, ...]:
    """Return the commands of a line: `dd … && dd …`, `for …; do dd …; done` have several, a pipe is one command."""
    whole, pieces = parse(text), _CHAIN.split(_calculate_all(text))
    if whole is None or len(pieces) == 1:
        return (whole,) if whole else ()
    found = (next(_find_programs(piece.split()), None) for piece in pieces)
    return tuple(pair[1] for pair in found if pair) or (whole,)


def _find_programs(words: list[str]) -> Iterator[tuple[int, Command]]:
    for at, word in enumerate(words[:_AMONG]):
        program = word.rsplit("/", 1)[-1].lstrip(QUOTES)
        if program in PROGRAMS:
            yield at, Command(program, _arguments(words[at + 1 :]))


def goes_on(program: str, text: str) -> bool:
    """Return whether a line of a text can only continue a command of this program, which a mail has wrapped."""
    words = _QUOTED.sub("''", _calculate_all(text)).split()
    if program == "dd":
        return bool(words) and _OPERAND.match(words[0]) is not None  # nothing else begins so
    pairs = list(zip(["", *words], words[:12], strict=False))
    return bool(words) and all(_OPTION.match(word) or _is_value(before, word) for before, word in pairs)


# The word after an option: -i 0, -f /mnt/x.
def _is_value(before: str, word: str) -> bool:
    return before[:1] == "-" and "=" not in before and _VALUE.match(word) is not None


def _arguments(words: list[str]) -> tuple[str, ...]:
    end = next((at for at, word in enumerate(words) if word in _ENDS), len(words))
    return tuple(word.rstrip(QUOTES) for word in words[:end])


def _is_unmistakable(command: Command) -> bool:
    """Return whether this is a command even in the middle of a sentence."""
    return command.program == "dd" and any(word.startswith(("if=", "of=")) for word in command.words)


def _like_argument(word: str) -> bool:
    return word.startswith(("-", "/", "if=", "of=")) and len(word) > 1


def _calculate_all(text: str) -> str:
    return _ARITHMETIC.sub(_calculate, text) if "$" in text else text


# Calculates only sums of products: nothing else occurs.
def _calculate(match: re.Match[str]) -> str:
    terms = (match[1] or match[2]).replace("(", "").replace(")", "").split("+")
    factors = [[factor.strip() for factor in term.split("*")] for term in terms]
    if not all(factor.isdecimal() for term in factors for factor in term):
        return match[0]
    return str(sum(prod(int(factor) for factor in term) for term in factors))


def leading_integer(text: str | None) -> int | None:
    """Return the number at the start of a text, as C's atoi reads it: 16K is 16.

    It is None without a number, and for zero.
    """
    digits = re.match(r"\s{0,9}([0-9]{1,18})", text or "")
    return int(digits[1]) or None if digits else None


def size(text: str | None) -> int | None:
    """Return the number of bytes in a size as dd writes it: 4k, 1M and 4KiB are powers of 1024, 4kB of 1000.

    It is None if the text is no size.
    """
    match = _SIZE.match(text or "")
    if not match:
        return None
    factor = _SUFFIXES.get(match[2].lower().removesuffix("ib"))
    value = int(match[1]) * factor if factor else 0
    return value if 0 < value <= _MOST else None


def find_device(text: str) -> str:
    """Return the kernel's name of the disk or partition that a text names as a device; "" if it names none."""
    match = _DEVICE.search(text)
    return match[1] if match else ""


def find_place(text: str) -> str:
    """Return where files are: the mount point of the last path in a text, or a Windows drive.

    It is "" if the text has neither.
    """
    places = [match[0] for match in _MOUNT_POINT.finditer(text)] if "/" in text else []
    drive = _DRIVE.match(text) if ":" in text and not places else None
    return places[-1] if places else drive[0].strip() if drive else ""


def disk(name: str) -> str:
    """Return the disk that a partition is on: mmcblk0p2 -> mmcblk0, sda1 -> sda."""
    if name.startswith("shm"):
        return "shm"
    if name.startswith(("mmcblk", "nvme", "loop", "disk", "nbd", "md")):
        return re.sub(r"(?<=[0-9])[ps][0-9]{1,3}\Z", "", name)
    return name.rstrip("0123456789") if name.startswith(("sd", "vd", "xvd", "hd")) else name
