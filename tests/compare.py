"""Compare the site with that of another commit, byte by byte, with the starter data: `make compare WITH=COMMIT`.

Both commits load the same reports under the same secrets. Then the program reads every URL that can be reached without
a browser, and every stored performance, estimate and flag. Times are left out, and random numbers are the same in both.
"""

import base64
import difflib
import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urljoin, urlsplit

PROJECT = Path(__file__).resolve().parents[1]
# Older commits lack some of these settings.
TABLES = ("Performance", "AbilityEstimate", "VariationFlag")
MOST_ADDRESSES, MOST_OF_A_PATH, MOST_LINES, MOST_CHARACTERS = 3000, 6, 40, 200
OUTSIDE = ("/admin/", "/static/", "/account/", "/metrics/", "/health/", "/cardbench.pyz")
LINK = re.compile(r"""(?:href|src|action|hx-get)=["']([^"'#]+)|"((?:https?://testserver)?/[^"\s\\]*)\"""")


def _decode_cursor(match: re.Match[str]) -> str:
    return base64.urlsafe_b64decode(match[0] + "=" * (-len(match[0]) % 4)).decode(errors="replace")


# Times and form tokens are replaced. A cursor contains a time, too.
MOVING: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"(?<=[?&;]cursor=)[\w-]+"), _decode_cursor),
    (re.compile(r'name="csrfmiddlewaretoken" value="[^"]+"'), "csrf"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?"), "MOMENT"),
    (re.compile(r"\b\d\d?:\d\d(?::\d\d)?(?: ?[ap]\.m\.)?"), "TIME"),
    (re.compile(r"\b\d+\xa0?\s?(?:second|minute)s? ago"), "AGO"),
    (re.compile(r"(?<=%3A)1\w{5}%3A[\w-]{43}"), "SIGNED"),
    (re.compile(r"(?<=[\w-])\.[0-9a-f]{12}(?=\.\w+\b)"), ""),  # of a static file, whatever is in it
    (re.compile(r"nonce-[\w+/=-]+"), "nonce"),
    (re.compile(r'"took_ns": ?\d+'), '"took_ns": 0'),
)
ENVIRONMENT = {
    "ALLOWED_HOSTS": "*",
    "DEBUG": "False",
    "SECURE_COOKIES": "False",
    "SECRET_KEY": "compared with itself: 51c8e07d2f",
    "IDENTITY_SECRET": "one identity for both: 9a4be2c617",
    "LOG_LEVEL": "ERROR",
    "RATE_LIMITS": "off",
    "DJANGO_SETTINGS_MODULE": "flashdb.settings",
    "OMP_NUM_THREADS": "1",
}

Answers = Mapping[str, str]


def main() -> int:
    """Print the differences, and return the exit status: 0 if there are none."""
    with tempfile.TemporaryDirectory(prefix="flashdb-compare-") as folder:
        other = _checkout(sys.argv[1], Path(folder) / "other")
        try:
            before, after = (_read_site(place, Path(folder)) for place in (other, PROJECT))
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", other], cwd=PROJECT, check=True)
    differing = [
        address for address in sorted(before.keys() | after.keys()) if _differs(before, after, address)
    ]
    for address in differing:
        print(f"== {address}", *_difference(before.get(address, ""), after.get(address, "")), sep="\n")
    print(f"{len(before)} addresses and tables before, {len(after)} after; {len(differing)} differ")
    return 1 if differing else 0


def _checkout(commit: str, place: Path) -> Path:
    subprocess.run(["git", "worktree", "add", "--quiet", "--detach", place, commit], cwd=PROJECT, check=True)
    return place


def _read_site(place: Path, folder: Path) -> Answers:
    """Return the texts of a site by URL or table, read by the code in `place` with its own packages, not with ours."""
    subprocess.run(["make", "--silent", "--no-print-directory", "setup"], cwd=place, check=True)
    python = str(place / ".venv" / "bin" / "python")
    written = folder / f"{place.name}.json"
    servers = [python, "-m", "flashdb.local_services", "--temporary", "--"]
    paths = os.pathsep.join([str(place), str(place / "client")])
    subprocess.run(
        [*servers, python, str(Path(__file__).resolve()), "--read", str(written)],
        cwd=place,
        env=os.environ | ENVIRONMENT | {"PYTHONPATH": paths},
        check=True,
    )
    answers: Answers = json.loads(written.read_text(encoding="utf-8"))
    return answers


