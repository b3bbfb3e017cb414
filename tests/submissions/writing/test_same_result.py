"""A result that is sent again, in any form and by anybody, counts once; two different results count as two."""

from typing import Any

import pytest

from submissions.domain.pasting import pasted
from submissions.models import AbilityEstimate, AuditEntry, Performance, Run
from submissions.writing import ingest, same_result
from tests.factories import body, rand_read, rand_write, seq_read, specimen, uuid

pytestmark = pytest.mark.django_db

TEXT = """     Category                  Test                      Result
HDParm                    Disk Read                 43.17 MB/s
FIO                       4k random read            2913 IOPS (11652 KB/s)
FIO                       4k random write           1047 IOPS (4188 KB/s)
IOZone                    4k read                   9817 KB/s
IOZone                    4k write                  4219 KB/s
IOZone                    4k random read            9433 KB/s
IOZone                    4k random write           3877 KB/s
"""


def paste(text: str, *, by: str = "first", **claims: Any) -> None:
    label = {"brand": "Kingston", "capacity_gb": "8"} | claims
    receipt = ingest.receive_parts(text.encode(), [pasted.claims_of(label)], channel="page", submitter=by)[0]
    if receipt.created:
        ingest.process(receipt.submission.pk)


def count_runs() -> int:
    return Run.objects.filter(excluded="").count()


DISGUISES = {
    "another line end": (TEXT.replace("\n", "\r\n"), {}),
    "a blank line more": (TEXT + "\n\n", {}),
    "quoted in a mail": ("".join(f"> {line}\n" for line in TEXT.splitlines()), {}),
    "quoted twice": ("".join(f">> {line}\n" for line in TEXT.splitlines()), {}),
    "a sentence before it": (f"This is what my card does:\n\n{TEXT}", {}),
    "a signature behind it": (f"{TEXT}-- \nKarl\n", {}),
    "a note": (TEXT, {"note": "second try"}),
    "the brand in lower case": (TEXT, {"brand": "kingston"}),
    "another condition": (TEXT, {"condition": "used"}),
    "another brand": (TEXT, {"brand": "Sandisk", "line": "Extreme"}),
    "half of it": (
        "\n".join(line for line in TEXT.splitlines() if "IOZone" in line or "Category" in line),
        {},
    ),
    "in code marks": (f"```\n{TEXT}```\n", {}),
    "with the header of a forum": (f"[code]\n{TEXT}[/code]\n", {}),
}


@pytest.mark.parametrize("sender", ["first", "somebody else"])
@pytest.mark.parametrize("disguise", DISGUISES)
def test_one_result_is_one(disguise: str, sender: str) -> None:
    paste(TEXT)
    before = list(AbilityEstimate.objects.values_list("ability", "mean", "sd", "cards", "runs"))
    text, claims = DISGUISES[disguise]
    paste(text, by=sender, **claims)
    assert count_runs() == 1
    assert sorted(AbilityEstimate.objects.values_list("ability", "mean", "sd", "cards", "runs")) == sorted(
        before
    )


def test_it_says_which_one_counts() -> None:
    paste(TEXT)
    paste(TEXT + "\n", by="another")
    first, second = Run.objects.order_by("submission")
    assert first.submission.public_id in second.excluded
    assert "one result counts once" in second.excluded
    assert first.excluded == ""


def test_another_result_is_another() -> None:
    paste(TEXT)
    paste(TEXT.replace("3877", "3899"), by="another")
    assert count_runs() == 2


def hand_in(number: int, *, by: str = "", **changes: Any) -> None:
    report = body(uuid=uuid(number), **changes)
    ingest.process(ingest.receive(report, channel="api", submitter=by or f"s{number}").submission.pk)


def nameless(number: int) -> dict[str, Any]:
    return {"bus": "SD", "label": {"brand": "Nameless", "line": str(number)}}


def test_two_cards_whose_registers_differ_are_two() -> None:
    for number in (1, 2):
        hand_in(number, card=specimen(number))
    assert count_runs() == 2


def test_one_figure_may_be_equal_by_chance() -> None:
    for number in (1, 2):
        hand_in(number, card=nameless(1), measurements=[rand_write(1043.0)])
    assert count_runs() == 2
    hand_in(3, card=nameless(1), measurements=[rand_write(1043.0)], by="s1", note="again")
    assert count_runs() == 2, "but not by one sender for one label"


def test_round_numbers_tell_nothing() -> None:
    for number in (1, 2):
        hand_in(number, card=nameless(1), measurements=[rand_write(500.0), rand_read(1500.0), seq_read(40.0)])
    assert count_runs() == 2


