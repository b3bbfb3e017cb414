"""All reports are stored in one way: receive, process, delete."""

import json
import math
from typing import Any

import pytest

from submissions.domain.json_shape import ShapeError
from submissions.domain.pasting.pasted import Claims
from submissions.domain.report import Label
from submissions.models import (
    AbilityEstimate,
    Card,
    CardModel,
    Host,
    Measurement,
    Performance,
    Run,
    Submission,
    Variant,
    keys,
)
from submissions.writing import ingest
from tests.factories import SA04G, SA04G_SERIAL, body, rand_read, rand_write, report, seq_read, specimen, uuid

pytestmark = pytest.mark.django_db

NOUNS = (CardModel, Variant, Card, Host, Run, Measurement, AbilityEstimate)


def receive(**changes: object) -> ingest.Receipt:
    return ingest.receive(body(**changes), channel="api", submitter=str(changes.get("note", "anybody")))


def process_new(**changes: object) -> Submission:
    submission = receive(**changes).submission
    ingest.process(submission.pk)
    submission.refresh_from_db()
    return submission


def counts() -> list[int]:
    return [noun.objects.count() for noun in NOUNS]


def list_performances() -> list[tuple[object, ...]]:
    """Return all stored performances without their ids."""
    rows = Performance.objects.order_by("card_model__slug", "slot")
    return list(rows.values_list("card_model__slug", "slot", "means", "sds", "card_sds", "abilities"))


def test_it_works() -> None:
    submission = process_new()
    assert submission.state == "processed"
    assert counts() == [1, 1, 1, 1, 1, 2, 2]


def test_it_keeps_the_report_verbatim() -> None:
    text = json.dumps(report(), indent=7).encode()
    receipt = ingest.receive(text, channel="api", submitter="anybody")
    assert bytes(Submission.objects.get(pk=receipt.submission.pk).body) == text


def test_it_decodes_who_made_the_card() -> None:
    run = process_new().run
    variant = run.card.variant
    assert (variant.bus, variant.mid, variant.oid, variant.pnm, variant.prv) == (
        "SD",
        0x02,
        0x544D,
        "SA04G",
        "1.1",
    )
    assert variant.capacity_bytes == 3904897024
    assert run.card.manufactured == "2013-03"
    assert variant.card_model.name == "Toshiba card, 4 GB (SA04G, OEM 0x544d)"


def test_it_normalizes_to_base_units() -> None:
    process_new(measurements=[seq_read(40, 42, 41)])
    measurement = Measurement.objects.get()
    assert measurement.repeats == [40e6, 42e6, 41e6]
    assert measurement.value == 41e6
    assert measurement.spread == pytest.approx(2 / 41)


def test_it_never_stores_the_serial_number_outside_the_raw_report() -> None:
    process_new()
    for noun in NOUNS:
        for row in noun.objects.values():
            assert SA04G_SERIAL not in str(row).lower()
            assert str(int(SA04G_SERIAL, 16)) not in str(row)
            assert SA04G["cid"][:30] not in str(row).lower()


# Tests of a repeated report.


def test_the_same_content_is_the_same_submission() -> None:
    first, second = receive(), receive()
    assert second.submission == first.submission
    assert (first.created, second.created) == (True, False)


def test_the_same_content_otherwise_indented_is_the_same_submission() -> None:
    first = receive()
    again = ingest.receive(
        json.dumps(report(), indent=2, sort_keys=True).encode(), channel="api", submitter="x"
    )
    assert again.submission == first.submission


def test_the_same_uuid_is_the_same_submission_whatever_else_it_says() -> None:
    first, second = receive(uuid=uuid(1)), receive(uuid=uuid(1), note="corrected")
    assert second.submission == first.submission


def test_other_content_is_another_submission() -> None:
    assert receive(uuid=uuid(1)).submission != receive(uuid=uuid(2)).submission


def test_who_knows_the_uuid_alone_does_not_get_the_delete_key_again() -> None:
    assert receive(uuid=uuid(1)).delete_key
    assert receive(uuid=uuid(1)).delete_key is None
    assert receive().delete_key is not None
    assert receive().delete_key is None


