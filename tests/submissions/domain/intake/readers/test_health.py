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


def test_more_than_all_is_no_share_of_a_life():
    parsed = read('"enduranceRemainLifePercent": 453.00,')

    assert parsed.facts == ()
    assert [line.line for line in parsed.not_understood] == [1]
