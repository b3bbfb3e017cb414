"""Tests that a text is split into cases if it cannot be about one card, host and condition."""

from collections.abc import Mapping

import pytest

from submissions.domain.errors import ReportError
from submissions.domain.intake.cases import MOST_CASES
from submissions.domain.intake.compose import compose
from submissions.domain.intake.paste import read
from submissions.domain.intake.text_parts import Part, gather
from tests import cases

RUN = "$ dd if=/dev/{} of=/dev/null bs=4M\n41943040 bytes (42 MB) copied, {} s, {} MB/s\n"
CID = "035344534c30384780123456780fb001"
TEXTS = list(cases.texts())
_ENOUGH = 20


def keys(text: str) -> list[str]:
    return [case.key for case in read(text).cases]


def parts(text: str, *letters: str) -> tuple[Part, ...]:
    answers = dict(zip(keys(text), letters, strict=True))
    return gather(read(text, answers=answers), answers)


def values(part: Part) -> list[list[float]]:
    return [measurement["values"] for measurement in compose(part.parsed)["measurements"]]


def test_it_works() -> None:
    text = f"## Before\n{RUN.format('mmcblk0', 4, 10.5)}## After\n{RUN.format('mmcblk0', 2, 21)}"
    before, after = parts(text, "A", "A")

    assert [part.title for part in (before, after)] == ["Before", "After"]
    assert (values(before), values(after)) == ([[10485760]], [[20971520]])
    assert before.specimen == after.specimen != ""


def test_nothing_is_gathered_before_every_case_is_answered() -> None:
    text = RUN.format("sda", 4, 10.5) + RUN.format("mmcblk0", 2, 21)

    assert gather(read(text), {}) == ()
    with pytest.raises(ReportError, match="“sda” and, from line 3, for “mmcblk0”"):
        compose(read(text))


def test_repeats_become_one_report() -> None:
    text = f"# Monday\n{RUN.format('mmcblk0', 4, 10.5)}# Tuesday\n{RUN.format('mmcblk0', 3.9, 10.8)}"
    (both,) = parts(text, "A", "repeat")

    assert values(both) == [[10485760, pytest.approx(10.8e6, rel=0.01)]]
    assert both.specimen == ""


def test_a_case_and_its_repeats_are_left_out() -> None:
    text = "".join(f"# {day}\n{RUN.format('mmcblk0', 4, 10.5)}" for day in ("one", "two", "three"))

    assert [part.title for part in parts(text, "A", "out", "repeat")] == ["one"]
    assert parts(text, "out", "out", "out") == ()


def test_registers_in_one_case_are_those_of_the_card_in_all_of_its_cases() -> None:
    text = f"{RUN.format('sdf', 4, 10.5)}# in the slot\n{RUN.format('mmcblk0', 2, 21)}cid: {CID}\n"
    in_reader, in_slot = parts(text, "A", "A")
    alone, _ = parts(text, "A", "B")

    assert compose(in_reader.parsed, of_card=in_reader.of_card)["card"]["registers"] == {"cid": CID}
    assert compose(in_slot.parsed, of_card=in_slot.of_card)["card"]["registers"] == {"cid": CID}
    assert "registers" not in compose(alone.parsed, of_card=alone.of_card)["card"]


def test_what_stands_between_moves_to_the_new_case() -> None:
    write = "$ dd if=/dev/zero of=t bs=4M conv=fsync\n41943040 bytes (42 MB) copied, {} s, {} MB/s\n"
    text = f"# A\n{write.format(4, 10.5)}# B\n{RUN.format('mmcblk0', 4, 10.5)}{write.format(2, 21)}"

    assert [len(values(part)) for part in parts(text, "A", "B")] == [1, 2]


def test_more_cases_than_letters_are_refused() -> None:
    text = "".join(f"# Card no {n}x\n{RUN.format('mmcblk0', 4, 10.5)}" for n in range(MOST_CASES + 5))

    with pytest.raises(ReportError, match="paste fewer"):
        compose(read(text))
    assert gather(read(text), dict.fromkeys(keys(text), "A")) == ()


@pytest.mark.parametrize("one", TEXTS, ids=lambda one: one.source[:50])
def test_no_case_of_a_real_text_is_misread(one: cases.Text) -> None:
    assert not [fault for fault in cases.find_faults(one) if "WRONG" in fault]


def test_most_real_texts_become_the_right_reports() -> None:
    assert sum(not cases.find_faults(one) for one in TEXTS) >= _ENOUGH


@pytest.mark.parametrize("answers", [{"text.sections.5": "one"}, {"text.devices.3": "one"}])
def test_an_answer_of_before_holds(answers: Mapping[str, str]) -> None:
    """Submissions that were stored before cases existed have this answer."""
    text = f"## Before\n{RUN.format('mmcblk0', 4, 10.5)}## After\n{RUN.format('mmcblk0', 2, 21)}"
    (part,) = gather(read(text, answers=answers), answers)

    assert values(part) == [[10485760, 20971520]]
