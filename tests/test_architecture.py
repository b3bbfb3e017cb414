"""Check which packages import which, with `ast`, so that the check needs no tool.

The packages are called rooms, permitted imports arrows. `python -m tests.test_architecture` prints the table of arrows,
the number of rooms and the length of the longest chain; ARCHITECTURE.md contains the table, and a test compares both.
"""

import ast
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent
STANDARD_LIBRARY = sys.stdlib_module_names

# Package -> packages that it may import besides itself. The longest matching name counts.
SUBMISSIONS = {
    "domain": "",
    "sandbox": "domain",
    "sql": "",
    "models": "domain",
    "evidence": "models sql domain",
    "dumps": "evidence models sql domain",
    "writing": "evidence models sandbox sql domain",
    "visitors": "writing counters models domain",
    "tasks": "writing dumps counters models domain",
    "pages": "visitors writing evidence dumps freshness counters models sandbox domain",
    "management": "pages visitors writing dumps models domain",
    "templatetags": "pages models domain",
    "admin": "visitors writing models domain",
    "freshness": "models sql",
    "counters": "",
    "apps": "domain",
    "migrations": "models",
}
# Packages of the core -> packages of the core they may import, besides the modules at its root.
DOMAIN = {
    "registers": "",
    "measuring": "",
    "estimation": "",
    "geometry": "measuring",
    "identity": "registers measuring",
    "intake": "identity registers measuring",
    "privacy": "intake identity registers measuring",
    "pasting": "intake privacy measuring findings",
    "ranking": "estimation geometry identity measuring",
    "findings": "ranking intake geometry identity registers measuring",
    "search": "ranking identity",
}
API = "visitors writing evidence dumps freshness counters models sandbox domain"
SERVER = {"api": API, **SUBMISSIONS}
CLIENT = {
    "ftl": "",
    "target": "ftl",
    "server": "",
    "geometry": "target",
    "measuring": "geometry target",
    "api": "server",
    "cli": "measuring geometry target api server",
}
# Modules at the root of the core and of the client may be imported by every room above them.
DOMAIN_ROOT = tuple(
    f"submissions.domain.{name}"
    for name in ("amendment", "errors", "fields", "json_shape", "report", "spelling", "tables", "translation")
)
CLIENT_ROOT = (
    "cardbench.errors",
    "cardbench.shapes",
    "cardbench.sizes",
    "cardbench.stopping",
    "cardbench.__version__",
)

ROOMS = ("flashdb", "submissions", "api", "client", "cardbench", "tests")
# The pure core needs only these; msgspec declares the report contract as types.
PURE = {"numpy", "scipy", "msgspec", "snowballstemmer"}
# Modules that build the package of the client; setuptools contains distutils.
BUILDING = {"setuptools", "distutils", "wheel"}


def _arrows() -> dict[str, set[str]]:
    of_submissions = {
        f"submissions.{room}": {f"submissions.{other}" for other in others.split()}
        for room, others in SUBMISSIONS.items()
    }
    of_domain = {
        f"submissions.domain.{room}": {
            *DOMAIN_ROOT,
            *(f"submissions.domain.{other}" for other in others.split()),
        }
        for room, others in DOMAIN.items()
    }
    of_client = {
        f"cardbench.{room}": {*CLIENT_ROOT, *(f"cardbench.{other}" for other in others.split())}
        for room, others in CLIENT.items()
    }
    return {
        "api": {f"submissions.{room}" for room in API.split()},
        **of_submissions,
        **of_domain,
        **of_client,
        "cardbench": {"cardbench"},
        "submissions": set(),
        "flashdb": set(),
        "client": {"cardbench"},
        "manage": set(),
    }


ARROWS = _arrows()


@cache
def find_modules() -> Mapping[str, Path]:
    """Return the file of every module except tests, by dotted name."""
    paths = [path for room in ("flashdb", "submissions", "api", "client") for path in _files(room)]
    return {_name(path): path for path in [*paths, PROJECT / "manage.py"]}


