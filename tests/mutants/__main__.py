"""Make small changes in the code of each package, and count how many of them its tests detect: `make mutants`.

ROOM=estimation selects one package, SAMPLE=60 sets the number of mutants per package (0: all), SEED=1 another draw,
BUDGET=300 the seconds of tests for each. All happens in a temporary copy of the tree. A change that hangs counts as
detected, and so does one that every test survives and that `make lint` refuses, such as None where a text is declared.
The list of the C engine follows.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.mutants import forks
from tests.mutants.places import Mutant, mutants

PROJECT = Path(__file__).parent.parent.parent
T = "tests/submissions/"
_SECURITY = tuple(
    f"tests/security/test_{name}.py" for name in ("delete_keys", "network_limits", "second_factor")
)
# Package -> its code, and the tests that should detect changes.
ROOMS = {
    "estimation": ("submissions/domain/estimation", [f"{T}domain/estimation"]),
    "measuring": ("submissions/domain/measuring", [f"{T}domain/measuring"]),
    "writing": (
        "submissions/writing",
        [
            *(f"{T}writing", f"{T}visitors/test_coalescing.py", f"{T}evidence", "tests/api"),
            *(f"{T}management/test_import_table.py"),
        ],
    ),
    "evidence": (
        "submissions/evidence",
        [
            *(f"{T}evidence", f"{T}pages", f"{T}management", f"{T}test_draws.py", "tests/api"),
            *(f"{T}writing/test_refit.py"),
            f"{T}writing/test_facets_of_several_cards.py",
        ],
    ),
    "visitors": (
        "submissions/visitors",
        [f"{T}visitors", "tests/api/test_tokens.py", *_SECURITY],
    ),
    "pages": (
        "submissions/pages",
        [
            *(f"{T}pages", f"{T}test_draws.py", f"{T}visitors", *_SECURITY),
            "tests/security/test_access.py",
        ],
    ),
}
LINTERS = Path(sys.executable).parent
REFUSED = "refused by the linters"
# File of the lines that each test reaches: to find them takes minutes, and they stay valid until a file changes.
KEPT = PROJECT / ".mutants_cache"
# Seconds of tests per mutant. A mutant that only a later test would detect counts as survived.
BUDGET_S = float(os.environ.get("BUDGET") or 120)
_LEFT_OUT = (".venv", ".git", ".state", ".tools", "__pycache__", "screenshots", ".mutants_cache")


@dataclass(frozen=True)
class Tried:
    mutant: Mutant
    diff: str
    outcome: str


def draw_mutants(room: str, *, sample: int, seed: int) -> list[Mutant]:
    """Return `sample` random mutants of a package, always the same for a seed; all mutants if it is 0."""
    files = sorted((PROJECT / ROOMS[room][0]).rglob("*.py"))
    every = [mutant for path in files for mutant in mutants(path)]
    return random.Random(seed).sample(every, min(sample or len(every), len(every)))


def try_mutants(room: str, chosen: list[Mutant], copy: Path) -> Iterator[Tried]:
    """Yield each mutant with its outcome, in turn; changes that are no valid Python are skipped."""
    folders = ROOMS[room][1]
    reach = forks.survey(copy, [code for code, _ in ROOMS.values()], folders, KEPT)
    fresh = False
    for mutant in chosen:
        if source := mutant.source():
            path = mutant.path.relative_to(PROJECT)
            near = reach.find_tests(str(path), mutant.line, mutant.function, folders, once=mutant.wrapped)
            near = reach.limit_tests(near, BUDGET_S)
            with forks.replace_file(copy / path, source):
                outcome = _outcome(near, copy, limit_s=60 + 4 * reach.seconds_of(near), fresh=fresh)
                if outcome == forks.SURVIVED and _is_refused(mutant, copy):
                    outcome = REFUSED
            fresh = outcome == forks.TIME_OUT  # a test that was ended may have left rows
            yield Tried(mutant, mutant.diff(source), outcome)


def _outcome(tests: list[str], copy: Path, *, limit_s: float, fresh: bool) -> str:
    return forks.outcome(copy, tests, limit_s=limit_s, fresh=fresh) if tests else forks.SURVIVED


def _is_refused(mutant: Mutant, copy: Path) -> bool:
    path, env = str(mutant.path.relative_to(PROJECT)), os.environ | {"DATABASE_URL": "postgresql:///types"}
    commands = (["ruff", "check", "--quiet"], ["mypy"])
    return any(
        subprocess.run(
            [LINTERS / name, *rest, path], cwd=copy, env=env, capture_output=True, check=False
        ).returncode
        for name, *rest in commands
    )


def run(room: str, copy: Path, *, sample: int, seed: int) -> None:
    counts: Counter[str] = Counter()
    for number, trial in enumerate(try_mutants(room, draw_mutants(room, sample=sample, seed=seed), copy), 1):
        counts[trial.outcome] += 1
        print(f"{room} {number} {trial.outcome}", end="\r" if sys.stdout.isatty() else "\n", flush=True)
        if trial.outcome in (forks.SURVIVED, forks.TIME_OUT):
            print(f"{trial.mutant.path.relative_to(PROJECT)}:{trial.mutant.line}\n{trial.diff}\n", flush=True)
    noticed = counts.total() - counts[forks.SURVIVED]
    rate = 100 * noticed / max(counts.total(), 1)
    print(
        f"{room:10} {noticed} of {counts.total()} noticed, {rate:.0f} %, seed {seed} {dict(counts)}",
        flush=True,
    )


def main() -> None:
    names = os.environ.get("ROOM", "").split() or [*ROOMS, "engine"]
    sample, seed = int(os.environ.get("SAMPLE") or 40), int(os.environ.get("SEED") or 1)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "flashdb"
        shutil.copytree(PROJECT, copy, symlinks=True, ignore=shutil.ignore_patterns(*_LEFT_OUT))
        for room in (room for room in ROOMS if room in names):
            run(room, copy, sample=sample, seed=seed)
    if "engine" in names:
        sys.exit(subprocess.run([sys.executable, "-m", "tests.mutants.engine"], check=False).returncode)


if __name__ == "__main__":
    main()
