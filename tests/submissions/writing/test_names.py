"""Models are merged, renamed and split: the decision survives reprocessing, and old URLs redirect."""

import io
import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection, transaction
from django.test import Client

from submissions.domain.report import Label
from submissions.models import AbilityEstimate, Card, CardModel, Correction, Submission, Variant
from submissions.writing import filing, ingest, names
from submissions.writing.names import CorrectionError
from tests.factories import SA04G, body, rand_write, specimen, uuid

pytestmark = pytest.mark.django_db

REGISTER_NAME = "sa04g-4-gb-sd-02-544d"


def file(number: int, brand: str = "", **card: Any) -> Submission:
    sent = body(
        uuid=uuid(number),
        card=specimen(number, label={"brand": brand}) | card,
        measurements=[rand_write(100 * number)],
    )
    submission = ingest.receive(sent, channel="api", submitter="anybody").submission
    ingest.process(submission.pk)
    return submission


def slugs() -> set[str]:
    return set(CardModel.objects.values_list("slug", flat=True))


def reprocess(submissions: Any = None) -> None:
    for submission in submissions or Submission.objects.order_by("pk"):
        ingest.process(submission.pk)


def lead(client: Client, slug: str) -> str:
    response = client.get(f"/models/{slug}/")
    assert response.status_code == 301
    return str(response.headers["Location"])


# Tests of merging.


def test_it_works(client: Client) -> None:
    file(1, "Kingston")
    file(2, "Kingston Technology")
    model = names.merge(["kingston-technology-4-gb"], into="kingston-4-gb")
    assert slugs() == {"kingston-4-gb"}
    assert AbilityEstimate.objects.get(card_model=model, ability="small_writes").cards == 2
    assert lead(client, "kingston-technology-4-gb") == "/models/kingston-4-gb/"


def test_a_merge_survives_reprocessing_and_holds_for_cards_to_come() -> None:
    file(1, "Kingston")
    file(2, "Kingston Technology")
    names.merge(["kingston-technology-4-gb"], into="kingston-4-gb")
    reprocess()
    file(3, "Kingston Technology")
    assert slugs() == {"kingston-4-gb"}


def test_several_are_merged_at_once_and_one_after_the_other() -> None:
    for number, brand in enumerate("ABCD", start=1):
        file(number, brand)
    names.merge(["a-4-gb", "b-4-gb"], into="c-4-gb")
    names.merge(["c-4-gb"], into="d-4-gb")
    reprocess()
    assert slugs() == {"d-4-gb"}


def test_a_model_named_after_its_registers_is_merged_into_a_labelled_one(client: Client) -> None:
    file(1, "Kingston")
    file(2)
    names.merge([REGISTER_NAME], into="kingston-4-gb")
    reprocess()
    assert slugs() == {"kingston-4-gb"}
    assert lead(client, REGISTER_NAME) == "/models/kingston-4-gb/"


# Tests of renaming.


def test_a_model_is_renamed(client: Client) -> None:
    file(1, "Kingstn")
    names.rename("kingstn-4-gb", label=Label(brand="Kingston", line="Canvas"))
    reprocess()
    model = CardModel.objects.get()
    assert (model.name, model.brand, model.line, model.slug) == (
        "Kingston Canvas 4 GB",
        "Kingston",
        "Canvas",
        "kingston-canvas-4-gb",
    )
    assert lead(client, "kingstn-4-gb") == "/models/kingston-canvas-4-gb/"


@pytest.mark.parametrize(
    ("number", "name"),
    [
        ("ABC9/4GB", "Kingston ABC9/4GB 4 GB"),
        ("SDC4/4GB", "Kingston Class 4 4 GB (SDC4)"),  # a part number of the table of products
    ],
)
def test_a_register_name_becomes_a_label(number: str, name: str) -> None:
    file(1)
    names.rename(REGISTER_NAME, label=Label(brand="Kingston", model_number=number))
    reprocess()
    model = CardModel.objects.get()
    assert (model.name, model.model_number, model.named_from) == (name, number, "label")


def test_only_the_writing_of_a_name_is_changed() -> None:
    file(1, "KINGSTON")
    names.rename("kingston-4-gb", label=Label(brand="Kingston"))
    assert CardModel.objects.get().name == "Kingston 4 GB"
    reprocess()
    file(2, "KINGSTON")
    assert CardModel.objects.get().name == "Kingston 4 GB"


def test_renaming_there_and_back(client: Client) -> None:
    file(1, "A")
    names.rename("a-4-gb", label=Label(brand="B"))
    names.rename("b-4-gb", label=Label(brand="A"))
    reprocess()
    assert slugs() == {"a-4-gb"}
    assert lead(client, "b-4-gb") == "/models/a-4-gb/"