def _files(room: str) -> Iterator[Path]:
    return (path for path in (PROJECT / room).rglob("*.py") if "build" not in path.parts)


def _name(path: Path) -> str:
    dotted = ".".join(path.relative_to(PROJECT).with_suffix("").parts)
    return dotted.removesuffix(".__init__").replace("client.cardbench", "cardbench")


def find_imports(source: str) -> set[str]:
    """Return every module that an `import` statement names, also inside functions; `from a import b` counts as a.b."""
    targets: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            targets |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide where they lead"
            targets |= {f"{node.module}.{alias.name}" for alias in node.names}
    return targets


def is_within(module: str, room: str) -> bool:
    return module == room or module.startswith(f"{room}.")


def room_of(module: str) -> str:
    return max((room for room in ARROWS if is_within(module, room)), key=len)


def find_violations(module: str, source: str) -> list[str]:
    """Return a sentence for each import of `module` that the table of permitted imports does not allow."""
    home = room_of(module)
    return [
        f"{module} must not import {target}"
        for target in sorted(find_imports(source))
        if not (
            _permitted_here(home, target)
            if target.split(".")[0] in ROOMS
            else _permitted_outside(home, target)
        )
    ]


def _permitted_here(home: str, target: str) -> bool:
    if home == "submissions":
        return False  # a new module of the core needs a row above
    if home == "submissions.domain":
        return any(is_within(target, module) for module in DOMAIN_ROOT)
    return is_within(target, home) or any(is_within(target, room) for room in ARROWS[home])


def _permitted_outside(home: str, target: str) -> bool:
    package = target.split(".", maxsplit=1)[0]
    if is_within(home, "submissions.domain"):
        return package in STANDARD_LIBRARY | PURE
    if is_within(home, "cardbench"):
        return package in STANDARD_LIBRARY
    if home == "client":
        return package in STANDARD_LIBRARY | BUILDING
    return True


def count_floors(table: Mapping[str, str]) -> int:
    """Return the number of packages in the longest chain of permitted imports."""
    longest: dict[str, int] = {}
    for room in TopologicalSorter({room: others.split() for room, others in table.items()}).static_order():
        longest[room] = 1 + max((longest[other] for other in table[room].split()), default=0)
    return max(longest.values())


def count_rooms() -> dict[str, int]:
    """Return the numbers of packages, and the lengths of the longest import chains, of server, core and client.

    `flashdb`, which no other package imports, counts as one package, and so does each file at the root of the client.
    """
    return {
        "rooms of the server": len({"api", "flashdb", *SUBMISSIONS}),
        "floors of the server": count_floors(SERVER),
        "rooms of the core": len(DOMAIN),
        "floors of the core": count_floors(DOMAIN) + 1,
        "rooms of the client": len(CLIENT) + len(CLIENT_ROOT),
        "floors of the client": count_floors(CLIENT) + 1,
    }


def format_arrows() -> str:
    """Return the permitted imports as the table of ARCHITECTURE.md, one line per package."""
    return "\n".join(
        [
            *(
                f"    {room:<13}-> {', '.join(others.split()) or 'nothing'}"
                for room, others in SERVER.items()
            ),
            "",
            *(
                f"    domain {room:<10}-> {', '.join(others.split()) or 'nothing'}"
                for room, others in DOMAIN.items()
            ),
            "",
            *(
                f"    client {room:<10}-> {', '.join(others.split()) or 'nothing'}"
                for room, others in CLIENT.items()
            ),
        ]
    )


