"""A report about something that is no card is stored and shown with the reason, but changes no ranking."""

from typing import Any

import pytest
from django.test import Client

from submissions.models import AbilityEstimate, Performance, Run, Submission
from submissions.models.audit import Actor, Role
from submissions.writing import decisions, ingest
from tests.factories import body, rand_read, rand_write, report, seq_read, specimen, uuid

pytestmark = pytest.mark.django_db

LABEL = {"brand": "SanDisk", "line": "Ultra", "capacity_gb": 64}
DISK = {"board": "PC", "interface": "other", "device": "nvme0n1"}


def hand_in(number: int, **changes: Any) -> Submission:
    sent = body(uuid=uuid(number), **changes)
    submission = ingest.receive(sent, channel="api", submitter=f"s{number}").submission
    ingest.process(submission.pk)
    submission.refresh_from_db()
    return submission


def a_disk(number: int = 1, **changes: Any) -> Submission:
    card = {"label": LABEL, "size_bytes": 63_864_569_856}
    fast = [seq_read(900.0), rand_read(7000.0), rand_write(6500.0)]
    return hand_in(number, **{"card": card, "host": DISK, "measurements": fast} | changes)


def list_performances() -> list[tuple[Any, ...]]:
    rows = Performance.objects.order_by("card_model__slug", "slot")
    return list(rows.values_list("slot", "means", "sds", "abilities"))


def ranked_cards() -> dict[str, int]:
    return dict(AbilityEstimate.objects.values_list("card_model__name", "cards"))


def test_it_works() -> None:
    submission = a_disk()
    assert submission.state == "processed"
    assert "nvme0n1 is an NVMe disk" in submission.run.excluded
    assert ranked_cards() == {}


def test_a_result_counts_though_it_was_sent_as_that_of_a_disk_before() -> None:
    same = {"card": {"label": LABEL}, "measurements": [rand_read(2913.7), rand_write(1047.3)]}
    disk, card = a_disk(1, **same), hand_in(2, **same)
    assert "NVMe disk" in disk.run.excluded
    assert card.run.excluded == ""
    assert card.public_id in hand_in(3, **same).run.excluded


def test_a_disk_moves_nothing_of_the_card_whose_name_it_bears() -> None:
    honest = {"card": specimen(7, label=LABEL | {"capacity_gb": 4})}
    hand_in(1, **honest)
    before = list_performances()
    a_disk(2, card={"label": LABEL | {"capacity_gb": 4}, "size_bytes": 3_904_897_024})
    assert before and list_performances() == before


def test_a_small_file_under_the_label_of_a_card() -> None:
    submission = a_disk(host={"device": "mmcblk0"}, card={"label": LABEL, "size_bytes": 630_000_000})
    assert submission.run.excluded.startswith("the label says 64 GB, but the measured device holds 0.63 GB")
    assert ranked_cards() == {}


def test_the_owner_may_mend_a_mistyped_label() -> None:
    submission = hand_in(1, card=specimen(1, label=LABEL))
    assert "the label says 64 GB" in submission.run.excluded
    owner = Actor(Role.OWNER)
    decisions.amend(submission, {"label": LABEL | {"capacity_gb": 4}}, by=owner)  # type: ignore[arg-type]
    assert Run.objects.get().excluded == ""
    assert list(ranked_cards().values())[:1] == [1]


def test_a_moderator_has_the_last_word(django_user_model: Any) -> None:
    submission = a_disk()
    moderator = Actor(Role.MODERATOR, django_user_model.objects.create_user("mod"))
    decisions.store_ruling(
        submission, Submission.Ruling.CONFIRMED, reason="an adapter, seen on a photo", by=moderator
    )
    assert Run.objects.get().excluded == ""
    assert ranked_cards()


def test_the_receipt_says_why_and_what_to_do(client: Client) -> None:
    submission = a_disk()
    page = client.get(submission.get_absolute_url()).content.decode()
    assert '<li class="now">kept, but not ranked</li>' in page
    assert "nvme0n1 is an NVMe disk, not a card. If you meant a card, measure the card itself" in page
    answer = client.get(f"/api/v1/submissions/{submission.public_id}/").json()
    assert answer["not_ranked"] == submission.run.excluded


def test_a_card_of_another_submitter_does_not_tick_it(client: Client) -> None:
    """The model has a rank from another report, but this report has none."""
    hand_in(1, card=specimen(1, label=LABEL | {"capacity_gb": 4}))
    submission = a_disk(2, card={"label": LABEL | {"capacity_gb": 4}, "size_bytes": 3_904_897_024})
    page = client.get(submission.get_absolute_url()).content.decode()
    assert '<li class="done">ranked</li>' not in page
    assert '<li class="now">kept, but not ranked</li>' in page
    assert "Place 1 of 1" not in page and "what it needs, likely" not in page


def test_a_report_without_a_figure_says_what_is_missing(client: Client) -> None:
    odd = rand_read(900.0)
    odd["parameters"]["block_size_bytes"] = 65536
    submission = hand_in(1, measurements=[odd])
    page = client.get(submission.get_absolute_url()).content.decode()
    answer = client.get(f"/api/v1/submissions/{submission.public_id}/").json()
    assert '<li class="now">kept, but not ranked</li>' in page
    assert "holds no figure that cards are compared by" in page
    assert "holds no figure that cards are compared by" in answer["not_ranked"]


def test_what_nobody_names_is_under_no_name_real_cards_and_invented_ones_apart() -> None:
    nameless = {"card": {"bus": "SD"}, "run": report()["run"] | {"not_compared": "through encryption"}}
    runs = [hand_in(number, simulated=number == 2, **nameless).run for number in (1, 2)]
    models = [run.card.variant.card_model for run in runs]
    assert [model.simulated for model in models] == [False, True]
    assert models[0].slug != models[1].slug
    assert {run.excluded for run in runs} == {"through encryption"}