def test_a_report_of_the_wrong_shape_changes_nothing() -> None:
    with pytest.raises(ShapeError):
        ingest.receive(b"{", channel="api", submitter="anybody")
    assert Submission.objects.count() == 0


def test_a_pasted_text_is_kept_verbatim_and_understood_again() -> None:
    text = b"$ ./flashbench /dev/mmcblk1 --open-au --open-au-nr=1\n1MiB    5.19M/s\n"
    claims = Claims(label=Label(brand="Kingston", capacity_gb=4))
    submission = ingest.receive_parts(text, [claims], channel="page", submitter="anybody")[0].submission
    ingest.process(submission.pk)
    asked_once = {"answers": {"a question of a former parser": "read"}}
    once_understood_as = body(card={"label": {"brand": "Kingston", "capacity_gb": 4}}, extra=asked_once)
    Submission.objects.filter(pk=submission.pk).update(body=once_understood_as)
    ingest.process(submission.pk)
    submission.refresh_from_db()
    assert bytes(submission.pasted or b"") == text
    assert submission.run.tool == "flashbench"
    assert Measurement.objects.get().value == 5.19e6
    assert submission.run.card.variant.card_model.slug == "kingston-4-gb"


# Tests of repeated processing.


def test_processing_twice_is_processing_once() -> None:
    submission = process_new()
    before, ids = counts(), Card.objects.get().pk
    ingest.process(submission.pk)
    assert counts() == before
    assert Card.objects.get().pk == ids


def test_processing_what_is_not_there_does_nothing() -> None:
    ingest.process(12345)
    assert counts() == [0] * len(NOUNS)


def test_the_order_of_processing_does_not_matter() -> None:
    reports = [
        {"card": specimen(1), "measurements": [rand_write(400)]},
        {"card": specimen(1, label={"brand": "Kingston"}), "measurements": [rand_write(500)]},
        {"card": specimen(1, label={"brand": "Other"}), "measurements": [rand_write(600)]},
        {"card": specimen(2), "measurements": [rand_read(900)]},
    ]
    submissions = [receive(**changes).submission for changes in reports]
    for submission in submissions:
        ingest.process(submission.pk)
    forwards = list_performances()
    for submission in reversed(submissions):
        ingest.process(submission.pk)
    assert list_performances() == forwards
    assert {slug for slug, *_ in forwards} == {"kingston-4-gb", "sa04g-4-gb-sd-02-544d"}


# Tests of several reports at once.


def outcomes() -> list[tuple[str, object]]:
    return list(Submission.objects.order_by("pk").values_list("state", "not_understood"))


def test_together_comes_to_the_same_as_one_by_one() -> None:
    reports: list[dict[str, Any]] = [
        {"card": specimen(1), "measurements": [rand_write(400)]},
        {"card": specimen(1, label={"brand": "Kingston"}), "measurements": [rand_write(500)]},
        {"card": {"registers": {"cid": "02544d53413034"}}},
        {"card": specimen(2), "measurements": [rand_read(900), rand_read() | {"workload": "telepathy"}]},
        {"card": specimen(2), "note": "again", "measurements": [rand_read(910)]},
    ]
    submissions = [receive(**changes).submission for changes in reports]
    ingest.process_batch(ingest.take_batch())
    together = list_performances(), counts(), outcomes()
    for submission in submissions:
        ingest.process(submission.pk)
    assert (list_performances(), counts(), outcomes()) == together
    assert Submission.objects.filter(state="rejected").count() == 1


# Tests of specimens and cards.


def test_the_same_card_is_recognised_without_its_checksum_byte() -> None:
    stripped = SA04G | {"cid": SA04G["cid"][:30] + "00"}
    process_new()
    process_new(card=report()["card"] | {"registers": stripped})
    assert (Card.objects.count(), Run.objects.count()) == (1, 2)


