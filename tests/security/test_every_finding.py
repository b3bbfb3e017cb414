"""Each finding of the review has a test by its number, here or where what it is about is tested."""

from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
FINDINGS = {
    1: "security/test_finding_01_keys.py",
    2: "security/test_finding_02_networks.py",
    3: "security/test_finding_03_pages.py",
    4: "submissions/sandbox/test_limited_call.py",
    6: "flashdb/test_web_server.py",
    7: "security/test_finding_07_ways_around.py",
    8: "security/test_finding_08_forgotten.py",
    9: "security/test_finding_09_backups.py",
    10: "security/test_finding_10_accounts.py",
    11: "security/test_finding_11_edges.py",
    12: "submissions/pages/test_metrics.py",
}


@pytest.mark.parametrize(("number", "place"), FINDINGS.items())
def test_it_names_its_finding(number: int, place: str) -> None:
    text = (TESTS / place).read_text()
    assert f"inding {number}:" in text or f"security.md #{number}" in text
