"""The published performances can be estimated again from a data dump, with the same result."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from submissions.domain.measuring.metrics import FIGURES
from submissions.dumps import performances_from_dump
from submissions.evidence import sources
from submissions.models import Fit, Performance
from submissions.writing import ingest, refit
from tests.conftest import PROJECT
from tests.dumped import add_dump
from tests.factories import body, rand_read, rand_write, report, seq_read, specimen, uuid

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def dump(settings: Any, tmp_path: Path) -> Path:
    """Write a data dump of a small crowd after a full fit: three models, eight submitters, two boards."""
    settings.MEDIA_ROOT = str(tmp_path)
    for number in range(24):
        brand, speed = (("Fast", 4), ("Middle", 2), ("Slow", 1))[number % 3]
        document = body(
            uuid=uuid(number),
            card=specimen(number, label={"brand": brand}),
            host=report()["host"] | {"board": f"Board {number % 2}"},
            measurements=[
                rand_read(speed * 400 + number),
                rand_write(speed * 100 + number),
                seq_read(10.0 * speed),
            ],
            **(_dated_by_source("2016 to 2018") if number < 3 else {}),
        )
        network = number % 8 // 2 or None
        received = ingest.receive(
            document, channel="api", submitter=f"submitter {number % 8}", network=network
        )
        ingest.process(received.submission.pk)
    document = body(uuid=uuid(99), card=specimen(99), simulated=True, host={"interface": "simulated"})
    ingest.process(ingest.receive(document, channel="api", submitter="nobody").submission.pk)
    refit.refit()
    return add_dump()


def _dated_by_source(words: str) -> dict[str, Any]:
    run = {name: value for name, value in report()["run"].items() if name != "started_at"}
    return {"run": run, "source": {"title": "A table", "dated": words}}


def test_it_works(dump: Path) -> None:
    """The estimates are repeated in a process of its own that cannot reach a database."""
    assert Fit.objects.exists()
    command = [sys.executable, "manage.py", "repeat_estimates", str(dump)]
    nowhere = os.environ | {"DATABASE_URL": "postgresql://nobody@127.0.0.1:9/nothing"}
    done = subprocess.run(command, cwd=PROJECT, env=nowhere, capture_output=True, text=True, check=False)
    number = Performance.objects.count()
    line = f"{number} performances recalculated from the dump: all agree with the published ones\n"
    assert done.stdout == line, done.stderr
    assert number > 20


def test_what_is_judged_of_many_follows_from_the_dump(dump: Path) -> None:
    """The columns that decide the order of values (trust, turn and lot) are the same in the dump and the database."""
    with performances_from_dump.open_dump(dump) as opened:
        parameters = {"figures": list(FIGURES), "held_out": [], "simulated": False}
        read = opened.execute(sources.DUMP_QUERY, parameters).fetchnumpy()
    stored = sources.load_all(list(FIGURES))
    columns = ("figure", "model", "untrusted", "turn", "lot", "submission", "week", "month", "amount")
    in_dump, in_database = (
        sorted(zip(*(rows[name].tolist() for name in columns), strict=True)) for rows in (read, stored)
    )
    assert in_dump == in_database


def test_the_dump_tells_networks_apart_without_naming_them(dump: Path) -> None:
    with performances_from_dump.open_dump(dump) as opened:
        parameters = {"figures": list(FIGURES), "held_out": [], "simulated": False}
        read = opened.execute(sources.DUMP_QUERY, parameters).fetchnumpy()
    stored = sources.load_all(list(FIGURES))
    of_network = dict(zip(stored["submission"].tolist(), stored["network"].tolist(), strict=True))
    pairs = {(of_network[row], name) for row, name in zip(read["submission"], read["network"], strict=True)}
    assert len(pairs) == 4 and len({name for _, name in pairs}) == 4
    assert [name for network, name in pairs if network == -1] == [-1]


def test_it_says_which_performance_does_not_follow(dump: Path) -> None:
    path = dump / "performances.parquet"
    with duckdb.connect() as database:
        changed = "list_transform(means, lambda x: x + .001)"
        database.execute(f"CREATE TABLE p AS SELECT * REPLACE ({changed} AS means) FROM '{path}'")
        database.execute(f"COPY p TO '{path}' (FORMAT parquet)")
    with pytest.raises(CommandError, match=r"(\d+) of \1 performances differ from the published ones"):
        call_command("repeat_estimates", str(dump))


def test_what_is_no_dump(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="contains no complete dump"):
        call_command("repeat_estimates", str(tmp_path))
