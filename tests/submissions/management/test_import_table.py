"""The command import_table of manage.py stores published results like other reports, or shows a preview."""

import csv
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from submissions.domain.intake.published.table import COLUMNS
from submissions.models import Card, Measurement, Run, Submission

pytestmark = pytest.mark.django_db

STARTER = Path(__file__).parents[3] / "submissions" / "starter" / "published"
ROW = {
    "source_id": "a_thread",
    "title_or_repo_path": "somebody/cards issue 7",
    "brand": "Kingston",
    "line": "Canvas Select Plus",
    "capacity_gb": "32",
    "form": "microSD",
    "specimen": "one",
    "run": "1",
    "host": "Raspberry Pi 4 Model B",
    "tool": "iozone",
    "command_or_workload": "iozone 4K random write",
    "metric": "throughput random write",
    "value": "2.5",
    "unit": "MiB/s",
    "note": "run by microsd-benchmarks.sh",
}


def table(folder: Path, *rows: dict[str, str]) -> Path:
    path = folder / "a_thread.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        writer.writerows(ROW | row for row in rows)
    return path


def import_table(*arguments: object) -> str:
    told = StringIO()
    call_command("import_table", *arguments, "--here", stdout=told)
    return told.getvalue()


def test_it_works(tmp_path: Path):
    told = import_table(
        table(tmp_path, {}), "--source", "A thread", "--author", "Somebody", "--licence", "CC0"
    )

    assert "1 rows, 1 understood, 0 asked, 0 refused; 1 reports" in told
    run = Run.objects.get()
    assert (run.source_slug, run.source_title, run.source_author) == ("a_thread", "A thread", "Somebody")
    assert (run.source_place, run.source_licence) == ("somebody/cards issue 7", "CC0")
    assert run.source_url == "https://github.com/somebody/cards/issues/7"
    assert Measurement.objects.get(figure="rand_write_4k").value == 640


def test_a_dry_run_keeps_nothing(tmp_path: Path):
    told = import_table(table(tmp_path, {}, {"specimen": ""}), "--dry-run")

    assert "1 refused, first in line 3: specimen must be given" in told
    assert not Submission.objects.exists()


def test_importing_again_changes_nothing(tmp_path: Path):
    path = table(tmp_path, {}, {"run": "2"}, {"specimen": "two"})
    assert "3 new, 0 known" in import_table(path)
    assert "0 new, 3 known" in import_table(path)
    assert (Submission.objects.count(), Card.objects.count()) == (3, 2)


def test_a_card_nobody_names_is_kept_and_not_compared(tmp_path: Path):
    import_table(table(tmp_path, {"brand": "", "line": ""}))

    run = Run.objects.get()
    assert run.card.variant.card_model.name == "Unidentified card 32 GB"
    assert run.excluded == run.not_compared == "its source does not say which card it is"
    assert not run.card.variant.card_model.performances.exists()


def test_two_cards_whose_serial_numbers_were_removed_stay_two(tmp_path: Path):
    masked = {
        "brand": "",
        "cid": "0353445355303447800000000000da00",
        "csd": "400e00325b5900001d8a7f800a404000",
    }
    import_table(table(tmp_path, masked, masked | {"specimen": "two"}))

    assert Card.objects.count() == 2
    assert set(Card.objects.values_list("verdict", flat=True)) == {"nothing unusual"}


def test_what_is_no_table_is_refused_in_words(tmp_path: Path):
    path = tmp_path / "notes.csv"
    path.write_text("card,speed\nUltra,fast\n")
    with pytest.raises(CommandError, match="The heading lacks source_id"):
        import_table(path)