def _differs(before: Answers, after: Answers, address: str) -> bool:
    return _parts(before.get(address, "")) != _parts(after.get(address, ""))


def _difference(before: str, after: str) -> Iterator[str]:
    old, new = (_parts(text) for text in (before, after))
    lines = list(difflib.unified_diff(old, new, "before", "after", n=0, lineterm=""))
    yield from (line[:MOST_CHARACTERS] for line in lines[2:MOST_LINES])
    if len(lines) > MOST_LINES:
        yield f"… {len(lines) - MOST_LINES} more lines"


def _parts(text: str) -> list[str]:
    # Splits a text at lines, tags, and JSON objects, because JSON is one long line; the layout of HTML does not count.
    parts = re.split(r"\n|(?<=[}\]],)|(?<=>)(?=<)", text)
    return [part for part in map(str.strip, parts) if part]


def _write_answers(written: Path) -> None:
    sys.path[0] = str(Path.cwd())  # this script may lie in another checkout
    # Makes the random ids of submissions the same in both, and so the keys of cards without any other identity.
    lots = {"randbelow": Random(7).randrange}
    vars(secrets).update(lots)
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    starter = sorted(str(path) for path in Path("submissions/starter").glob("*.jsonl"))
    call_command("load_reports", *starter, "--here", stdout=sys.stderr)
    tables = sorted(str(path) for path in Path("submissions/starter/published").glob("*.csv*"))
    if tables:
        call_command("import_table", *tables, "--here", stdout=sys.stderr)
    texts = {_still(address): _still(text) for address, text in (_read_tables() | _walk_site()).items()}
    written.write_text(json.dumps(texts), encoding="utf-8")


def _still(text: str) -> str:
    for pattern, instead in MOVING:
        text = pattern.sub(instead, text)
    return text


def _read_tables() -> dict[str, str]:
    from django.apps import apps

    stored = {model.__name__: model for model in apps.get_app_config("submissions").get_models()}
    return {f"table {name}": "\n".join(_rows(stored[name])) for name in TABLES if name in stored}


def _rows(model: Any) -> list[str]:
    left_out = {"id", "fit_id", "card_model_id"}
    columns = [field.attname for field in model._meta.concrete_fields if field.attname not in left_out]
    rows = model.objects.values_list("card_model__slug", *columns)
    return sorted(" ".join(map(repr, row)) for row in rows)


def _walk_site() -> dict[str, str]:
    from django.test import Client
    from django.urls import get_resolver

    client, seen, paths = Client(), dict[str, str](), Counter[str]()
    waiting = list(_list_addresses(get_resolver()))
    while waiting and len(seen) < MOST_ADDRESSES:
        address = waiting.pop(0)
        path = urlsplit(address).path
        if address in seen or path.startswith(OUTSIDE) or paths[path] == MOST_OF_A_PATH:
            continue
        paths[path] += 1
        client.cookies.clear()  # else a page would be in the language of the page before
        response = client.get(address)
        content = b"".join(response) if response.streaming else response.content
        seen[address] = (
            f"{response.status_code} {response.get('Location', '')}\n{content.decode(errors='replace')}"
        )
        waiting += sorted(set(_links(seen[address], address)) - seen.keys())
    return seen


def _list_addresses(resolver: Any, prefix: str = "/") -> Iterator[str]:
    # Only URLs that need no parameter.
    for pattern in resolver.url_patterns:
        route = str(pattern.pattern)
        if hasattr(pattern, "url_patterns"):
            yield from _list_addresses(pattern, prefix + route)
        elif not re.search(r"[<^(]", route):
            yield prefix + route


def _links(text: str, base: str) -> Iterator[str]:
    for match in LINK.finditer(text):
        address = urlsplit(urljoin(f"http://testserver{base}", (match[1] or match[2]).replace("&amp;", "&")))
        if address.netloc == "testserver":
            yield address.path + (f"?{address.query}" if address.query else "")


if __name__ == "__main__":
    if sys.argv[1] == "--read":
        _write_answers(Path(sys.argv[2]))
    else:
        sys.exit(main())
