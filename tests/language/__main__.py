"""Check the language of every package, or of some: `python -m tests.language [PACKAGE…]`."""

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.language.rules import find_offences, find_words

PROJECT = Path(__file__).resolve().parents[2]
ROOMS = ("flashdb", "submissions", "api", "client", "tests")
# A first line that is a whole sentence, apart from the rest, in the imperative.
_RUFF = (
    "ruff",
    "check",
    "--isolated",
    "--select",
    "D205,D400,D401",
    "--output-format",
    "json",
    "--exit-zero",
)


def find_packages() -> dict[str, list[Path]]:
    """Return the Python files of each package, without migrations."""
    packages: dict[str, list[Path]] = {}
    for room in ROOMS:
        for path in sorted((PROJECT / room).rglob("*.py")):
            if not {"migrations", "build", "logs", "data"} & set(path.parts):
                packages.setdefault(path.parent.relative_to(PROJECT).as_posix(), []).append(path)
    return packages


def check_files(paths: Iterable[Path]) -> list[str]:
    """Return one line per offence: path, line number, rule, explanation."""
    paths = list(paths)
    return sorted([*_check_sentences(paths), *_check_rules(paths)])


def check_changelog() -> list[str]:
    """Return one line per word to avoid in CHANGELOG.md."""
    lines = (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    return [
        f"CHANGELOG.md:{number}: word avoid “{word}”"
        for number, line in enumerate(lines, start=1)
        for word in find_words(line)
    ]


def _check_rules(paths: list[Path]) -> Iterator[str]:
    for path in paths:
        for offence in find_offences(path.read_text(encoding="utf-8")):
            yield f"{_relative(path)}:{offence.line}: {offence.rule} {offence.text}"


def _check_sentences(paths: list[Path]) -> Iterator[str]:
    ruff = (str(Path(sys.executable).with_name(_RUFF[0])), *_RUFF[1:], *map(str, paths))
    rows = (
        json.loads(subprocess.run(ruff, capture_output=True, check=True, text=True).stdout) if paths else []
    )
    for row in rows:
        place = f"{_relative(Path(row['filename']))}:{row['location']['row']}"
        yield f"{place}: {row['code']} {row['message']}"


def _relative(path: Path) -> str:
    return path.relative_to(PROJECT).as_posix() if path.is_relative_to(PROJECT) else str(path)


def main(chosen: list[str]) -> int:
    """Print the offences of the chosen packages, or of all; return the exit status."""
    packages = find_packages()
    names = [name.rstrip("/") for name in chosen] or sorted(packages)
    if unknown := sorted(set(names) - set(packages)):
        sys.exit(f"No Python package here: {', '.join(unknown)}. Give a folder such as submissions/writing.")
    files = [path for name in names for path in packages[name]]
    offences = check_files(files) + ([] if chosen else check_changelog())
    print(*offences, sep="\n", end="\n" if offences else "")
    return bool(offences)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
