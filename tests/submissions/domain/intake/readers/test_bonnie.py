"""Tests of bonnie++ and Bonnie: a table and its CSV give the same values, and times that were too short are missing."""

from submissions.domain.intake.parsed import Figure
from submissions.domain.intake.paste import read
from tests import corpus

TABLE, CSV = (
    (corpus.LOGS / "bonnie" / "002-rpi-2-1.96-sd.txt")
    .read_text("utf-8")
    .split("---\n", 1)[1]
    .rsplit("1.96,1.96", 1)
)
CSV = "1.96,1.96" + CSV


def key(figure: Figure) -> str:
    label = figure.parameters.get("direction") or figure.parameters.get("of") or ""
    return f"{figure.workload} {label}".strip()


def values(text: str) -> dict[str, float | None]:
    return {key(figure): figure.value for figure in read(text).figures}


def test_it_works():
    numbers = values(CSV)

    assert (numbers["stream write"], numbers["stream read"]) == (11028, 23015)
    assert numbers["seeks"] == 1054
    assert numbers["file-system block write sequential"] == 9537


def test_the_chunk_is_the_block():
    (write,) = [
        f for f in read(CSV).figures if f.workload == "stream" and f.parameters["direction"] == "write"
    ]

    assert write.parameters["block_size_bytes"] == 8192
    assert (write.unit, "io" in write.parameters) == ("KiB/s", False)


def test_table_and_csv_agree():
    assert values(TABLE) == values(CSV)


def test_both_together_count_once():
    assert len(read(TABLE + CSV).figures) == len(read(CSV).figures)


def test_what_was_too_quick_is_missing():
    assert [f.value for f in read(CSV).figures if f.workload == "stat-files"] == []


def test_a_run_without_throughput_has_files_only():
    name = "003-wirenboard-1.txt"
    numbers = values((corpus.LOGS / "bonnie" / name).read_text("utf-8"))

    assert numbers["create-files"] == 73
    assert not any(key.startswith("stream") for key in numbers)


def test_suffixes_are_powers_of_1024():
    line = CSV.replace(",11028,", ",11m,").replace(",23015,", ",23015k,")

    assert (values(line)["stream write"], values(line)["stream read"]) == (11264, 23015)


def test_the_original_bonnie():
    text = (
        "              -------Sequential Output-------- ---Sequential Input-- --Random--\n"
        "              -Per Char- --Block--- -Rewrite-- -Per Char- --Block--- --Seeks---\n"
        "Machine    MB K/sec %CPU K/sec %CPU K/sec %CPU K/sec %CPU K/sec %CPU  /sec %CPU\n"
        "          100  3124 89.7  9120 12.3  4411  9.9  2801 80.1 14002 11.2 310.5  2.1\n"
    )
    parsed = read(text)

    assert {figure.tool for figure in parsed.figures} == {"bonnie"}
    assert values(text)["stream write"] == 9120


FAST = (
    "Version  1.97       ------Sequential Output------ --Sequential Input- --Random-\n"
    "Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP\n"
    "pi(old)          2G           35513  17 16987  11            46172  13 157.3   6\n"
    "Latency                        2113ms    1488ms             68443us    1952ms\n"
)


def test_a_fast_run_leaves_columns_empty():
    numbers = values(FAST)

    assert (numbers["stream write"], numbers["rewrite"], numbers["stream read"]) == (35513, 16987, 46172)
    assert (numbers["seeks"], numbers["file-system block read sequential"]) == (157.3, 68443)


def test_the_csv_of_version_1_03():
    line = "pi,512M,2910,96,7010,12,4555,11,3011,98,16321,15,311.2,6,16,810,99,+++++,+++,1011,98,822,99,+++++,+++,9,9\n"
    numbers = values(line)

    assert (numbers["stream write"], numbers["stream read"], numbers["seeks"]) == (7010, 16321, 311.2)
    assert [f.value for f in read(line).figures if f.workload == "create-files"] == [810, 822]
    assert len(values("pi,20G,,,51004,16,16199,12,,,39591,14,792.9,0,,,,,,,,,,,,,\n")) == 4


def test_files_without_their_heading_are_no_throughput():
    assert read("   4   16 15257  77 +++++ +++ 20204  72 15349  75 +++++ +++ 19069  73\n").figures == ()


def test_bonnie_for_large_files_counts_in_megabytes():
    heading = "Machine    GB M/sec %CPU M/sec %CPU M/sec %CPU M/sec %CPU M/sec %CPU  /sec %CPU\n"
    row = "            1  34.9 94.6  54.8 13.6  53.2 10.3  41.1 99.2 1807.9 99.8 90214 162.4\n"
    figures = read(heading + row).figures

    assert {figure.tool for figure in figures} == {"bonnie"}
    assert [(figure.value, figure.unit) for figure in figures[:2]] == [(34.9, "MiB/s"), (54.8, "MiB/s")]
    assert figures[1].parameters["block_size_bytes"] == 16384
    assert (figures[5].value, figures[5].unit) == (90214, "1/s")
    assert read(heading.replace("M/", "K/") + row).figures[0].unit == "KiB/s"
