"""The statistics of the site count models, cards and runs, without simulated or invented cards."""

import pytest

from submissions.evidence import census
from submissions.writing import ingest
from tests.factories import body, report, specimen, uuid


@pytest.mark.django_db
def test_it_works() -> None:
    """Count two runs of one card and one of another; an invented card counts nowhere."""
    sent = (
        (1, 1, "Lexar", "ada"),
        (2, 1, "Lexar", "bob"),
        (3, 2, "Kingston", "ada"),
        (4, 3, "Nobody", "eve"),
    )
    for number, card, brand, submitter in sent:
        document = body(
            uuid=uuid(number),
            card=specimen(card, label={"brand": brand}),
            host=report()["host"] | {"board": f"Board {card}"},
            run=report()["run"] | {"tool": "fio" if number == 1 else "dd"},
            simulated=brand == "Nobody",
        )
        ingest.process(ingest.receive(document, channel="api", submitter=submitter).submission.pk)
    assert census.count_all() == {
        "models": 2,
        "cards": 2,
        "runs": 3,
        "submitters": 2,
        "by_brand": [["Kingston", 1], ["Lexar", 1]],
        "by_board": [["Board 1", 2], ["Board 2", 1]],
        "by_tool": [["dd", 2], ["fio", 1]],
    }
