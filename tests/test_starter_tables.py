"""Tables of published results are packed as starter data, always in the same bytes."""

from pathlib import Path

import pytest

from tests.starter_tables import STARTER, pack_tables, unpack


def test_the_same_folder_packs_to_the_same_bytes(tmp_path: Path) -> None:
    for place in ("once", "again"):
        pack_tables(STARTER, target=tmp_path / place)
    packed = {path.name: path.read_bytes() for path in (tmp_path / "once").iterdir()}

    assert packed == {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()}
    assert _unpack_all(tmp_path / "once") == _unpack_all(STARTER)  # another zlib packs otherwise


def test_a_folder_without_tables_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.csv").write_text("card,speed\nUltra,fast\n")
    with pytest.raises(SystemExit, match="holds no table with the columns of"):
        pack_tables(tmp_path, target=tmp_path / "packed")


def _unpack_all(folder: Path) -> dict[str, bytes]:
    return {path.name: unpack(path) for path in folder.iterdir()}