def test_what_tells_more_takes_the_place() -> None:
    measured = [rand_read(1531.7), rand_write(512.3), seq_read(37.21)]
    hand_in(1, card=nameless(1), measurements=measured[:2])
    hand_in(2, card=nameless(2), measurements=measured)
    first, second = Run.objects.order_by("submission")
    assert (second.excluded, second.submission.public_id in first.excluded) == ("", True)
    hand_in(3, card=specimen(3), measurements=measured)
    assert [bool(run.excluded) for run in Run.objects.order_by("submission")] == [True, True, False]
    assert AuditEntry.objects.of(first.submission).filter(action="excluded", role="rule").exists()


def test_the_order_does_not_matter_and_deleting_brings_the_copy_back() -> None:
    measured = [rand_read(1531.7), rand_write(512.3)]
    for number in (1, 2):
        hand_in(number, card=nameless(number), measurements=measured)
    first = Run.objects.order_by("submission")[0]
    ingest.process(first.submission_id)
    assert [bool(run.excluded) for run in Run.objects.order_by("submission")] == [False, True]
    ingest.delete(first.submission)
    assert Run.objects.get().excluded == ""
    assert Performance.objects.exists()


def test_a_batch_of_copies_has_one_voice() -> None:
    measured = [rand_read(1531.7), rand_write(512.3)]
    reports = [(body(uuid=uuid(n), card=nameless(n), measurements=measured), f"s{n}") for n in range(9)]
    ingest.receive_all(reports, channel="bulk")
    ingest.process_all_waiting(most=25)
    assert count_runs() == 1


def same_specimen(brand: str) -> dict[str, Any]:
    return {"bus": "SD", "label": {"brand": brand, "line": "Nameless"}, "specimen": "the only one"}


def test_a_later_report_of_its_card_does_not_bring_a_copy_back() -> None:
    measured, others = [[rand_read(1531.7 + at), rand_write(512.3 + at)] for at in (0, 100)]
    hand_in(1, card=same_specimen("Nameless"), measurements=measured)
    hand_in(2, card=same_specimen("Noname"), measurements=measured, by="somebody")
    assert count_runs() == 1
    hand_in(3, card=same_specimen("Noname"), measurements=others, by="somebody")
    first, copy, other = Run.objects.order_by("submission")
    assert (first.excluded, other.excluded) == ("", "")
    assert first.submission.public_id in copy.excluded


def test_nor_does_working_out_another_report_of_its_card_again() -> None:
    measured, others = [[rand_read(1531.7 + at), rand_write(512.3 + at)] for at in (0, 100)]
    hand_in(1, card=same_specimen("Noname"), measurements=others, by="somebody")
    hand_in(2, card=same_specimen("Nameless"), measurements=measured)
    hand_in(3, card=same_specimen("Noname"), measurements=measured, by="somebody")
    before = list(Run.objects.order_by("submission").values_list("excluded", flat=True))
    assert list(map(bool, before)) == [False, False, True]
    ingest.process(Run.objects.earliest("submission").submission_id)
    assert list(Run.objects.order_by("submission").values_list("excluded", flat=True)) == before


def test_a_result_with_one_number_in_common_concerns_no_other_card() -> None:
    hand_in(1, card=nameless(1), measurements=[rand_read(1531.7), rand_write(512.3)])
    run = Run.objects.get()
    first, *rest = run.result
    assert rest
    assert same_result.find_runs([("somebody", [first, 1 << 62])]) == {}, (
        "of two figures one is equal by chance"
    )
    assert same_result.find_runs([("somebody", [first])]) == {}, "as is the only one"
    assert same_result.find_runs([("somebody", run.result)]) == {run.pk: run.card.key}
    assert same_result.find_runs([("somebody", [*run.result, 1 << 62])]) == {run.pk: run.card.key}, (
        "more than all of it"
    )


def test_of_one_figure_the_sender_tells() -> None:
    hand_in(1, card=nameless(1), measurements=[rand_write(1043.0)], by="somebody")
    run = Run.objects.get()
    assert same_result.find_runs([("somebody", run.result), ("else", run.result)]) == {run.pk: run.card.key}
    assert same_result.find_runs([("else", run.result)]) == {}
    assert same_result.find_runs([]) == {}


def test_results_that_are_asked_for_together_are_told_apart() -> None:
    hand_in(1, card=nameless(1), measurements=[rand_read(1531.7), rand_write(512.3), seq_read(37.21)])
    run = Run.objects.get()
    half = run.result[:2]
    known = {run.pk: run.card.key}
    assert same_result.find_runs([("somebody", [1, 2]), ("somebody", half)]) == known, (
        "each counts its own figures"
    )
    assert same_result.find_runs([("somebody", run.result), ("somebody", run.result)]) == known, (
        "the same one twice"
    )
    assert same_result.find_runs([("somebody", [half[0], 1]), ("somebody", [half[1], 2])]) == {}, (
        "nor do two make one"
    )
    hand_in(2, card=nameless(2), measurements=[rand_write(1043.0)], by="somebody")
    assert same_result.find_runs([("somebody", [*Run.objects.latest("pk").result, 1])]) == {}, (
        "one of two figures"
    )
