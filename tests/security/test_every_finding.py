"""Each finding of the security review has a test module that names its number."""

from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
FINDINGS = {
    1: "security/test_delete_keys.py",
    2: "security/test_network_limits.py",
    3: "security/test_page_costs.py",
    4: "submissions/sandbox/test_limited_call.py",
    6: "flashdb/test_web_server.py",
    7: "security/test_batches_and_origins.py",
    8: "security/test_required_settings.py",
    9: "security/test_backups.py",
    10: "security/test_second_factor.py",
    11: "security/test_odd_requests.py",
    12: "submissions/pages/test_metrics.py",
}


@pytest.mark.parametrize(("number", "place"), FINDINGS.items())
def test_it_names_its_finding(number: int, place: str) -> None:
    text = (TESTS / place).read_text()
    assert f"inding {number}:" in text or f"security.md #{number}" in text
