"""A database of the first release runs only the later migrations."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

pytestmark = pytest.mark.django_db

# The migrations that a site of version 0.1.0 has recorded; this list never changes.
VERSION_0_1 = [
    "0001_initial",
    "0002_run_doubts",
    "0003_judgement",
    "0004_submission_finished",
    "0005_accounts",
    "0006_published_text",
    "0007_facets",
    "0008_amendments",
    "0009_geometry",
    "0010_judged_at",
    "0011_photo",
    "0012_moderation",
    "0013_place_of_scores",
    "0014_words_to_seek",
    "0015_no_like_on_submissions",
    "0016_model_summary",
]


def list_steps(applied: list[str]) -> list[str]:
    """Return the migrations that `migrate` would run, in order, in a database where `applied` have run."""
    recorder = MigrationRecorder(connection)
    recorder.migration_qs.filter(app="submissions").delete()
    for name in applied:
        recorder.record_applied("submissions", name)
    executor = MigrationExecutor(connection)
    executor.loader.check_consistent_history(connection)
    return [step.name for step, _ in executor.migration_plan(executor.loader.graph.leaf_nodes("submissions"))]


def test_a_new_database_takes_every_step() -> None:
    assert list_steps([])[:3] == [
        "0001_version_0_1",
        "0015_no_like_on_submissions",
        "0017_submission_proof",
    ]


def test_a_database_of_version_0_1_goes_on_after_its_last_step() -> None:
    assert list_steps(VERSION_0_1) == list_steps([])[2:]
