"""A report that does not name its card is not sent before the user has given its label, as an answer or by options."""

import json

import pytest

from tests.client.server.test_submit import GOLDEN, RECEIPT, site

__all__ = ["site"]


@pytest.fixture
def nameless(tmp_path):
    """Write a report of a card behind a reader, which hides its registers; return its path."""
    document = json.loads(GOLDEN.read_bytes())
    document["card"] |= {"registers": {}, "label": {}, "condition": "used"}
    path = tmp_path / "r.json"
    path.write_text(json.dumps(document))
    return path


def read_sent_card(site) -> dict:
    return json.loads(site.requests[-1][2])["card"]


def test_it_asks(run_on_terminal, site, nameless):
    site.will_say(202, RECEIPT)
    answers = "SanDisk\n\nmuch\n64\n"
    status, shown = run_on_terminal("submit", nameless, "--server", site.url, answers=answers)
    assert status == 0, shown
    assert "No CID" in shown or "no CID" in shown
    assert "“much” is not a size" in shown
    assert read_sent_card(site)["label"] == {"brand": "SanDisk", "capacity_gb": 64}
    assert json.loads(nameless.read_bytes())["card"] == read_sent_card(site), "what was sent is what is kept"


def test_without_a_brand_nothing_is_sent(run_on_terminal, site, nameless):
    before = nameless.read_bytes()
    status, shown = run_on_terminal("submit", nameless, "--server", site.url, answers="\n\n64\n")
    assert (status, "Nothing was sent" in shown) == (2, True)
    assert (site.requests, nameless.read_bytes()) == ([], before)


def test_a_script_is_refused(cardbench, site, nameless):
    done = cardbench("submit", nameless, "--server", site.url)
    assert (done.returncode, "--brand SanDisk" in done.stderr) == (2, True)
    assert site.requests == []
    refused = json.loads(cardbench("submit", nameless, "--server", site.url, "--json").stdout)
    assert refused["error"]["code"] == "usage"


def test_the_options_say_it(cardbench, site, nameless):
    site.will_say(202, RECEIPT)
    label = ("--brand", "Kingston", "--capacity-gb", 32, "--note", "from a camera")
    assert cardbench("submit", nameless, "--server", site.url, *label).returncode == 0
    assert read_sent_card(site)["label"] == {"brand": "Kingston", "capacity_gb": 32}
    assert read_sent_card(site)["condition"] == "used", "what was not said stays"
    assert json.loads(nameless.read_bytes())["note"] == "from a camera"


def test_a_dry_run_prints_what_the_options_say_and_changes_nothing(cardbench, nameless):
    before = nameless.read_bytes()
    printed = json.loads(cardbench("submit", nameless, "--dry-run", "--brand", "Kingston").stdout)
    assert printed["card"]["label"] == {"brand": "Kingston"}
    assert nameless.read_bytes() == before


def test_what_was_sent_is_corrected_elsewhere(cardbench, site, nameless):
    site.will_say(202, RECEIPT)
    cardbench("submit", nameless, "--server", site.url, "--brand", "Kingston")
    done = cardbench("submit", nameless, "--server", site.url, "--brand", "SanDisk")
    assert (done.returncode, f"/submissions/{RECEIPT['id']}/" in done.stderr) == (2, True)
    assert len(site.requests) == 1


def test_run_asks_before_it_measures(run_on_terminal, site, tmp_path):
    site.will_say(202, RECEIPT)
    words = ("run", tmp_path, "--workload", "align", "--submit", "--server", site.url, "--even-if-no-card")
    status, shown = run_on_terminal(*words, answers="Kingston\n\n32\n")
    assert status == 0, shown
    assert shown.index("brand") < shown.index("Saved as")
    assert read_sent_card(site)["label"] == {"brand": "Kingston", "capacity_gb": 32}


def test_a_run_that_goes_on_knows_the_label(cardbench, site, image, tmp_path):
    path = tmp_path / "r.json"
    cardbench("run", image, "--workload", "align", "-o", path, "--brand", "Kingston")
    site.will_say(202, RECEIPT)
    words = ("--submit", "--server", site.url, "--even-if-no-card", "--capacity-gb", 32)
    done = cardbench("run", image, "--resume", path, *words)
    assert done.returncode == 0, done.stderr
    assert read_sent_card(site)["label"] == {"brand": "Kingston", "capacity_gb": 32}


def test_a_run_that_goes_on_knows_what_else_was_said(cardbench, image, tmp_path):
    path = tmp_path / "r.json"
    said = ("--condition", "used", "--specimen", "card 5", "--note", "from a camera")
    cardbench("run", image, "--workload", "align", "-o", path, *said)
    for more, condition in (((), "used"), (("--condition", "filled"), "filled")):
        assert cardbench("run", image, "--resume", path, *more).returncode == 0
        document = json.loads(path.read_bytes())
        assert (document["card"]["condition"], document["card"]["specimen"]) == (condition, "card 5")
        assert document["note"] == "from a camera"


def test_a_damaged_receipt_is_not_written_over(cardbench, site, nameless):
    receipt = nameless.with_suffix(".receipt.json")
    receipt.write_text('{"secret": ')
    done = cardbench("submit", nameless, "--server", site.url, "--brand", "Kingston")
    assert (done.returncode, f"{receipt} cannot be read" in done.stderr) == (2, True)
    assert receipt.read_text() == '{"secret": '
    assert site.requests == []
