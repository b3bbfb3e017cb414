"""The commands load_reports, reprocess and refresh_rankings of manage.py."""

import io
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from submissions.models import AbilityEstimate, CardModel, Fit, Performance, Run, Submission
from submissions.writing import ingest
from tests.factories import body, uuid

pytestmark = pytest.mark.django_db


def run(command: str, *arguments: object, **options: Any) -> str:
    out = io.StringIO()
    call_command(command, *map(str, arguments), stdout=out, stderr=out, **options)
    return out.getvalue()


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "reports.jsonl"
    path.write_bytes(b"\n".join([body(uuid=uuid(1)), b"", body(uuid=uuid(2))]) + b"\n")
    return path


def test_it_loads_reports(lines: Path) -> None:
    assert run("load_reports", lines) == "2 new\n"
    assert Submission.objects.filter(channel="bulk", state="received").count() == 2


def test_it_can_do_everything_by_itself(lines: Path) -> None:
    assert run("load_reports", lines, "--here") == "2 new\n"
    assert set(Submission.objects.values_list("state", flat=True)) == {"processed"}
    assert AbilityEstimate.objects.get(ability="small_writes").runs == 2
    assert Fit.objects.get().run_count == 2
    assert "sa04g" in CardModel.objects.get().words


def test_loading_again_does_nothing(lines: Path) -> None:
    run("load_reports", lines)
    assert run("load_reports", lines) == "2 known\n"


def test_a_bad_line_is_named_and_the_others_are_loaded(lines: Path) -> None:
    lines.write_bytes(b"{\n" + lines.read_bytes())
    with pytest.raises(CommandError, match="some lines were refused"):
        run("load_reports", lines)
    assert Submission.objects.count() == 2


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"Cannot read .*: No such file"):
        run("load_reports", tmp_path / "nothing.jsonl")


def test_publishers_count_as_submitters(tmp_path: Path) -> None:
    path = tmp_path / "reports.jsonl"
    sources = [
        {"title": "A", "author": "Ann"},
        {"title": "B", "author": "Ann"},
        {"title": "C", "author": "Bob"},
    ]
    path.write_bytes(b"\n".join(body(uuid=uuid(n), source=source) for n, source in enumerate(sources)))
    run("load_reports", path)
    assert Submission.objects.values("submitter").distinct().count() == 2


def test_reprocess_works_everything_out_again(lines: Path) -> None:
    run("load_reports", lines)
    assert run("reprocess") == "2 submissions processed again\n"
    assert Run.objects.count() == 2


def test_reprocess_takes_as_many_batches_as_it_needs(lines: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest, "BATCH", 2)
    lines.write_bytes(b"\n".join(body(uuid=uuid(number), note=str(number)) for number in range(5)))
    run("load_reports", lines)
    assert run("reprocess") == "5 submissions processed again\n"
    assert set(Submission.objects.values_list("state", "attempts")) == {("processed", 1)}


def test_reprocess_since_a_day(lines: Path) -> None:
    run("load_reports", lines)
    assert run("reprocess", since="2100-01-01") == "0 submissions processed again\n"


@pytest.mark.parametrize("day", ["yesterday", "2026-13-01"])
def test_reprocess_refuses_what_is_no_day(day: str) -> None:
    with pytest.raises(CommandError, match="must be a date"):
        run("reprocess", since=day)


def test_refresh_rankings_restores_lost_performances() -> None:
    ingest.process(ingest.receive(body(), channel="api", submitter="anybody").submission.pk)
    Performance.objects.all().delete()
    assert run("refresh_rankings") == "the performances of 1 models are up to date\n"
    assert Performance.objects.exists()