@pytest.mark.parametrize("module", list(find_modules()))
def test_it_imports_only_what_it_may(module: str) -> None:
    assert find_violations(module, find_modules()[module].read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("module", "planted"),
    [
        ("submissions.domain.ranking.order", "from django.db import models"),
        ("submissions.domain.ranking.order", "from submissions.models import Performance"),
        ("submissions.domain.registers.bus", "from submissions.domain.identity import makers"),
        ("submissions.domain.report", "from submissions.domain.intake import paste"),
        ("submissions.models.card", "from submissions.writing import ingest"),
        ("submissions.evidence.records", "from submissions.writing import ingest"),
        ("submissions.writing.ingest", "def f():\n    from submissions import tasks"),
        ("submissions.tasks", "from api.v1 import views"),
        ("submissions.pages.wording", "import flashdb.settings"),
        ("submissions.helpers", "from submissions.models import Card"),
        ("api.v1.views", "from submissions.pages import views"),
        ("api.v1.views", "from submissions.sql import bulk"),
        ("cardbench.measuring.report", "from submissions.domain import report"),
        ("cardbench.measuring.report", "from cardbench.cli import show"),
        ("cardbench.measuring.report", "import requests"),
    ],
)
def test_it_finds_a_planted_violation(module: str, planted: str) -> None:
    assert find_violations(module, planted)


def test_every_module_of_the_rooms_is_looked_at() -> None:
    some = {"submissions.writing.ingest", "submissions.domain.report", "api.v1.views", "cardbench.api"}
    assert some | {"flashdb.settings", "manage"} <= set(find_modules())


def test_every_arrow_is_used() -> None:
    """Check that every permitted import is used, because an unused permission would allow a wrong import."""
    used = {
        (room_of(module), room_of(target))
        for module, path in find_modules().items()
        for target in find_imports(path.read_text(encoding="utf-8"))
        if target.split(".")[0] in ROOMS
    }
    # A room may import the core as a whole, however few of its packages it needs.
    used |= {(home, "submissions.domain") for home, room in used if is_within(room, "submissions.domain")}
    rooms = [room for room in ARROWS if room.startswith(("api", "submissions.", "cardbench."))]
    permitted = {(home, room) for home in rooms for room in ARROWS[home]} - {
        (home, module) for home in rooms for module in (*DOMAIN_ROOT, *CLIENT_ROOT)
    }
    assert permitted - used == set()


def test_no_file_imports_itself_by_way_of_others() -> None:
    graph = {
        name: {_find_module(target) for target in find_imports(path.read_text(encoding="utf-8"))} - {name}
        for name, path in find_modules().items()
    }
    assert list(TopologicalSorter(graph).static_order())  # raises CycleError, which names the circle


def _find_module(target: str) -> str:
    # Returns "" for a module outside this project.
    while target and target not in find_modules():
        target = target.rpartition(".")[0]
    return target


def test_no_other_room_stands_beside_these() -> None:
    rooms = {
        path.name for path in PROJECT.iterdir() if path.is_dir() and not path.name.startswith((".", "__"))
    }
    assert rooms <= {"flashdb", "submissions", "api", "client", "templates", "tests"}


def test_the_table_in_the_docs_is_this_one() -> None:
    assert format_arrows() in (PROJECT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def test_it_is_a_house_of_which_one_sees_the_plan() -> None:
    wanted = {"rooms of the server": 20, "floors of the server": 7, "rooms of the client": 12}
    assert {name: most for name, most in wanted.items() if count_rooms()[name] > most} == {}


def test_few_module_names_occur_twice() -> None:
    """Module names that Django prescribes, and the names of packages, do not count."""
    names = Counter(
        name.rpartition(".")[2] for name, path in find_modules().items() if path.name != "__init__.py"
    )
    by_django = {"admin", "apps", "urls", "formats", "__main__"}
    twice = {name for name, count in names.items() if count > 1} - by_django
    assert len(twice) <= 20, sorted(twice)


def test_few_files_stand_at_the_door_of_the_heart() -> None:
    files = [path for path in (PROJECT / "submissions").glob("*.py") if path.stat().st_size]
    assert len(files) <= 7


if __name__ == "__main__":
    print(format_arrows(), *(f"{number} {name}" for name, number in count_rooms().items()), sep="\n")
