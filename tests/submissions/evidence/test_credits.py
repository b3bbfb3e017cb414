"""The credits say how many results each source of published results has contributed."""

import pytest

from submissions.evidence import credits
from submissions.models import Submission
from submissions.writing import ingest
from tests.factories import body, rand_read, report, specimen, uuid


def publish(number: int, *, card: int, iops: float, simulated: bool = False, **source: str) -> None:
    told = {"title": "Tests", "author": "Jane", "licence": "CC0"} | source
    document = body(
        uuid=uuid(number),
        card=specimen(card, label={"brand": f"Brand {card}"}),
        run=report()["run"] | {"tool": f"tool-{number}"},
        measurements=[rand_read(iops)],
        source=told,
        simulated=simulated,
    )
    receipt = ingest.receive(document, channel="bulk", submitter=told["author"])
    Submission.objects.filter(pk=receipt.submission.pk).update(vouched=True)
    ingest.process(receipt.submission.pk)


@pytest.mark.django_db
def test_what_each_source_brought_is_counted() -> None:
    publish(1, card=1, iops=900)
    publish(2, card=1, iops=901, licence="")
    publish(3, card=2, iops=1900)
    publish(4, card=3, iops=700, id="pidramble", author="Jeff")
    publish(5, card=1, iops=900, id="pidramble", author="Jill")
    publish(6, card=4, iops=800, id="pidramble", author="Jill")
    publish(7, card=5, iops=800, simulated=True)
    jeff, jane = credits.count_credits()
    assert (jane.id, jane.title, jane.author, jane.licence) == ("jane", "Tests", "Jane", "CC0")
    assert (jane.url, jane.method, jane.trust) == ("", "", "")
    assert (jane.cards, jane.models, jane.runs, jane.measurements) == (2, 2, 3, 3)
    assert (jeff.id, jeff.author, jeff.licence) == ("pidramble", "Jeff Geerling", "none stated")
    assert jeff.url.startswith("http") and jeff.method and jeff.trust
    assert (jeff.cards, jeff.models, jeff.runs) == (3, 3, 3)
    assert [model.brand for model in credits.list_models("jane")] == ["Brand 1", "Brand 2"]
    assert credits.find_credit("nobody") is None
    assert credits.find_credit("jane") == jane


@pytest.mark.django_db
def test_several_authors_of_one_source_are_counted() -> None:
    for number, author in enumerate(("Jane", "Joe", "Joe"), 1):
        publish(number, card=number, iops=900, id="a-forum", author=author)
    (source,) = credits.count_credits()
    assert (source.author, source.title) == ("2 authors", "Tests")