def test_another_serial_number_is_another_card_of_the_same_variant() -> None:
    process_new(card=specimen(1))
    process_new(card=specimen(2))
    assert (Card.objects.count(), Variant.objects.count()) == (2, 1)


def test_one_card_has_one_vote() -> None:
    for number in range(5):
        process_new(card=specimen(1), measurements=[rand_write(100)], uuid=uuid(number))
    process_new(card=specimen(2), measurements=[rand_write(900)])
    estimate = AbilityEstimate.objects.get()
    assert (estimate.cards, estimate.runs) == (2, 6)
    assert math.exp(estimate.mean) > 200


def test_a_label_names_the_model_once_somebody_tells_it() -> None:
    process_new()
    process_new(card=report()["card"] | {"label": {"brand": "Kingston", "capacity_gb": 4}})
    model = CardModel.objects.get()
    assert (model.name, model.named_from, model.slug) == ("Kingston 4 GB", "label", "kingston-4-gb")
    assert AbilityEstimate.objects.get(ability="small_writes").runs == 2


def test_two_labels_of_one_silicon_are_two_models() -> None:
    process_new(card=specimen(1, label={"brand": "Kingston"}))
    process_new(card=specimen(2, label={"brand": "Transcend"}))
    assert CardModel.objects.count() == 2


def test_a_card_without_registers_needs_a_label() -> None:
    submission = process_new(card={"size_bytes": 31914983424})
    assert (submission.state, submission.reason_code) == ("rejected", "unidentified_card")


def test_a_label_is_enough() -> None:
    submission = process_new(card={"label": {"brand": "SanDisk", "line": "Extreme", "capacity_gb": 32}})
    assert submission.run.card.variant.card_model.slug == "sandisk-extreme-32-gb"


def test_a_named_specimen_is_recognised_again() -> None:
    card = {"label": {"brand": "SanDisk"}, "specimen": "card 1"}
    process_new(card=card, uuid=uuid(1))
    process_new(card=card, uuid=uuid(2))
    process_new(card=card | {"specimen": "card 2"}, uuid=uuid(3))
    assert Card.objects.count() == 2


def test_unnamed_specimens_are_counted_apart() -> None:
    for number in (1, 2):
        process_new(card={"label": {"brand": "SanDisk"}}, uuid=uuid(number))
    assert Card.objects.count() == 2


def test_a_simulated_card_shares_nothing_with_a_real_one() -> None:
    real, simulated = process_new(), process_new(simulated=True)
    assert real.run.card != simulated.run.card
    assert simulated.run.card.variant.card_model.simulated
    assert CardModel.objects.real().get() == real.run.card.variant.card_model


# Tests of unusable values, which are kept with a reason.


def test_an_unreadable_cid_rejects_the_report_and_keeps_it() -> None:
    submission = process_new(card={"registers": {"cid": "02544d53413034"}})
    assert (submission.state, submission.reason_field) == ("rejected", "card.registers.cid")
    assert "32 hex digits" in submission.reason_detail
    assert json.loads(bytes(submission.body))["card"]["registers"]["cid"] == "02544d53413034"
    assert counts() == [0] * len(NOUNS)


def test_an_unreadable_cid_under_a_label_is_only_a_remark() -> None:
    submission = process_new(card={"label": {"brand": "Nobody"}, "registers": {"cid": "00" * 16}})
    assert submission.state == "processed"
    assert submission.not_understood[0]["field"] == "card.registers.cid"


def test_another_unreadable_register_is_only_a_remark() -> None:
    submission = process_new(card=report()["card"] | {"registers": SA04G | {"ssr": "zz"}})
    assert submission.state == "processed"
    assert submission.not_understood[0]["field"] == "card.registers.ssr"


def test_an_unknown_workload_is_a_remark_and_the_rest_is_filed() -> None:
    submission = process_new(measurements=[rand_read() | {"workload": "telepathy"}, rand_write()])
    assert submission.not_understood[0]["field"] == "measurements[0].workload"
    assert Measurement.objects.count() == 1


