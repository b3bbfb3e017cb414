"""Write the files that describe a dump.

These are datapackage.json, a Frictionless Data Package (https://datapackage.org), a citation
(https://citation-file-format.github.io), a script that reads the dump, and a data card.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from submissions.dumps.dump_tables import Table
from submissions.models import Run

NAME, CITATION = "datapackage.json", "CITATION.cff"
# Files beside this module and their names in a dump. Sites of data sets show a README.md.
_COPIED = {"ranking_script.py": "ranking.py", "data_card.md": "README.md"}
# A program that reads one dump of a version reads all: no column is removed or changes its meaning. Version 2 has
# performances, ability estimates, uses and needs instead of scores, estimates, profiles and figures of the fit, and has
# no CID families. Since version 3 `resources` has each table once, as CSV, and `copies` the other files.
FORMAT_VERSION = 3
LICENCE = {
    "name": "CC-BY-4.0",
    "title": "Creative Commons Attribution 4.0",
    "path": "https://creativecommons.org/licenses/by/4.0/",
}
_WORDS = (
    "Measurements of SD cards and flash drives as people submitted them, with cards, hosts and the estimates "
    "for each model. Rows of runs with a source_licence were first published elsewhere and keep that licence. Values "
    "are in base units: B/s, 1/s, ns, B. There are no serial numbers; submitters have pseudonyms that are valid within "
    "this dump."
)
_CITATION = """\
cff-version: 1.2.0
message: If you use these data, please cite them as below; results published elsewhere first name their source.
title: "flashdb: what SD cards really are"
type: dataset
authors:
  - name: The flashdb contributors
version: "{version}"
date-released: {day}
license: CC-BY-4.0
"""
_MEDIA = {"csv": "text/csv", "jsonl": "application/jsonl", "parquet": "application/vnd.apache.parquet"}


class File(NamedTuple):
    """One file of a dump. `format`: csv, jsonl, parquet."""

    table: Table
    format: str
    name: str
    rows: int
    size_bytes: int
    sha256: str


def write_description(
    directory: Path, files: Sequence[File], *, made_at: datetime, previous: Mapping[str, str] | None
) -> None:
    """Write the description of a dump beside its files. `previous`: version and checksum of the dump before.

    Only CSV files are listed as resources, because validators refuse JSON Lines without a line, and take lists in
    Parquet for texts.
    """
    package = {
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": "flashdb",
        "title": "flashdb: what SD cards really are",
        "description": _WORDS,
        "version": f"{FORMAT_VERSION}",
        "created": made_at.isoformat(timespec="seconds"),
        "licenses": [LICENCE],
        "sources": _sources(),
        "resources": [_resource(file) for file in files if file.format == "csv"],
        "copies": [_describe(file) for file in files if file.format != "csv"],
        **({"previous": previous} if previous else {}),
    }
    (directory / NAME).write_text(json.dumps(package, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    citation = _CITATION.format(version=made_at.strftime("%Y-%m-%dT%H%M%SZ"), day=made_at.date())
    (directory / CITATION).write_text(citation, encoding="utf-8")
    for name, in_dump in _COPIED.items():
        shutil.copyfile(Path(__file__).with_name(name), directory / in_dump)


def list_files(package: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the entry of each table file in the `datapackage.json` of a dump of any version."""
    return [*package["resources"], *package.get("copies", ())]


def _resource(file: File) -> dict[str, Any]:
    return _describe(file) | {"type": "table", "title": file.table.meaning, "schema": _schema(file.table)}


def _describe(file: File) -> dict[str, Any]:
    packed = {"compression": "gz"} if file.name.endswith(".gz") else {}
    return {
        "name": f"{file.table.name}-{file.format}".replace("_", "-"),
        "path": file.name,
        "format": file.format,
        "mediatype": _MEDIA[file.format],
        **packed,
        "encoding": "utf-8",
        "bytes": file.size_bytes,
        "hash": f"sha256:{file.sha256}",
        "rows": file.rows,
    }


def _schema(table: Table) -> dict[str, Any]:
    fields = [
        {"name": column.name, "type": column.kind.field}
        | ({"description": column.meaning} if column.meaning else {})
        for column in table.columns
    ]
    keys = [
        {"fields": [column], "reference": {"resource": f"{other}-csv", "fields": [theirs]}}
        for column, other, theirs in table.refers
    ]
    return {"fields": fields, "primaryKey": list(table.key)} | ({"foreignKeys": keys} if keys else {})


def _sources() -> list[dict[str, str]]:
    # At most a thousand; every run names its own.
    columns = ("source_title", "source_url")
    rows = Run.objects.exclude(source_title="").order_by(*columns).values_list(*columns).distinct()[:1000]
    return [{"title": title} | ({"path": url} if url else {}) for title, url in rows]
