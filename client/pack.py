"""Pack the client into one file that Python runs: python3 client/pack.py cardbench.pyz.

The same sources and engines always make the same file, byte for byte.
"""

import platform
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
_MOMENT = (1980, 1, 1, 0, 0, 0)


def pack(target: Path) -> None:
    """Write the client to `target`: a line that tells a shell to start Python, then a zip archive."""
    target.write_bytes(b"#!/usr/bin/env python3\n")
    with zipfile.ZipFile(target, "a", zipfile.ZIP_DEFLATED) as archive:
        for name, path in _list_members().items():
            archive.writestr(zipfile.ZipInfo(name, _MOMENT), path.read_bytes(), zipfile.ZIP_DEFLATED)


def _list_members() -> dict[str, Path]:
    files = [path for part in ("cardbench/**/*.py", "engine/*.[ch]") for path in HERE.glob(part)]
    members = {"__main__.py": HERE / "cardbench/__main__.py", "LICENSE": HERE.parent / "LICENSE"}
    members |= {path.relative_to(HERE).as_posix(): path for path in sorted(files)}
    return members | _list_engines()


def _list_engines() -> dict[str, Path]:
    # The engines of `make release`, else that of `make engine`, which runs on machines like this one.
    build = HERE / "engine/build"
    released = {path.parent.name: path for path in sorted(build.glob("*/cardbench-engine"))}
    own = build / "cardbench-engine"
    engines = released or ({platform.machine(): own} if own.is_file() else {})
    return {f"engine/build/{machine}/cardbench-engine": path for machine, path in engines.items()}


if __name__ == "__main__":
    pack(Path(sys.argv[1]))
