"""Data dumps contain all public data in three equal formats, no private data, and are written in constant memory."""

import csv
import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import duckdb
import frictionless
import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.test import Client

from submissions import tasks
from submissions.dumps import shelf
from submissions.dumps.description import list_files
from submissions.dumps.dump_tables import TABLES, TEXT, TIME, Column
from submissions.models import Measurement, Performance, Publication, Run
from submissions.writing import ingest
from tests.conftest import PROJECT, database_url
from tests.dumped import add_dump
from tests.factories import SA04G_SERIAL, body, report, specimen, uuid

pytestmark = pytest.mark.django_db(transaction=True)
FORMATS = ("csv.gz", "jsonl.gz", "parquet")


@pytest.fixture(autouse=True)
def home(settings: Any, tmp_path: Path) -> Path:
    settings.MEDIA_ROOT = str(tmp_path)
    return tmp_path


def submit(number: int, submitter: str = "anybody", *, channel: str = "api", **changes: Any) -> None:
    document = body(uuid=uuid(number), **({"card": specimen(number)} | changes))
    ingest.process(ingest.receive(document, channel=channel, submitter=submitter).submission.pk)


def rows(directory: Path, name: str) -> list[dict[str, Any]]:
    with gzip.open(directory / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def test_it_works() -> None:
    submit(1)
    dump = add_dump()
    (model,) = rows(dump, "models")
    assert (model["slug"], model["simulated"]) == ("sa04g-4-gb-sd-02-544d", False)
    assert [(row["figure"], row["value"], row["repeats"]) for row in rows(dump, "measurements")] == [
        ("rand_read_4k", 1500.0, [1500.0, 1490.0, 1510.0]),
        ("rand_write_4k", 500.0, [500.0, 480.0, 520.0]),
    ]
    assert {row["slot"] for row in rows(dump, "performances")} == set(
        Performance.objects.values_list("slot", flat=True)
    )


def test_every_format_says_the_same() -> None:
    submit(1, note='A "quoted", note\nof two lines, naïve')
    submit(2)
    dump = add_dump()
    with duckdb.connect() as database:
        for table in TABLES:
            texts = ", ".join(map(_write_expression, table.columns))
            parquet = database.execute(f"SELECT {texts} FROM '{dump}/{table.name}.parquet'").fetchall()
            lines = rows(dump, table.name)
            with gzip.open(dump / f"{table.name}.csv.gz", "rt", encoding="utf-8", newline="") as file:
                cells = list(csv.DictReader(file))
            assert len(parquet) == len(lines) == len(cells), table.name
            assert [[_text(cell) for cell in line.values()] for line in lines] == [
                [
                    _text(cell and _plain(cell)) if column.kind is not TEXT else cell
                    for column, cell in zip(table.columns, row, strict=True)
                ]
                for row in parquet
            ], table.name
            assert [list(row) for row in cells] == [list(line) for line in lines]


def _write_expression(column: Column) -> str:
    if column.kind is TIME:
        return f"strftime(\"{column.name}\" AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%fZ')"
    spoken = f'CAST("{column.name}" AS VARCHAR)'
    return f"replace({spoken}, 'NULL', 'null')" if column.kind.field == "array" else spoken


def _plain(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _text(value: Any) -> Any:
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def test_what_is_missing_is_not_what_is_empty() -> None:
    submit(1)
    (run,) = rows(add_dump(), "runs")
    assert (run["note"], run["duration_ns"], run["started_at"]) == ("", None, "2026-11-20T12:00:00.000000Z")


def test_it_describes_itself() -> None:
    source = {"title": "A list", "url": "https://list.example/1", "licence": "CC0"}
    submit(1, channel="bulk", source=source)
    dump = add_dump()
    package = json.loads((dump / "datapackage.json").read_text())
    assert package["licenses"][0]["name"] == "CC-BY-4.0"
    assert package["sources"] == [{"title": "A list", "path": "https://list.example/1"}]
    files = list_files(package)
    assert {file["path"] for file in files} == {
        f"{table.name}.{kind}" for table in TABLES for kind in FORMATS
    }
    for file in files:
        content = (dump / file["path"]).read_bytes()
        assert file["bytes"] == len(content)
        assert file["hash"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
    checked = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=dump, check=False)
    assert checked.returncode == 0


def test_it_is_a_valid_data_package() -> None:
    """Every type, key and reference of every row is valid by Frictionless' validator; a table may be empty."""
    submit(1, simulated=True, host={"interface": "simulated"})
    submit(2)
    report = frictionless.validate(str(add_dump() / "datapackage.json"))
    assert report.flatten(["name", "type", "message"]) == []
    assert {0, 2} <= {task.stats.get("rows", 0) for task in report.tasks}


def test_nothing_private_is_in_it() -> None:
    number = int(SA04G_SERIAL, 16)
    receipt = ingest.receive(body(), channel="api", submitter="the-submitter")
    ingest.process(receipt.submission.pk)
    dump = add_dump()
    assert receipt.delete_key
    for path in dump.iterdir():
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        secrets = (
            SA04G_SERIAL,
            str(number),
            "the-submitter",
            receipt.delete_key,
            report()["card"]["registers"]["cid"],
        )
        for secret in secrets:
            assert secret.encode() not in content.lower(), path.name


def test_submitters_are_told_apart_within_one_dump_only() -> None:
    for number, submitter in enumerate(("alice", "alice", "bob")):
        submit(number, submitter)
    first = [run["submitter"] for run in rows(add_dump(), "runs")]
    assert first[0] == first[1] != first[2]
    time.sleep(1.1)  # a dump is called by its second
    assert not {run["submitter"] for run in rows(add_dump(), "runs")} & set(first)


def test_one_at_a_time(home: Path) -> None:
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(4827113)")
            with pytest.raises(CommandError, match="Another process is writing files of the kind dumps"):
                call_command("write_dump")
    finally:
        other.close()
    assert list(home.iterdir()) == []


def test_a_dump_that_breaks_off_leaves_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / ".partial-dumps").mkdir()
    (home / "dumps/2026-01-01T000000Z").mkdir(parents=True)
    (home / "dumps/2026-01-01T000000Z/models.parquet").write_bytes(b"of a host that was killed")
    monkeypatch.setattr("submissions.dumps.writer._convert", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        add_dump()
    assert [path.name for path in home.rglob("*")] == ["dumps"]


def test_where_nothing_can_be_written(home: Path, settings: Any) -> None:
    (home / "file").touch()
    settings.MEDIA_ROOT = str(home / "file" / "dumps")
    with pytest.raises(CommandError, match="Cannot write the dump to FILES_DIR"):
        call_command("write_dump")
    assert shelf.dumps() == []


def test_the_oldest_go_but_the_first_of_a_quarter(home: Path, settings: Any) -> None:
    settings.DUMPS_KEPT = 2
    first = add_dump()
    for day in (1, 2, 3):
        shutil.copytree(first, home / f"dumps/2026-01-0{day}T000000Z")
    shutil.rmtree(first)
    Publication.objects.all().delete()
    made = add_dump()
    lasting = {made.name, "2026-01-03T000000Z", "2026-01-01T000000Z"}
    assert {directory.name for directory in (home / "dumps").iterdir()} == lasting
    assert {dump.row.version for dump in shelf.dumps()} == lasting


def test_once_a_night(home: Path) -> None:
    tasks.write_dump()
    tasks.write_dump()
    assert len(list((home / "dumps").iterdir())) == 1


def test_scripts_find_and_fetch_it(client: Client) -> None:
    assert client.get("/api/v1/dumps/").json() == {"results": [], "next": None}
    submit(1)
    dump = add_dump()
    (listed,) = client.get("/api/v1/dumps/").json()["results"]
    assert (listed["version"], listed["licence"]) == (dump.name, "CC-BY-4.0")
    (file,) = [listed_file for listed_file in listed["files"] if listed_file["name"] == "models.csv.gz"]
    answer: Any = client.get(file["url"], headers={"Accept-Encoding": "gzip"})
    content = b"".join(answer.streaming_content)
    assert hashlib.sha256(content).hexdigest() == file["sha256"]
    lasting = client.get(f"/api/v1/dumps/{dump.name}/models.csv.gz")
    assert file["url"] == f"http://testserver{lasting['Location']}"


@pytest.mark.parametrize(
    "path", ["2026-01-01T000000Z/models.parquet", "x/../../settings.py", "{made}/../x", "{made}/x"]
)
def test_no_other_file_is_given_out(client: Client, path: str) -> None:
    made = add_dump().name
    answer = client.get(f"/api/v1/dumps/{path.format(made=made)}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


def test_memory_does_not_grow_with_the_table(home: Path) -> None:
    """Compare the peak memory of a process that dumps 10,000 measurements with that for five times as many."""
    submit(1)
    small = _peak_kib(10_000)
    assert _peak_kib(50_000) < 1.15 * small


def _peak_kib(measurements: int) -> int:
    run, measurement = Run.objects.get(), Measurement.objects.order_by("pk")[0]
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO submissions_measurement (run_id, position, workload, metric, parameters, figure, repeats, "
            "value, spread, operations, verdict, reason) SELECT %s, n, workload, metric, parameters, figure, repeats, "
            "value + n, spread, operations, verdict, reason FROM submissions_measurement, generate_series(10, %s) n "
            "WHERE id = %s ON CONFLICT DO NOTHING",
            [run.pk, measurements, measurement.pk],
        )
    script = (
        "import django, resource; django.setup()\n"
        "from submissions.dumps import shelf; shelf.add_dump()\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "flashdb.settings", "DATABASE_URL": database_url()}
    environment |= {"FILES_DIR": settings.MEDIA_ROOT}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=PROJECT,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return int(done.stdout)
