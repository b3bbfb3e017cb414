"""Collect all content of the page of a model, for a device and a use."""

from collections.abc import Mapping
from typing import Any

from submissions.domain.identity import promises
from submissions.domain.intake.structures import group_by
from submissions.domain.measuring.metrics import ABILITIES, FIGURES
from submissions.domain.ranking import uses
from submissions.domain.ranking.advice import Advice
from submissions.domain.ranking.summary import Sample
from submissions.domain.ranking.wish import Wish
from submissions.evidence import flag_words, places, summaries
from submissions.evidence.records import CLASSES
from submissions.models import CardModel, Measurement, Run
from submissions.pages.content import ability_rows, advice_rows, advice_words, device_names, sentences
from submissions.pages.content.device_answers import answer_wish
from submissions.pages.content.finding_lines import list_of_model
from submissions.pages.content.pros_cons import list_pros_and_cons
from submissions.pages.plots import of_models
from submissions.pages.plots.figure import Plot

_MOST_PLOTS = 4


def load_dossier(model: CardModel, wish: Wish) -> dict[str, Any]:
    """Return the content of a model's page by name; eight queries for any number of cards.

    The summary must be loaded.

    proof       evidence of the ability that ranks cards, in words; "" if it was not measured
    abilities   rows of all abilities in the slot of the device
    price       current price of the model in words, "" if there is none
    spread      known differences between cards of the model in words, "" for one or two cards
    uses        answers whether the model is good enough, for each use in this device
    devices     answers whether the model is good enough, for the usual devices
    beside      rows of the model and its neighbours in the ranking, on the common `axis`
    runs, left_out   the first runs, and measurements that are not used; `summary` has their numbers
    estimates   abilities on the reference host, without the limit of a slot
    """
    advised, kept = _load_advice(model, wish), summaries.get_summary(model)
    advice: Advice = advised["advice"]
    estimates = ability_rows.load_estimates(model)
    best = places.load_best_values(wish.board)
    strips, histories = _draw_plots(wish, kept.summary.samples, advice)
    return advised | {
        "verdict": sentences.write_verdict(wish, model, advice, kept.summary),
        "proof": advice_words.describe_proof(advice.leading) if advice.leading else "",
        "abilities": ability_rows.make_rows(advice, best),
        "pros_cons": list_pros_and_cons(model, advice),
        "price": advice_rows.describe_price(advice),
        "spread": flag_words.describe_spread(model, advice.leading),
        "promises": promises.check_promises(
            {name: getattr(model, name) for name in CLASSES}, ability_rows.convert_estimates(estimates)
        ),
        "strips": strips,
        "histories": histories,
        "variation": tuple(map(flag_words.describe_flag, model.variation_flags.order_by("-kind", "figure"))),
        "runs": tuple(Run.objects.filter(pk__in=kept.newest_runs).with_context()),
        "left_out": tuple(Measurement.objects.filter(pk__in=kept.left_out).by_card()),
        "findings": list_of_model(kept.summary.findings),
        "summary": kept.summary,
        "estimates": estimates,
    }


def _load_advice(model: CardModel, wish: Wish) -> dict[str, Any]:
    in_uses = [Wish(wish.board, use) for use in uses.uses_in(wish.board.interface).values()]
    advised = places.load_answers(model, [wish, *in_uses, *device_names.devices()])
    neighbours = places.load_neighbours(model, wish)
    answers = [answer_wish(one, of_wish) for one, of_wish in advised[1:]]
    beside, axis = advice_rows.make_rows(neighbours, wish.board)
    return {
        "advice": next((one for found, one in neighbours if found == model), advised[0][1]),
        "uses": answers[: len(in_uses)],
        "devices": answers[len(in_uses) :],
        "beside": beside,
        "axis": axis,
    }


def _draw_plots(
    wish: Wish, samples: Mapping[str, Sample], advice: Advice
) -> tuple[tuple[Plot, ...], tuple[Plot, ...]]:
    by_ability = group_by(samples.items(), lambda item: FIGURES[item[0]].ability)
    # First the abilities that the use asks for.
    every = dict.fromkeys((*wish.use.abilities, *ABILITIES))
    chosen = [name for name in every if name in by_ability][:_MOST_PLOTS]
    strips = tuple(
        of_models.draw_strip(name, dict(by_ability[name]), advice.abilities.get(name), wish.board)
        for name in chosen
    )
    largest = (max(by_ability[name], key=lambda item: item[1].specimens) for name in chosen)
    histories = (of_models.draw_history(figure, sample) for figure, sample in largest)
    return strips, tuple(plot for plot in histories if plot)