def test_an_impossible_value_is_kept_marked_and_not_ranked() -> None:
    cached = seq_read(1.9, unit="GB/s")
    cached["parameters"]["io"] = "buffered"
    process_new(measurements=[cached, rand_write()])
    impossible = Measurement.objects.get(metric="throughput")
    assert impossible.verdict == "impossible"
    assert "more than the link can carry" in impossible.reason
    assert AbilityEstimate.objects.get().ability == "small_writes"


def test_a_failed_measurement_is_not_a_number() -> None:
    failed = rand_read() | {"values": [], "failure": {"code": "EIO", "detail": "Input/output error at 4096"}}
    process_new(measurements=[failed])
    measurement = Measurement.objects.get()
    assert (measurement.value, measurement.verdict) == (None, "failed")
    assert "Input/output error" in measurement.reason


def test_a_report_without_measurements_files_the_card() -> None:
    assert process_new(measurements=[]).state == "processed"
    assert (Card.objects.count(), Performance.objects.count()) == (1, 0)


def test_a_rejected_report_is_accepted_once_we_can_read_it() -> None:
    submission = process_new(card={"registers": {"cid": "02544d53413034"}})
    Submission.objects.filter(pk=submission.pk).update(body=body())
    ingest.process(submission.pk)
    submission.refresh_from_db()
    assert (submission.state, submission.reason_code) == ("processed", "")


def test_what_a_rule_of_today_rejects_loses_its_old_outcome() -> None:
    submission = process_new()
    Submission.objects.filter(pk=submission.pk).update(body=body(card={}))
    ingest.process(submission.pk)
    submission.refresh_from_db()
    assert submission.state == "rejected"
    assert counts()[:3] == [0, 0, 0]


def test_quarantine_says_whose_fault_it_is() -> None:
    submission = receive().submission
    Submission.objects.update(attempts=ingest.MOST_ATTEMPTS)
    ingest.retry(submission.pk)
    submission.refresh_from_db()
    assert (submission.state, submission.reason_code) == ("rejected", "processing_failed")
    assert "our fault" in submission.reason_detail


# Tests of deletions.


def test_deleting_the_only_submission_leaves_nothing() -> None:
    ingest.delete(process_new())
    assert counts() == [0, 0, 0, 1, 0, 0, 0]  # hosts stay
    assert Submission.objects.count() == 0


def test_deleting_restores_what_was_before() -> None:
    process_new(card=specimen(1), measurements=[rand_write(400)])
    before = list_performances()
    second = process_new(card=specimen(2), measurements=[rand_write(800)])
    assert list_performances() != before
    ingest.delete(second)
    assert list_performances() == before


def test_deleting_the_label_gives_the_model_its_register_name_back() -> None:
    process_new()
    labelled = process_new(card=report()["card"] | {"label": {"brand": "Kingston"}})
    ingest.delete(labelled)
    assert CardModel.objects.get().named_from == "registers"


def test_deleting_what_was_not_processed_yet() -> None:
    ingest.delete(receive().submission)
    assert Submission.objects.count() == 0


def test_the_delete_key_opens_its_own_submission_only() -> None:
    mine, other = receive(uuid=uuid(1)), receive(uuid=uuid(2))
    assert mine.delete_key
    assert keys.is_delete_key(mine.delete_key, mine.submission.public_id)
    assert not keys.is_delete_key(mine.delete_key, other.submission.public_id)
    assert not keys.is_delete_key("", mine.submission.public_id)
    assert not keys.is_delete_key("ключ", mine.submission.public_id)


def test_what_the_client_doubted_is_kept_with_the_run() -> None:
    run = report()["run"] | {"doubts": ["the host was busy"], "before": {"load_average": 3.5}}
    assert process_new(run=run).run.doubts == ["the host was busy"]


def test_a_new_submission_is_stored_as_it_is_in_memory() -> None:
    kept = receive(uuid=uuid(1)).submission
    stored = Submission.objects.get()
    for field in Submission._meta.concrete_fields:
        name = field.attname
        assert getattr(stored, name) == getattr(kept, name), name
