"""Known vulnerabilities stop `make lint`; a machine without a network says so."""

from subprocess import CompletedProcess

import pytest

from flashdb.dependency_audit import NOT_REACHED, report


def asked(returncode: int, stdout: str = "", stderr: str = "") -> "CompletedProcess[str]":
    return CompletedProcess(["uv"], returncode, stdout, stderr)


def test_it_works(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(asked(0, "Found no known vulnerabilities\n"), offline=False) == 0
    assert capsys.readouterr().out == "Found no known vulnerabilities\n"


def test_a_vulnerability_is_shown_and_counts(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(asked(1, "django 5.2.0 has PYSEC-1\n"), offline=True) == 1
    assert "PYSEC-1" in capsys.readouterr().err


def test_nobody_to_ask_is_a_failure_unless_it_is_allowed(capsys: pytest.CaptureFixture[str]) -> None:
    """security.md #12: `make lint` passed unaudited, and nobody noticed."""
    silent = asked(2, stderr=f"warning\n{NOT_REACHED} after 0 retries\n  cause: dns error\n")
    assert report(silent, offline=False) == 1
    assert "AUDIT=offline make lint" in capsys.readouterr().err
    assert report(silent, offline=True) == 0
    assert "skipped" in capsys.readouterr().out


def test_another_failure_of_uv_is_not_hidden() -> None:
    assert report(asked(2, stderr="error: unknown command\n"), offline=True) == 2