def test_a_renamed_model_is_held_against_its_new_brand() -> None:
    file(1, "Kingston")
    names.rename("kingston-4-gb", label=Label(brand="Samsung"))
    assert "C19" in [row["id"] for row in Card.objects.get().suspicions]


# Tests of splitting.


def with_other_silicon(number: int) -> Submission:
    return file(number, "Kingston", registers=SA04G | {"cid": "2750485344303447301a2b3c4d00d3"})


def split_off() -> None:
    silicon = Variant.objects.get(pnm="SD04G")
    names.split("kingston-4-gb", variants=[silicon.pk], to=Label(brand="Kingston", line="Phison"))


def test_silicon_is_split_off() -> None:
    file(1, "Kingston")
    with_other_silicon(2)
    variant = Variant.objects.get(pnm="SD04G")
    model = names.split("kingston-4-gb", variants=[variant.pk], to=Label(brand="Kingston", line="Phison"))
    reprocess()
    assert slugs() == {"kingston-4-gb", "kingston-phison-4-gb"}
    assert [row.pnm for row in model.variants.all()] == ["SD04G"]


def test_silicon_is_split_off_to_a_model_that_is_there_and_comes_back() -> None:
    file(1, "Kingston")
    file(3, "Other")
    with_other_silicon(2)
    variant = Variant.objects.get(pnm="SD04G")
    names.split("kingston-4-gb", variants=[variant.pk], to="other-4-gb")
    reprocess()
    assert Variant.objects.get(pnm="SD04G").card_model.slug == "other-4-gb"
    names.split("other-4-gb", variants=[Variant.objects.get(pnm="SD04G").pk], to="kingston-4-gb")
    reprocess()
    assert Variant.objects.get(pnm="SD04G").card_model.slug == "kingston-4-gb"


def test_what_was_split_off_is_merged_again() -> None:
    file(1, "Kingston")
    with_other_silicon(2)
    split_off()
    names.merge(["kingston-phison-4-gb"], into="kingston-4-gb")
    reprocess()
    assert slugs() == {"kingston-4-gb"}
    assert not Correction.objects.filter(silicon__isnull=False).exists()  # it would lead in a circle


def test_what_was_split_off_stays_so_when_another_model_joins() -> None:
    file(1, "Kingston")
    with_other_silicon(4)
    file(2, "Kingston Technology")
    split_off()
    names.merge(["kingston-technology-4-gb"], into="kingston-4-gb")
    reprocess()
    assert slugs() == {"kingston-4-gb", "kingston-phison-4-gb"}


# Tests of any order.


def test_the_order_of_processing_does_not_matter(client: Client) -> None:
    submissions = [file(1, "A"), file(2, "B"), file(3), with_other_silicon(4)]
    names.merge(["b-4-gb"], into="a-4-gb")
    names.rename(REGISTER_NAME, label=Label(brand="C"))
    names.split(
        "kingston-4-gb",
        variants=[Variant.objects.get(pnm="SD04G").pk],
        to=Label(brand="Kingston", line="Phison"),
    )
    outcomes = set()
    for order in itertools.islice(itertools.permutations(submissions), 0, None, 3):
        reprocess(order)
        rows = CardModel.objects.order_by("slug").values_list("slug", "name", "brand", "variants__pnm")
        outcomes.add(tuple(rows))
        assert lead(client, "b-4-gb") == "/models/a-4-gb/"
    assert len(outcomes) == 1


def test_nothing_is_filed_during_a_correction(transactional_db: None) -> None:
    """A report stored during a correction would miss it, so its worker waits; here the wait ends at once."""
    submission = file(1, "A")

    def process_without_patience() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '50ms'")
        try:
            ingest.process(submission.pk)
        finally:
            connection.close()

    with transaction.atomic(), ThreadPoolExecutor() as elsewhere:
        filing.lock_names(to_correct=True)
        with pytest.raises(OperationalError, match="lock timeout"):
            elsewhere.submit(process_without_patience).result()


@pytest.mark.parametrize(
    "correct",
    [
        lambda variant: names.merge(["a-4-gb"], into="b-4-gb"),
        lambda variant: names.rename("a-4-gb", label=Label(brand="C")),
        lambda variant: names.split("a-4-gb", variants=[variant], to=Label(brand="C")),
    ],
    ids=["merge", "rename", "split"],
)
def test_a_correction_waits_for_who_files_at_this_moment(transactional_db: None, correct: Any) -> None:
    file(1, "A")
    file(2, "B")
    variant = Variant.objects.get(card_model__brand="A").pk

    def correct_without_patience() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '50ms'")
        try:
            correct(variant)
        finally:
            connection.close()

    with transaction.atomic(), ThreadPoolExecutor() as elsewhere:
        filing.lock_names()
        with pytest.raises(OperationalError, match="lock timeout"):
            elsewhere.submit(correct_without_patience).result()
    assert slugs() == {"a-4-gb", "b-4-gb"}


