"""`make release-check`: may what is checked out be released? Its version is the newest heading of CHANGELOG.md."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADING = re.compile(r"^## (\S+) \((\S+)\)$", re.MULTILINE)
CLIENT = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)


def main(root: Path = ROOT) -> int:
    """The exit status: 1 with a line per reason not to release."""
    reasons = list(objections(root))
    for reason in reasons:
        print(f"not to be released: {reason}", file=sys.stderr)
    if not reasons:
        print(f"{newest(root)[0]} may be released")
    return 1 if reasons else 0


def newest(root: Path) -> tuple[str, str]:
    """Version and date of the newest heading; empty where there is none."""
    heading = HEADING.search((root / "CHANGELOG.md").read_text(encoding="utf-8"))
    return (heading[1], heading[2]) if heading else ("", "")


def objections(root: Path) -> Iterator[str]:
    version, date = newest(root)
    if not re.fullmatch(r"\d+\.\d+\.\d+", version) or not re.fullmatch(r"\d{4}-\d\d-\d\d", date):
        yield f'the newest heading of CHANGELOG.md must be as "## 1.2.3 (2026-01-31)", not "{version} ({date})"'
    client = CLIENT.search((root / "client/cardbench/__init__.py").read_text(encoding="utf-8"))
    if client is None or client[1] != version:
        yield f"the client calls itself {client[1] if client else 'nothing'}, CHANGELOG.md says {version}"
    if _output(root, "git", "tag", "--list", f"v{version}"):
        yield f"v{version} was released already: CHANGELOG.md must name a new version"
    if changed := _output(root, "git", "status", "--porcelain"):
        yield f"changes are not committed:\n{changed}"
    lock = [sys.executable, "flashdb/bootstrap.py", "uv", "lock", "--check", "--quiet"]
    if subprocess.run(lock, cwd=root, check=False).returncode != 0:
        yield "uv.lock is not what pyproject.toml asks for: uv lock"


def _output(root: Path, *command: str) -> str:
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout.rstrip()


if __name__ == "__main__":
    sys.exit(main())
