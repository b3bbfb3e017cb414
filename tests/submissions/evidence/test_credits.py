"""What sources of published results brought, and how far each agrees with what is believed: by hand, and from rows."""

import math

import pytest

from submissions.evidence import credits
from submissions.evidence.credits import _Beside, _Pair
from submissions.models import Estimate, Measurement, Submission
from submissions.writing import ingest
from tests.factories import body, rand_read, report, specimen, uuid

LN2 = math.log(2)


def pairs(*values: tuple[float, float], sd: float = 0.1) -> dict[int, _Pair]:
    """Model -> (own, believed), in logs."""
    return {number: _Pair(own, believed, sd) for number, (own, believed) in enumerate(values)}


def test_the_order_of_a_source_is_kendalls_tau_over_all_its_figures() -> None:
    """Six models in one figure, of which it has two the other way round; two of them in another, a tie."""
    read = pairs((1, 1), (2, 2), (3, 3), (4, 4), (5, 5.1), (6, 5.0))
    write = pairs((1, 1), (1, 2))
    order = credits._order(_Beside({"seq_read": read, "seq_write": write}, at_link=0.25))
    assert order is not None
    assert (order.models, order.pairs, order.at_link) == (6, 16, 0.25)
    assert order.tau == (14 - 1) / 16
    assert (order.sure, order.sure_tau) == (15, 14 / 15)  # 5.0 and 5.1 are not told apart
    assert (order.same, order.sure_same) == ((1 + 13 / 16) / 2, (1 + 14 / 15) / 2)


def test_few_models_have_no_order_and_models_alike_no_sure_one() -> None:
    five = pairs(*((number, number) for number in range(5)))
    assert credits._order(None) is credits._order(_Beside({"seq_read": five}, 0)) is None
    alone = {str(number): {number: _Pair(1, 1, 1)} for number in range(6)}
    assert credits._order(_Beside(alone, 0)) is None
    alike = credits._order(_Beside({"seq_read": pairs(*((n, n) for n in range(6)), sd=9)}, 0))
    assert alike and (alike.sure, alike.sure_tau, alike.sure_same) == (0, None, 0.5)


def test_what_two_deviations_leave_open_is_not_told_apart() -> None:
    """1.96 times the deviation of a difference, of which each end has its share."""
    for apart, told in ((1.95 * 5, False), (1.97 * 5, True)):
        assert credits._told_apart(_Pair(0, apart, 3), _Pair(0, 0, 4)) == told


def test_a_figure_lies_beside_what_is_believed_by_its_middle() -> None:
    """Half as fast in the middle; one is twice as far from that as an outlier needs, one just not."""
    offsets = (-LN2, -LN2 - 0.1, -LN2 + 0.1, LN2, -LN2 + LN2)
    told = credits._agreement("seq_read", [_Pair(5 + offset, 5, 1) for offset in offsets])
    assert (told.figure, told.title, told.models) == ("seq_read", "Sequential read", 5)
    assert (told.ratio, told.spread) == pytest.approx((math.exp(-LN2 + 0.1), math.exp(0.2)))
    assert (told.outliers, told.tau) == (1, None)
    six = [*pairs(*((number, -number) for number in range(6))).values()]
    assert credits._agreement("seq_read", six).tau == -1


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
    jeff, jane = (source.credit for source in credits.count())
    assert (jane.id, jane.title, jane.author, jane.licence) == ("jane", "Tests", "Jane", "CC0")
    assert (jane.url, jane.method, jane.trust, jane.order) == ("", "", "", None)
    assert (jane.cards, jane.models, jane.runs, jane.measurements) == (2, 2, 3, 3)
    assert (jeff.id, jeff.author, jeff.licence) == ("pidramble", "Jeff Geerling", "none stated")
    assert jeff.url.startswith("http") and jeff.method and jeff.trust
    assert (jeff.cards, jeff.models, jeff.runs) == (3, 3, 3)
    assert [model.brand for model in credits.models_of("jane")] == ["Brand 1", "Brand 2"]
    assert credits.of_source("nobody") is None
    assert credits.of_source("jane") == credits.count()[1]


@pytest.mark.django_db
def test_several_authors_of_one_source_are_counted() -> None:
    for number, author in enumerate(("Jane", "Joe", "Joe"), 1):
        publish(number, card=number, iops=900, id="a-forum", author=author)
    (source,) = credits.count()
    assert (source.credit.author, source.credit.title) == ("2 authors", "Tests")


@pytest.mark.django_db
def test_values_of_a_source_lie_beside_those_of_the_rankings() -> None:
    """Two runs of one model are one value in their geometric mean."""
    for number, (card, iops) in enumerate(((1, 250), (1, 1000), (2, 3000)), 1):
        publish(number, card=card, iops=iops)
    publish(4, card=1, iops=1000, author="Joe")
    Estimate.objects.filter(variant=None, card_model__brand="Brand 1").update(mean=math.log(500), sd=0.2)
    Estimate.objects.filter(variant=None, card_model__brand="Brand 2").delete()
    beside = credits._beside()
    (pair,) = beside["jane"].figures["rand_read_4k"].values()
    assert tuple(pair) == pytest.approx((math.log(500), math.log(500), 0.2))
    assert list(beside["jane"].figures) == ["rand_read_4k"]
    (jane, joe) = credits.count()
    assert [told.ratio for told in (*jane.agreement, *joe.agreement)] == pytest.approx([1, 2])
    assert beside["jane"].at_link == 0
    Measurement.objects.filter(run__submission__uuid__in=[uuid(1), uuid(3)]).update(verdict="at_least")
    assert credits._beside()["jane"].at_link == 2 / 3
