"""Why a model has its score: the same numbers that made it, in words, on the page and in the API."""

import math
from typing import Any

import pytest
from django.test import Client

from submissions.domain.measuring import metrics
from submissions.domain.ranking import interfaces, uses
from submissions.evidence import explanation, fits, flag_words
from submissions.models import CardModel, Run, Score, VariationFlag
from submissions.writing import ingest, refit
from tests.factories import rand_write, report, seq_read, specimen, uuid
from tests.small_crowd import crowd, process, receive, together, two_silicons

pytestmark = pytest.mark.django_db


def file(number: int, *, owner: str = "somebody", **changes: Any) -> None:
    document = report(uuid=uuid(number), card=specimen(number, label={"brand": "Kingston"}), **changes)
    ingest.process(receive(document, owner).pk)


def explain(interface: str = "sdr104") -> explanation.Explanation:
    reasons = explanation.explain(
        CardModel.objects.get(slug="kingston-4-gb"),
        profile=uses.find("pi-root"),
        interface=interfaces.find(interface),
    )
    assert reasons is not None
    return reasons


def twofold() -> None:
    """Store a model with two silicons among twelve others, after a full fit."""
    together(crowd(70, models=12))
    two_silicons(5, ratio=3)
    refit.refit()


def test_a_figure_is_told_with_its_interval_and_what_is_asked_of_it() -> None:
    file(1, measurements=[rand_write(1000)])
    (line,) = explain().measured
    figure = Score.objects.get(profile="pi-root", interface="sdr104").figures["rand_write_4k"]
    words = [metrics.in_words(figure[end], "1/s") for end in ("value", "lower", "upper")]
    assert [line.value, line.lower, line.upper] == words and len(set(words)) == 3
    assert (line.title, line.percent, line.reference) == (
        "Random write, 4 KiB",
        pytest.approx(20),
        "500 IOPS",
    )
    assert (line.at_least, line.more_cards) == (False, 0)
    assert line.cards[0].key == Run.objects.get().card.key


def test_of_many_cards_those_that_weigh_most_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explanation, "MOST_CARDS", 2)
    for number in range(1, 4):
        file(number)
    file(4, owner="another")
    (_, line) = explain().measured
    assert (len(line.cards), line.more_cards) == (2, 2)
    assert line.cards[0].key == Run.objects.get(submission__submitter="another").card.key
    assert not line.cards[0].capped and line.cards[1].capped


@pytest.mark.parametrize("interface", ["high_speed", "sdr104", "fastest"])
def test_the_factors_are_the_score(interface: str) -> None:
    process(crowd(12))
    for model in CardModel.objects.all():
        reasons = explanation.explain(
            model, profile=uses.find("pi-root"), interface=interfaces.find(interface)
        )
        assert reasons is not None
        factors = [line.factor for line in (*reasons.measured, *reasons.missing)]
        assert 100 * math.prod(factors) == pytest.approx(reasons.score.value, rel=1e-6)
        assert math.fsum(line.percent for line in (*reasons.measured, *reasons.missing)) == pytest.approx(100)


def test_the_votes_of_all_cards_are_one() -> None:
    for number in range(1, 5):
        file(number, owner=f"person {number}", measurements=[rand_write(900 + number)])
    (line,) = explain().measured
    assert len(line.cards) == 4
    assert math.fsum(card.percent for card in line.cards) == pytest.approx(100)
    assert {card.runs[0].measured for card in line.cards} == {"901 IOPS", "902 IOPS", "903 IOPS", "904 IOPS"}


def test_a_card_measured_twice_has_one_line() -> None:
    for number in (1, 2):
        card = specimen(7, label={"brand": "Kingston"})
        document = report(uuid=uuid(number), card=card, measurements=[rand_write(510 + number)])
        ingest.process(receive(document, "somebody").pk)
    (line,) = explain().measured[0].cards
    assert {run.measured for run in line.runs} == {"511 IOPS", "512 IOPS"}


def test_cards_of_one_person_count_less() -> None:
    for number in range(1, 5):
        file(number)
    assert all(card.capped for card in explain().measured[0].cards)
    file(5, owner="another")
    percents = [card.percent for card in explain().measured[0].cards]
    assert percents == sorted(percents, reverse=True) and percents[0] > percents[-1]


def test_a_card_at_the_limit_of_its_slot_says_at_least() -> None:
    file(1, measurements=[seq_read(44), rand_write(500)])
    (line,) = (line for line in explain().measured if line.name == "seq_read")
    assert line.cards[0].at_least


def test_what_is_left_out_is_named_with_its_reason() -> None:
    file(1, measurements=[rand_write(1000), seq_read(49.5)])
    (measurement,) = explain().left_out
    assert (measurement.figure, measurement.verdict) == ("seq_read", "suspicious")


