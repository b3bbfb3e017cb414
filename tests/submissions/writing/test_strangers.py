"""Reports of people without a record are always used, and marked until people with a record agree."""

import json

import pytest

from submissions.domain.ranking import boards, uses
from submissions.models import AbilityEstimate, Performance, Submission
from submissions.writing import ingest
from tests.factories import rand_write, report, specimen, uuid

pytestmark = pytest.mark.django_db
BRAND = "Just Out"


def send(number: int, *, network: int, iops: float = 900.0) -> None:
    card = specimen(number, label={"brand": BRAND})
    body = json.dumps(report(uuid=uuid(number), card=card, measurements=[rand_write(iops + number)]))
    receipt = ingest.receive(body.encode(), channel="api", submitter=f"person {number}", network=network)
    ingest.process(receipt.submission.pk)


def find_estimate() -> AbilityEstimate:
    return AbilityEstimate.objects.get(card_model__brand=BRAND, ability="small_writes")


def find_place() -> int:
    """Return the rank of the model for its use on a Raspberry Pi 4; 0 if it has none."""
    board, use = boards.find("raspberry-pi-4"), uses.find_use("pi-root")
    brands = [*Performance.objects.list_measured(board, use).values_list("card_model__brand", flat=True)]
    return brands.index(BRAND) + 1 if BRAND in brands else 0


def test_a_newcomer_has_a_place_with_the_second_independent_report() -> None:
    send(1, network=1)
    alone = find_estimate()
    send(2, network=2)
    assert find_place() == 1
    both = find_estimate()
    assert both.sd < alone.sd and (both.people, both.known_people) == (2, 0)


def test_many_strangers_of_three_networks_stay_strangers() -> None:
    for number in range(12):
        send(number, network=number % 3)
        assert find_place() == 1, "no report makes a model disappear"
    estimate = find_estimate()
    assert (estimate.people, estimate.known_people) == (12, 0)


def test_who_comes_from_many_networks_is_believed_more_than_who_comes_from_one() -> None:
    sds = []
    for networks in (1, 6):
        for number in range(6):
            send(number, network=number % networks)
        sds.append(find_estimate().sd)
        for submission in Submission.objects.all():
            ingest.delete(submission)
    assert sds[1] <= sds[0]