# Tests of old URLs.


def test_a_register_name_leads_on_once_a_label_is_known(client: Client) -> None:
    file(1)
    file(1 + 1)  # another card keeps the old page alive
    assert client.get(f"/models/{REGISTER_NAME}/").status_code == 200
    for number in (1, 2):
        sent = body(uuid=uuid(10 + number), card=specimen(number, label={"brand": "Kingston"}))
        ingest.process(ingest.receive(sent, channel="api", submitter="x").submission.pk)
    assert lead(client, REGISTER_NAME) == "/models/kingston-4-gb/"


def test_a_register_name_leads_on_even_when_no_card_ever_had_it(client: Client) -> None:
    file(1, "Kingston")
    assert lead(client, REGISTER_NAME) == "/models/kingston-4-gb/"


def test_an_address_that_led_to_several_leads_to_the_most_cards(client: Client) -> None:
    for number, brand in enumerate(("A", "B", "B"), start=1):
        file(number, brand)
    assert lead(client, REGISTER_NAME) == "/models/b-4-gb/"


def test_an_address_whose_cards_are_gone_is_not_found(client: Client) -> None:
    ingest.delete(file(1, "Kingston"))
    assert client.get("/models/kingston-4-gb/").status_code == 404
    assert client.get(f"/models/{REGISTER_NAME}/").status_code == 404


# Tests of refusals.


def test_a_model_is_not_merged_into_itself_or_into_nothing() -> None:
    file(1, "Kingston")
    for into in ("kingston-4-gb", "nobody"):
        with pytest.raises(CorrectionError):
            names.merge(["kingston-4-gb"], into=into)


def test_a_simulated_card_and_a_real_one_stay_apart() -> None:
    file(1, "Kingston")
    sent = body(uuid=uuid(2), card=specimen(2, label={"brand": "Kingston"}), simulated=True)
    ingest.process(ingest.receive(sent, channel="api", submitter="x").submission.pk)
    with pytest.raises(CorrectionError, match="never the same model"):
        names.merge(["simulated-kingston-4-gb"], into="kingston-4-gb")


def test_a_name_that_is_taken_is_to_be_merged_instead() -> None:
    file(1, "A")
    file(2, "B")
    with pytest.raises(CorrectionError, match="merge a-4-gb into b-4-gb"):
        names.rename("a-4-gb", label=Label(brand="B"))


def test_a_model_needs_a_brand() -> None:
    file(1)
    with pytest.raises(ValueError, match="must have a brand"):
        names.rename(REGISTER_NAME, label=Label(line="Canvas"))


def test_only_its_own_variants_are_split_off() -> None:
    file(1, "Kingston")
    with pytest.raises(CorrectionError, match=r"It has \d+ \(SA04G 1.1\)"):
        names.split("kingston-4-gb", variants=[999], to=Label(brand="X"))
    with pytest.raises(CorrectionError, match="Say how it differs"):
        names.split("kingston-4-gb", variants=[Variant.objects.get().pk], to=Label())


def test_a_refused_correction_changes_nothing() -> None:
    file(1, "A")
    file(2, "B")
    with pytest.raises(CorrectionError):
        names.merge(["a-4-gb", "nobody"], into="b-4-gb")
    reprocess()
    assert slugs() == {"a-4-gb", "b-4-gb"}


# Tests of the command.


def run(*arguments: object) -> str:
    out = io.StringIO()
    call_command("models", *map(str, arguments), stdout=out)
    return out.getvalue()


def test_the_command_merges_renames_and_splits() -> None:
    file(1, "A")
    file(2, "B")
    assert run("merge", "a-4-gb", "--into", "b-4-gb") == "B 4 GB: /models/b-4-gb/\n"
    assert run("rename", "b-4-gb", "--brand", "C", "--capacity-gb", 8) == "C 8 GB: /models/c-8-gb/\n"
    variant = Variant.objects.get().pk
    assert run("split", "c-8-gb", "--variant", variant, "--brand", "D") == "D 8 GB: /models/d-8-gb/\n"
    file(3, "E")
    assert run(
        "split", "d-8-gb", "--variant", Variant.objects.get(card_model__brand="D").pk, "--to", "e-4-gb"
    )
    assert slugs() == {"e-4-gb"}


def test_the_command_says_what_is_wrong() -> None:
    with pytest.raises(CommandError, match="There is no model “nobody”"):
        run("merge", "nobody", "--into", "nobody")
