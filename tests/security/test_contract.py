"""The running API conforms to its OpenAPI document, by all checks of schemathesis.

This is a short run for every day; `make fuzz-api` runs longer.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.security.actors import MODERATOR
from tests.security.world import World, build

EXAMPLES = int(os.environ.get("EXAMPLES") or 1)
# Some phases send more than EXAMPLES requests, and take minutes.
IS_LONG = EXAMPLES > 10
PHASES = "examples,coverage,fuzzing,stateful" if IS_LONG else "examples,fuzzing"
SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")


def run_schemathesis(live_server: Any, folder: Path, headers: dict[str, str]) -> str:
    """Run schemathesis; return its output if a check fails, or "" if all pass.

    `folder`: its working folder, without a configuration file of schemathesis.
    """
    schema = f"{live_server.url}/api/v1/schema/?format=json"
    sent = [f"--header={name}: {value}" for name, value in headers.items()]
    options = ["--checks=all", f"--phases={PHASES}", f"--max-examples={EXAMPLES}", "--no-color", *sent]
    again = [] if IS_LONG else ["--generation-deterministic"]
    command = [str(SCHEMATHESIS), "run", schema, *options, *again]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return run.stdout + run.stderr if run.returncode else ""


def _list_failures(report: str) -> str:
    # Names each operation once, and below it the failed checks.
    lines = [line.strip() for line in report.splitlines()]
    words = [line for line in lines if line.startswith(("- ", "____")) or "FAILED" in line]
    return "\n".join(dict.fromkeys(words)) or report[-4_000:]


def test_a_failure_is_named() -> None:
    report = "...\n____ GET /api/v1/models/ ____\n1. Test Case ID: x\n\n- Server error\n\n    [500] boom\n"
    assert _list_failures(report) == "____ GET /api/v1/models/ ____\n- Server error"
    assert _list_failures("no headings") == "no headings"


@pytest.fixture
def world(transactional_db: None) -> World:
    return build()


@pytest.mark.parametrize("who", ["nobody", "moderator"] if IS_LONG else ["moderator"])
def test_it_works(live_server: Any, world: World, tmp_path: Path, who: str) -> None:
    token = world.clients[MODERATOR].defaults["HTTP_AUTHORIZATION"]
    headers = {"Authorization": str(token)} if who == "moderator" else {}
    complained = run_schemathesis(live_server, tmp_path, headers)
    if complained:  # pytest would cut the middle out, which names the failures
        print(complained)
        pytest.fail(f"as {who}: {_list_failures(complained)}", pytrace=False)
