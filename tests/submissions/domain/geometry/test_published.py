"""Tests of geometry that is inferred from published logs, against the conclusions of the people who measured."""

from tests.submissions.domain.geometry.tables import KIB, MIB, align, infer_from_log, infer_geometry, words

# Microseconds by alignment in KiB: lists.linaro.org, flashbench-results, “16 GB Patriot xporter XT Boost”.
PATRIOT = {
    131072: 223, 98304: 218, 65536: 222, 49152: 231, 32768: 200, 24576: 209, 16384: 211, 12288: 25.3, 8192: 219,
    6144: 36.3, 4096: 44.2, 3072: 21.7, 2048: 21.2, 1536: 30, 1024: 32.2, 768: 39.6, 512: 35.1, 384: 40, 256: 32.6,
    192: 30.8, 128: 18.7,
}  # fmt: skip


def test_it_works() -> None:
    """A. Bradford's whole page on the Kingston SA04G: “We'll assume it's 4 MiB”, “3 open-au”, no special FAT area."""
    inferences = infer_from_log("flashbench/sa04g-whole-page.txt")
    assert words(inferences) == {
        "erase_block_size": "4 MiB",
        "page_size": "16 KiB",
        "open_au_linear": "3",
        "open_au_random": "3",
        "fat_area_size": "none",
    }
    assert [inference.confidence for inference in inferences.values()] == [0.834, 0.97, 0.97, 0.97, 0.97]
    assert "not of blocks of 8 MiB" in inferences["erase_block_size"].reasoning[-1]


def test_flashbench_readme() -> None:
    """A. Bergmann's conclusions: 4 MB, pages of 8 KB, two of them read at once, two open AUs fast and three slow."""
    inferences = infer_from_log("flashbench/002-readme-example-arnd.txt")
    assert words(inferences) == {"erase_block_size": "4 MiB", "page_size": "8 KiB", "open_au_linear": "2"}
    assert "From 16 KiB upwards" in inferences["page_size"].reasoning[1]


def test_pqi_in_the_gentoo_wiki() -> None:
    """The author's conclusions: erase block 4M, several planes 16k, page 4k."""
    inferences = infer_from_log("flashbench/003-pqi-32gb-class10-gentoo-wiki.txt")
    assert words(inferences) == {"erase_block_size": "4 MiB", "page_size": "4 KiB"}
    assert "From 16 KiB upwards" in inferences["page_size"].reasoning[1]


def test_patriot_on_the_mailing_list() -> None:
    """“The erase block size is clearly 8 MB”; rows of 3 * 2^k are in the table."""
    inference = infer_geometry(align(PATRIOT, access_us=650))["erase_block_size"]
    assert (inference.value, inference.confidence) == (8 * MIB, 0.97)


def test_a_table_of_noise_tells_nothing() -> None:
    inferences = infer_from_log("flashbench/074-wirenboard-32-noid.txt")
    assert words(inferences) == {
        "erase_block_size": "cannot tell",
        "page_size": "cannot tell",
        "open_au_linear": "at least 7",
        "open_au_random": "at least 7",
        "fat_area_size": "none",
    }


def test_runs_of_one_card_do_not_contradict_each_other() -> None:
    """Each run of Wiren Board's card 1 gives 8 MiB, or no answer."""
    inference = infer_from_log("flashbench/019-wirenboard-1-3-su04g.txt")["erase_block_size"]
    assert inference.value == 8 * MIB
    assert "smaller step at 4 MiB" in inference.reasoning[1]


def test_the_smallest_reads_show_the_page() -> None:
    coarse = align({32 << row: 100.0 for row in range(12)}, block=16 * KIB)
    (reason,) = infer_geometry(coarse)["page_size"].reasoning
    assert (
        reason == "Cannot tell, because reads of 16 KiB are too coarse to show a page; use --blocksize=1024."
    )
