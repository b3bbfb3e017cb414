"""Print how large the product is: `make size`, or WITH=COMMIT make size to compare with another commit.

One row per package: tokens, statements and lines of its Python. Tokens come from `tokenize` without comments, newlines
and indentation, because counting lines would reward dense code. Migrations are left out.
"""

import ast
import io
import os
import subprocess
import sys
import tempfile
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
PRODUCT = ("flashdb", "submissions", "api", "client")
MEASURES = ("tokens", "statements", "lines")
_LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def measure(source: str) -> Counter[str]:
    """Return the tokens, statements and lines of a Python source text."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return Counter(
        tokens=sum(token.type not in _LAYOUT for token in tokens),
        statements=sum(isinstance(node, ast.stmt) for node in ast.walk(ast.parse(source))),
        lines=source.count("\n"),
    )


def measure_packages(root: Path) -> dict[str, Counter[str]]:
    """Return the size of each package below `root`, by its path."""
    sizes: dict[str, Counter[str]] = {}
    for path in _product_files(root):
        package = path.parent.relative_to(root).as_posix()
        sizes.setdefault(package, Counter()).update(measure(path.read_text(encoding="utf-8")))
    return sizes


def _product_files(root: Path) -> Iterator[Path]:
    for top in PRODUCT:
        paths = sorted((root / top).rglob("*.py"))
        yield from (path for path in paths if not {"migrations", "build"} & set(path.parts))


def format_table(sizes: dict[str, Counter[str]], before: dict[str, Counter[str]] | None = None) -> str:
    """Return a table with one row per package and a total; with `before`, also the difference in tokens."""
    before_all = before or {}
    rows = {name: sizes.get(name, Counter()) for name in sorted({*sizes, *before_all})}
    rows["total"] = sum(sizes.values(), Counter())
    old = {**before_all, "total": sum(before_all.values(), Counter())}
    return "\n".join(
        _format_row(name, size, None if before is None else old.get(name, Counter()))
        for name, size in rows.items()
    )


def _format_row(name: str, size: Counter[str], before: Counter[str] | None) -> str:
    change = "" if before is None else f"{size['tokens'] - before['tokens']:>+9,}"
    return "".join(f"{size[measure]:>10,}" for measure in MEASURES) + f"{change}  {name}"


def measure_commit(commit: str) -> dict[str, Counter[str]]:
    """Return the size of each package in another commit."""
    with tempfile.TemporaryDirectory() as folder:
        archive = ("git", "archive", commit, "--output", f"{folder}/commit.tar", *PRODUCT)
        if subprocess.run(archive, cwd=PROJECT, check=False).returncode:
            sys.exit(f"“{commit}” is no commit of this repository: give one as WITH=COMMIT.")
        subprocess.run(("tar", "-xf", "commit.tar"), cwd=folder, check=True)
        return measure_packages(Path(folder))


if __name__ == "__main__":
    other = os.environ.get("WITH")
    print("".join(f"{name:>10}" for name in MEASURES))
    print(format_table(measure_packages(PROJECT), measure_commit(other) if other else None))
