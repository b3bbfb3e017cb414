"""Check that all files name the same version of a release: `make release-check`, on a tag with TAG=v1.2.3.

The newest heading of CHANGELOG.md has the version and its date. Only Python's standard library is needed.
"""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).resolve().parents[1]
_HEADING = re.compile(r"^## (?P<version>\d+\.\d+\.\d+) \((?P<date>\d{4}-\d\d-\d\d)\)$")


class Place(NamedTuple):
    """A file that names the newest version or its date, and a pattern with a group that matches it."""

    path: str
    kind: str
    pattern: str


PLACES = (
    Place("client/cardbench/__init__.py", "version", r'__version__ = "(.+)"'),
    Place("client/debian/changelog", "version", r"\Acardbench \((.+)\)"),
    Place("client/integrations/home-assistant/addon/config.yaml", "version", r'^version: "(.+)"'),
    Place("client/integrations/home-assistant/addon/CHANGELOG.md", "version", r"^## (.+)"),
    Place("CITATION.cff", "version", r"^version: (.+)"),
    Place("CITATION.cff", "date", r"^date-released: (.+)"),
    Place(".zenodo.json", "version", r'"version": "(.+?)"'),
    Place(".zenodo.json", "date", r'"publication_date": "(.+?)"'),
)


def list_errors(project: Path, tag: str = "") -> Iterator[str]:
    """Yield a sentence for each file that does not name the newest version, and one for a wrong tag."""
    heading = re.search(r"^## .*$", (project / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    newest = _HEADING.match(heading[0]) if heading else None
    if newest is None:
        yield f"CHANGELOG.md: the newest heading is not “## VERSION (YYYY-MM-DD)”: {heading[0] if heading else 'none'}"
        return
    if tag and tag != f"v{newest['version']}":
        yield f"the tag is {tag}, and CHANGELOG.md has {newest['version']}"
    for place in PLACES:
        stated = re.search(place.pattern, (project / place.path).read_text(encoding="utf-8"), re.MULTILINE)
        if stated is None or stated[1] != newest[place.kind]:
            yield f"{place.path}: {place.kind} is {stated[1] if stated else 'missing'}, not {newest[place.kind]}"


if __name__ == "__main__":
    errors = list(list_errors(PROJECT, os.environ.get("TAG", "")))
    sys.exit("\n".join(errors) or 0)
