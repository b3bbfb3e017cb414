"""What may import what (README, "Rooms"). Read with `ast`, so that the rule cannot be skipped for want of a tool."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent
STANDARD_LIBRARY = sys.stdlib_module_names

# room -> rooms of this project it may import, besides itself. The longest matching name counts.
ARROWS = {
    "api": {
        "submissions.evidence.explanation",
        "submissions.evidence.flag_words",
        "submissions.dumps",
        "submissions.visitors.limits",
        "submissions.counters",
        "submissions.writing.decisions",
        "submissions.freshness",
        "submissions.evidence",
        "submissions.writing.photos",
        "submissions.visitors.visitor",
        "submissions.writing.ingest",
        "submissions.tasks",
        "submissions.models",
        "submissions.domain",
    },
    "submissions.pages.views": {
        "submissions.pages.views.client",
        "submissions.evidence.explanation",
        "submissions.evidence.flag_words",
        "submissions.visitors.limits",
        "submissions.counters",
        "submissions.writing.decisions",
        "submissions.visitors.accounts",
        "submissions.drawing",
        "submissions.pages.forms",
        "submissions.writing.ingest",
        "submissions.writing.photos",
        "submissions.pages.content.methods",
        "submissions.pages.content.registers",
        "submissions.pages.content.tables",
        "submissions.pages.content",
        "submissions.pages.forms.report",
        "submissions.tasks",
        "submissions.pages.content.preview",
        "submissions.visitors.visitor",
        "submissions.models",
        "submissions.domain",
        "submissions.evidence",
    },
    "submissions.writing.photos": {"submissions.models", "submissions.domain"},
    "submissions.pages.forms.report": {"submissions.models", "submissions.domain"},
    "submissions.visitors.limits": {"submissions.visitors.visitor"},
    "submissions.apps": {"submissions.domain"},
    "submissions.pages.views.client": set(),
    "submissions.counters": set(),
    "submissions.tasks": set(),
    "submissions.visitors.visitor": {"submissions.writing.ingest"},
    "submissions.freshness": {"submissions.models"},
    "submissions.dumps": {"submissions.evidence", "submissions.models", "submissions.domain"},
    "submissions.pages.content.preview": {
        "submissions.pages.content.registers",
        "submissions.pages.content.tables",
        "submissions.models",
        "submissions.domain",
    },
    "submissions.pages.urls": {
        "submissions.freshness",
        "submissions.pages.views.feeds",
        "submissions.pages.views",
    },
    "submissions.pages.views.feeds": {"submissions.models", "submissions.domain"},
    "submissions.pages.content": {
        "submissions.drawing",
        "submissions.pages.plots",
        "submissions.pages.content.registers",
        "submissions.pages.content.tables",
        "submissions.pages.wording",
        "submissions.evidence",
        "submissions.models",
        "submissions.domain",
    },
    "submissions.pages.forms": {"submissions.writing.photos", "submissions.models", "submissions.domain"},
    "submissions.templatetags": {
        "submissions.pages.plots",
        "submissions.pages.content",
        "submissions.pages.wording",
        "submissions.models",
        "submissions.domain",
    },
    "submissions.pages.content.methods": {"submissions.domain"},
    "submissions.evidence.explanation": {"submissions.evidence", "submissions.models", "submissions.domain"},
    "submissions.evidence.flag_words": {"submissions.models", "submissions.domain"},
    "submissions.pages.content.registers": {"submissions.domain"},
    "submissions.pages.content.tables": {
        "submissions.drawing",
        "submissions.pages.plots",
        "submissions.models",
        "submissions.domain",
    },
    "submissions.drawing": {
        "submissions.pages.plots",
        "submissions.pages.wording",
        "submissions.models",
        "submissions.domain",
    },
    "submissions.pages.plots": set(),
    "submissions.pages.wording": {"submissions.domain"},
    "submissions.management": {
        "submissions.dumps",
        "submissions.writing.names",
        "submissions.writing.filing",
        "submissions.writing.ingest",
        "submissions.writing.refit",
        "submissions.tasks",
        "submissions.writing.scoring",
        "submissions.models",
        "submissions.domain",
    },
    "submissions.writing.holding": {
        "submissions.sql.prepared",
        "submissions.writing.filing",
        "submissions.models",
        "submissions.domain",
    },
    "submissions.writing.decisions": {
        "submissions.writing.filing",
        "submissions.writing.ingest",
        "submissions.models",
        "submissions.domain",
    },
    "submissions.visitors.accounts": {
        "submissions.writing.ingest",
        "submissions.writing.decisions",
        "submissions.models",
        "submissions.domain",
    },
    "submissions.tasks": {
        "submissions.tasks",
        "submissions.counters",
        "submissions.dumps",
        "submissions.writing.ingest",
        "submissions.writing.refit",
        "submissions.models",
        "submissions.domain",
    },
    "submissions.admin": {
        "submissions.writing.decisions",
        "submissions.writing.names",
        "submissions.models",
        "submissions.domain",
    },
    "submissions.writing.ingest": {
        "submissions.sql.prepared",
        "submissions.writing.holding",
        "submissions.writing.filing",
        "submissions.writing.recording",
        "submissions.sql.bulk",
        "submissions.writing.scoring",
        "submissions.models",
        "submissions.domain",
    },
    "submissions.writing.names": {
        "submissions.writing.filing",
        "submissions.writing.holding",
        "submissions.writing.scoring",
        "submissions.models",
        "submissions.domain",
    },
    "submissions.sql.bulk": set(),
    "submissions.sql.prepared": set(),
    "submissions.writing.catalogue": {
        "submissions.sql.prepared",
        "submissions.sql.bulk",
        "submissions.models",
        "submissions.domain",
    },
    "submissions.writing.filing": {
        "submissions.sql.prepared",
        "submissions.writing.catalogue",
        "submissions.sql.bulk",
        "submissions.models",
        "submissions.domain",
    },
    "submissions.writing.recording": {
        "submissions.sql.prepared",
        "submissions.writing.filing",
        "submissions.sql.bulk",
        "submissions.models",
        "submissions.domain",
    },
    "submissions.writing.scoring": {
        "submissions.sql.prepared",
        "submissions.sql.bulk",
        "submissions.writing.facets",
        "submissions.evidence",
        "submissions.models",
        "submissions.domain",
    },
    "submissions.writing.facets": {
        "submissions.sql.prepared",
        "submissions.sql.bulk",
        "submissions.evidence",
        "submissions.models",
        "submissions.domain",
    },
    "submissions.evidence": {"submissions.sql.prepared", "submissions.models", "submissions.domain"},
    "submissions.writing.refit": {
        "submissions.writing.facets",
        "submissions.writing.filing",
        "submissions.evidence",
        "submissions.sql.bulk",
        "submissions.writing.scoring",
        "submissions.models",
        "submissions.domain",
    },
    "submissions.models": {"submissions.domain"},
    "submissions.migrations": {"submissions.models"},
    "submissions.domain": set(),
    "submissions": set(),
    "flashdb": set(),
    "client": set(),
    "manage": set(),
}
ROOMS = ("flashdb", "submissions", "api", "client", "cardbench", "tests")
# The pure core stands on these alone; msgspec declares the report contract as types.
PURE = {"numpy", "scipy", "msgspec"}


def modules() -> Iterator[tuple[str, Path]]:
    for room in ("flashdb", "submissions", "api", "client"):
        for path in (PROJECT / room).rglob("*.py"):
            if "build" not in path.parts:
                yield (
                    ".".join(path.relative_to(PROJECT).with_suffix("").parts).removesuffix(".__init__"),
                    path,
                )
    yield "manage", PROJECT / "manage.py"


def imports(source: str) -> set[str]:
    """Every module an `import` statement names, wherever it stands; `from a import b` counts as a.b."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide where they lead"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def within(module: str, room: str) -> bool:
    return module == room or module.startswith(f"{room}.")


