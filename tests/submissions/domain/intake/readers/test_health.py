"""sdmon in its two forms: of cards that count down, and of ADATA's."""

import pytest

from submissions.domain.intake.paste import read


@pytest.mark.parametrize(
    ("line", "fact"),
    [
        ('"enduranceRemainLifePercent": 99.97,', ("endurance_left_percent", 99.97)),
        ('"powerUpCount": 55,', ("power_on_count", 55)),
        ('"Remaining life": 100%,', ("endurance_left_percent", 100)),
        ('"Data area total erase cnt": 405,', ("erase_count", 405)),
    ],
)
def test_it_works(line: str, fact: tuple[str, float]):
    assert [(fact.name, fact.value) for fact in read(line).facts] == [fact]


def test_readings_of_a_second_run_may_be_of_another_card():
    runs = [
        '"version": "v0.5.0-2 (aab6b51) arm64",\n"powerUpCount": 11,',
        '"version": "v0.5.0-2",\n"powerUpCount": 78,',
    ]
    parsed = read("\n".join(runs))

    assert [(fact.name, fact.value) for fact in parsed.facts] == [("power_on_count", 11)]
    assert [reason for reason in parsed.left_out if "more than once" in reason] == list(parsed.left_out)
    assert len(parsed.left_out) == 1


def test_more_than_all_is_no_share_of_a_life():
    parsed = read('"enduranceRemainLifePercent": 453.00,')

    assert parsed.facts == ()
    assert [line.line for line in parsed.not_understood] == [1]
