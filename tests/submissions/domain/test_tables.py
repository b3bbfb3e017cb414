"""Tests that the tables in `data/` are read once, and that every row names its source."""

from pathlib import Path

import pytest

from submissions.domain import tables
from submissions.domain.errors import ReportError

DATA = Path(tables.__file__).parent / "data"
CSV = sorted(path.stem for path in DATA.glob("*.csv"))
TOML = sorted(path.stem for path in DATA.glob("*.toml"))


def test_it_works() -> None:
    ddr50 = next(row for row in tables.rows("bus_modes") if row["name"] == "DDR50")
    assert (ddr50["bus"], ddr50["raw_bytes_per_second"]) == ("SD", "50000000")
    assert tables.document("uses")["pi-root"]["version"] >= 1


def test_a_table_is_read_once() -> None:
    assert tables.rows("makers") is tables.rows("makers")
    assert tables.document("uses") is tables.document("uses")


def test_a_table_that_is_not_there_is_missed() -> None:
    with pytest.raises(FileNotFoundError, match="nothing"):
        tables.rows("nothing")


@pytest.mark.parametrize("name", CSV)
def test_every_row_names_its_source(name: str) -> None:
    assert tables.rows(name)
    assert [row for row in tables.rows(name) if not (row.get("source") or "").strip()] == []


@pytest.mark.parametrize("name", CSV)
def test_every_row_has_as_many_cells_as_the_heading(name: str) -> None:
    for row in tables.rows(name):
        assert None not in row and None not in row.values(), row


@pytest.mark.parametrize("name", TOML)
def test_every_entry_names_its_source(name: str) -> None:
    values = tables.document(name).values()
    entries = [entry for value in values for entry in (value if isinstance(value, list) else [value])]
    assert entries and all(entry["source"] for entry in entries)


def test_no_file_of_the_folder_is_overlooked() -> None:
    words = {path.name for path in DATA.glob("words_of_*.txt")}  # many to a line, their source above
    tables_there = {f"{name}.csv" for name in CSV} | {f"{name}.toml" for name in TOML}
    assert {path.name for path in DATA.iterdir()} == tables_there | words | {"intent.npz"}


def test_a_name_leads_to_its_row() -> None:
    assert tables.find("a", among={"a": 1, "b": 2}, kind="board") == 1
    with pytest.raises(ReportError, match="Board “c” is unknown; choose from a, b") as refused:
        tables.find("c", among={"a": 1, "b": 2}, kind="board")
    assert (refused.value.field, refused.value.code) == ("board", "unknown_board")