def room_of(module: str) -> str:
    return max((room for room in ARROWS if within(module, room)), key=len)


def violations(module: str, source: str) -> list[str]:
    """Imports of `module` that no arrow permits, in words."""
    home = room_of(module)
    return [
        f"{module} must not import {target}"
        for target in sorted(imports(source))
        if not (
            _permitted_here(home, target)
            if target.split(".")[0] in ROOMS
            else _permitted_outside(home, target)
        )
    ]


def _permitted_here(home: str, target: str) -> bool:
    if home == "client":
        return within(target, "cardbench") or within(target, "client")
    if home == "submissions":
        return False  # a new module of the heart needs a row above
    return within(target, home) or any(within(target, room) for room in ARROWS[home])


def _permitted_outside(home: str, target: str) -> bool:
    package = target.split(".", maxsplit=1)[0]
    if home == "submissions.domain":
        return package in STANDARD_LIBRARY | PURE
    if home == "client":
        return package in STANDARD_LIBRARY | {"setuptools", "wheel"}
    return True


@pytest.mark.parametrize(("module", "path"), list(modules()))
def test_it_imports_only_what_it_may(module: str, path: Path) -> None:
    assert violations(module, path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("module", "planted"),
    [
        ("submissions.domain.ranking.scores", "from django.db import models"),
        ("submissions.domain.ranking.scores", "from submissions.models import Score"),
        ("submissions.models.card", "from submissions import ingest"),
        ("submissions.writing.ingest", "def f():\n    from submissions import tasks"),
        ("submissions.tasks", "from api.v1 import views"),
        ("api.v1.views", "from submissions import views"),
        ("submissions.pages.views", "import flashdb.settings"),
        ("submissions.helpers", "from submissions.models import Card"),
        ("client.cardbench.report", "from submissions.domain import report"),
        ("client.cardbench.report", "import requests"),
    ],
)
def test_it_finds_a_planted_violation(module: str, planted: str) -> None:
    assert violations(module, planted)


def test_every_module_of_the_rooms_is_looked_at() -> None:
    names = {name for name, _ in modules()}
    assert {
        "submissions.writing.ingest",
        "submissions.domain.report",
        "api.v1.views",
        "flashdb.settings",
    } <= names


def test_no_other_room_stands_beside_these() -> None:
    rooms = {
        path.name for path in PROJECT.iterdir() if path.is_dir() and not path.name.startswith((".", "__"))
    }
    assert rooms <= {"flashdb", "submissions", "api", "client", "templates", "tests"}
