"""The receipt file beside a sent report keeps its secret, so that nothing is lost if a response is lost."""

import json

from tests.client.server.test_submit import GOLDEN, RECEIPT, site

__all__ = ["site"]

NAMED = '{"format": "flashdb-report", "card": {"label": {"brand": "Kingston"}}}'


def send(cardbench, site, path) -> tuple[dict, dict]:
    """Send a report; return the secret of the last request, and the content of the receipt file."""
    cardbench("submit", path, "--server", site.url, "--attempts", 1)
    return site.requests[-1][1]["Receipt-Secret"], json.loads(path.with_suffix(".receipt.json").read_text())


def test_a_second_attempt_brings_the_secret_of_the_first(cardbench, site, tmp_path):
    path = tmp_path / "r.json"
    path.write_text(NAMED)
    site.will_say(0)
    first, kept = send(cardbench, site, path)
    assert set(kept) == {"secret"}
    assert path.with_suffix(".receipt.json").stat().st_mode & 0o777 == 0o600
    site.will_say(200, RECEIPT | {"duplicate": True})
    again, received = send(cardbench, site, path)
    assert (again, received["secret"], received["delete_key"]) == (first, kept["secret"], "secret")
    assert kept["secret"] not in first


def test_a_key_that_is_not_answered_again_is_kept(cardbench, site, tmp_path):
    path = tmp_path / "r.json"
    path.write_text(NAMED)
    for delete_key in ("secret", None):
        site.will_say(200, RECEIPT | {"delete_key": delete_key})
        assert send(cardbench, site, path)[1]["delete_key"] == "secret"


FAKE = {
    "severity": "alarm",
    "sentence": "Smaller than it claims: it holds only 8.00 GB of 64.00 GB.",
    "next_step": "It is a fake: ask for your money back.",
}
WORDS = (
    "alarm: Smaller than it claims: it holds only 8.00 GB of 64.00 GB. It is a fake: ask for your money back."
)


def test_what_the_server_found_is_printed_and_shown_again(cardbench, site, tmp_path):
    path = tmp_path / "r.json"
    path.write_bytes(GOLDEN.read_bytes())
    assert WORDS not in cardbench("show", path).stdout
    site.will_say(202, RECEIPT)
    site.submission = {"state": "processed", "findings": [FAKE]}
    assert WORDS in cardbench("submit", path, "--server", site.url).stdout
    first = cardbench("show", path).stdout.partition("The card")[0]
    assert WORDS in first, "without asking the server again"


def test_a_server_that_knows_no_findings_is_no_error(cardbench, site, tmp_path):
    path = tmp_path / "r.json"
    path.write_bytes(GOLDEN.read_bytes())
    site.will_say(202, RECEIPT)
    site.submission = {"state": "processed"}
    sent = cardbench("submit", path, "--server", site.url)
    assert (sent.returncode, sent.stderr) == (0, "")


def test_a_rejection_is_said(cardbench, site, tmp_path):
    path = tmp_path / "r.json"
    path.write_bytes(GOLDEN.read_bytes())
    site.will_say(202, RECEIPT)
    site.submission = {
        "state": "rejected",
        "reason": {"code": "undecided_bus", "detail": "SD or MMC?", "field": ""},
    }
    sent = cardbench("submit", path, "--server", site.url)
    assert (sent.returncode, "rejected    SD or MMC?" in sent.stdout) == (5, True)
    assert sent.stdout.splitlines()[-1].endswith(f"/submissions/{RECEIPT['id']}/"), (
        "the link is the last word"
    )
