"""The page that explains an ability lists its values with effects and weights, and values that do not count."""

import html
import re
from typing import Any

import pytest
from django.test import Client

from submissions.evidence import flag_words
from submissions.evidence.reasons import ValueBehind
from submissions.models import CardModel, Run, VariationFlag
from submissions.pages.content import reason_rows
from submissions.writing import ingest, refit
from tests.factories import rand_write, report, seq_read, specimen, uuid
from tests.performances import add_performance
from tests.small_crowd import crowd, process_together, receive, two_silicons

URL = "/models/kingston-4-gb/why/"


def file(number: int, *, owner: str = "somebody", **changes: Any) -> None:
    document = report(uuid=uuid(number), card=specimen(number, label={"brand": "Kingston"}), **changes)
    ingest.process(receive(document, owner).pk)


def text(client: Client, url: str = URL) -> str:
    response = client.get(url)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


@pytest.mark.django_db
def test_it_works(client: Client) -> None:
    for number, iops in enumerate((900, 1000, 1100), 1):
        file(number, owner=f"person {number}", measurements=[rand_write(iops)])
    page = text(client)
    assert '<option value="small_writes" selected>' in page
    for run in Run.objects.select_related("card", "submission"):
        assert run.card.key[:6] in page and f'href="{run.get_absolute_url()}"' in page
    assert all(words in page for words in ("900 IOPS", "1,000 IOPS", "1,100 IOPS", "Random write, 4 KiB"))
    reference = r"Small writes in a typical host[^:]*: [\d,]+ IOPS \(95 % sure: [\d,]+ IOPS to [\d,]+ IOPS\)"
    assert re.search(reference, page)
    assert "We correct nothing yet" in page


@pytest.mark.django_db
def test_it_says_what_the_page_says_that_led_here(client: Client) -> None:
    """A list says the figure in a device, but this page gave only that in a usual host."""
    file(1, measurements=[rand_write(900)])
    add_performance(
        "Fast", "raspberry-pi-5", {"small_writes": 3964, "small_reads": 9000, "large_writes": 60e6}
    )
    front = text(client, "/?board=raspberry-pi-5")
    (address,) = re.findall(r'href="([^"]*)">Why this card', front)
    assert "3,964 IOPS" in front
    explained = text(client, html.unescape(address))
    assert "Small writes: 3,964 IOPS, measured in a Raspberry Pi 5 or 500." in explained
    assert '<option value="raspberry-pi-5" selected>' in explained
    of_model = text(client, "/models/kingston-4-gb/?board=raspberry-pi-4")
    said = re.search(r"Small writes: [^<]*measured in a Raspberry Pi 4 or 400.[^<]*\(95 % sure\)\.", of_model)
    assert said and said[0] in text(client, f"{URL}?board=raspberry-pi-4")


@pytest.mark.django_db
def test_each_ability_has_its_own_values(client: Client) -> None:
    file(1, measurements=[rand_write(900), seq_read(20)])
    assert "20 MB/s" in text(client, f"{URL}?ability=large_reads")
    assert "Nobody has measured this ability of Kingston 4 GB yet." in text(
        client, f"{URL}?ability=small_reads"
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "ability"), [("profile=media", "small_reads"), ("profile=flying", "small_writes")]
)
def test_an_older_address_leads_to_the_leading_ability(client: Client, query: str, ability: str) -> None:
    file(1)
    assert f'<option value="{ability}" selected>' in text(client, f"{URL}?{query}")


@pytest.mark.django_db
def test_nonsense_in_the_address_gives_the_default(client: Client) -> None:
    file(1)
    assert "The measurements behind this estimate" in text(client, f"{URL}?ability=flying")


@pytest.mark.django_db
def test_what_does_not_count_is_named_with_its_reason(client: Client) -> None:
    file(1, measurements=[rand_write(1000), seq_read(49.5)])
    assert "leaves no time for commands" in text(client, f"{URL}?ability=large_reads")
    assert "leaves no time for commands" not in text(client)


@pytest.mark.django_db
def test_a_model_with_cards_that_differ_says_so(client: Client) -> None:
    process_together(crowd(70, models=12))
    two_silicons(5, ratio=3)
    refit.refit()
    model = CardModel.objects.get(brand="Twofold")
    words = flag_words.describe_flag(VariationFlag.objects.get(card_model=model, kind="varies"))
    assert words.sentence in text(client, f"/models/{model.slug}/why/")


@pytest.mark.django_db
def test_a_simulated_card_is_judged_by_itself(client: Client) -> None:
    file(1, simulated=True, host={"interface": "simulated"})
    assert "We judge each simulated card on its own." in text(
        client, CardModel.objects.get().get_absolute_url() + "why/"
    )


@pytest.mark.django_db
@pytest.mark.parametrize("runs", [1, 5])
def test_it_needs_as_many_queries_for_many_runs(
    client: Client, runs: int, django_assert_max_num_queries: Any
) -> None:
    for number in range(1, runs + 1):
        file(number)
    client.get(URL)
    with django_assert_max_num_queries(9):
        client.get(URL)


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        (1.0, ""),
        (1.019, ""),
        (1.08, "makes it 8\u00a0% faster"),
        (0.6, "makes it 40\u00a0% slower"),
        (2.34, "makes it 2.3 times as fast"),
    ],
)
def test_an_effect_is_told_as_a_ratio(ratio: float, words: str) -> None:
    assert reason_rows.describe_effect(ratio) == words


@pytest.mark.parametrize(
    ("weight", "counts", "words"),
    [
        (1.2, True, "100\u00a0%"),
        (0.1, True, "10\u00a0%: far from all others"),
        (0.0, False, "left out: faster than the link, so the data came from the host’s memory"),
    ],
)
def test_a_weight_is_told_in_words(weight: float, counts: bool, words: str) -> None:
    value = ValueBehind(Run(), "seq_read", 41e6, 1.0, weight, at_least=True, counts=counts)
    row = reason_rows._make_row(value)
    assert (row.weight, row.measured) == (words, "at least 41 MB/s")