def test_a_value_in_another_unit_is_held_out_and_asked_about() -> None:
    for number, iops in enumerate((1000, 1040, 960, 1.024), 1):
        file(number, owner=f"person {number}", measurements=[rand_write(iops)])
    reasons = explain()
    assert [(title, line.measured) for title, line in reasons.asked] == [("Random write, 4 KiB", "1.02 IOPS")]
    assert [len(line.cards) for line in reasons.measured] == [3]


def test_of_two_cards_nobody_knows_which_unit_is_wrong() -> None:
    for number, iops in enumerate((1000, 1), 1):
        file(number, owner=f"person {number}", measurements=[rand_write(iops)])
    assert explain().asked == ()


def test_one_more_card_narrows_the_interval() -> None:
    file(1)
    reasons = explain()
    lower, upper = reasons.one_more
    assert reasons.score.lower < lower < reasons.score.value < upper < reasons.score.upper
    assert (lower * upper) ** 0.5 == pytest.approx(reasons.score.value, rel=0.05)  # it is as expected


def test_a_model_whose_cards_differ_is_explained_by_its_worst() -> None:
    twofold()
    model = CardModel.objects.get(brand="Twofold")
    words = flag_words.describe_flag(VariationFlag.objects.get(card_model=model, kind="varies"))
    assert words.heading == "Same name, different cards"
    assert "5 cards with SA04G 1.1 are" in words.sentence
    assert "5 cards with SA04G 2.0" in words.sentence
    reasons = explanation.explain(model, profile=uses.find("pi-root"), interface=interfaces.find("sdr104"))
    assert reasons is not None
    assert len(reasons.measured[0].cards) == 5
    factors = [line.factor for line in (*reasons.measured, *reasons.missing)]
    assert 100 * math.prod(factors) == pytest.approx(reasons.score.value, rel=1e-6)


@pytest.mark.parametrize("least", [1e-9, 9])
def test_a_run_says_what_its_host_adds_or_takes(monkeypatch: pytest.MonkeyPatch, least: float) -> None:
    monkeypatch.setattr(explanation, "_NO_CORRECTION", least)
    together(crowd(70, models=12))
    refit.refit()
    stored, model = fits.current_fit(), CardModel.objects.get(brand="Brand 0")
    reasons = explanation.explain(model, profile=uses.find("pi-root"), interface=interfaces.find("sdr104"))
    assert reasons is not None and reasons.fitted
    told = [(line.name, run) for line in reasons.measured for card in line.cards for run in card.runs]
    effects = [
        stored.crowd.figures[name].host_effect[stored.numbers.hosts[run.run.host_id]] for name, run in told
    ]
    assert len({float(effect) for effect in effects}) > 1
    wanted = [math.exp(effect) if least < 1 else None for effect in effects]
    assert [run.host_ratio for _, run in told] == pytest.approx(wanted)


def test_the_api_explains_the_same(client: Client) -> None:
    file(1, measurements=[rand_write(1000), seq_read(49.5)])
    answer = client.get("/api/v1/models/kingston-4-gb/explanation/?profile=pi-root&interface=ddr50").json()
    (line,) = answer["measured"]
    assert (line["name"], line["cards"][0]["runs"][0]["measured"]) == ("rand_write_4k", "1,000 IOPS")
    assert answer["left_out"][0]["verdict"] == "suspicious"
    assert answer["one_more"][0] < answer["one_more"][1]
    assert answer["flags"] == []


def test_the_api_tells_flags_in_words(client: Client) -> None:
    twofold()
    slug = CardModel.objects.get(brand="Twofold").slug
    kinds = [flag["kind"] for flag in client.get(f"/api/v1/models/{slug}/explanation/").json()["flags"]]
    assert "varies" in kinds


@pytest.mark.parametrize(
    ("query", "code"), [("profile=flying", "unknown_profile"), ("interface=warp", "unknown_interface")]
)
def test_the_api_refuses_what_it_does_not_know(client: Client, query: str, code: str) -> None:
    file(1)
    answer = client.get(f"/api/v1/models/kingston-4-gb/explanation/?{query}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)


def test_the_api_knows_no_score_and_no_model(client: Client) -> None:
    file(1, measurements=[])
    no_score = client.get("/api/v1/models/kingston-4-gb/explanation/")
    assert (no_score.status_code, no_score.json()["error"]["code"]) == (404, "no_score")
    assert client.get("/api/v1/models/nobody/explanation/").status_code == 404


@pytest.mark.parametrize(
    ("ratio", "words"),
    [(1.08, "this host makes it 8 % faster"), (0.5, "this host makes it 50 % slower"), (None, "")],
)
def test_a_host_is_told_by_what_it_adds_or_takes(ratio: float | None, words: str) -> None:
    assert explanation.RunLine(Run(), "9 MB/s", ratio).host_words == words
