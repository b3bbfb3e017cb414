"""Estimate the abilities of models, and, if the cards of a model differ, of each of its silicons.

A silicon is a group of cards with the same maker, product name and revision in their registers.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from submissions.domain.estimation.estimate import estimate
from submissions.domain.estimation.estimates import Estimates
from submissions.domain.estimation.evidence import Evidence, Index
from submissions.domain.estimation.people import STRANGER
from submissions.domain.estimation.variation import Findings, find_variation, learn_usual
from submissions.domain.estimation.voices import CardFacts
from submissions.domain.identity.suspicions.quirks import Silicon
from submissions.domain.measuring.metrics import ABILITIES
from submissions.domain.ranking.catalogue import base_value
from submissions.evidence import crowds
from submissions.evidence.crowds import StoredCrowd
from submissions.evidence.observations import Gathered
from submissions.models import AbilityEstimate
from submissions.sql import bulk

# The number of the cards of each silicon, by model.
Silicons = Mapping[int, Counter[Silicon]]
COUNTS = ("cards", "people", "known_people", "runs")
# Decimals to keep: the last digits depend on how many models are estimated at a time.
DECIMALS = 8


class Parts(NamedTuple):
    """The silicons (cards with equal registers) of models with cards that differ, each estimated like a model.

    model     number of the model that the silicon belongs to
    variant   id of the silicon (of a row of Variant)
    cards     number of cards of the silicon, without cards of people without a record, because they may be invented
    """

    evidence: Evidence
    estimates: Estimates
    model: Index
    variant: Index
    cards: Index


class Judged(NamedTuple):
    """The result of `judge`: estimates of models, the registers of their cards, and the models that vary."""

    gathered: Gathered
    estimates: Estimates
    stored: StoredCrowd
    silicons: Silicons
    findings: Findings
    parts: Parts | None


def judge(gathered: Gathered, stored: StoredCrowd, silicons: Silicons) -> Judged:
    """Estimate the abilities of models by the crowd `stored` (effects of hosts), and find models that vary."""
    return _judge(gathered, stored, silicons, estimate(gathered.evidence, stored.crowd))


def judge_all(before: StoredCrowd) -> Judged:
    """Learn a crowd (effects of hosts, methods, people) from all real models, and estimate all models by it.

    `before` is the crowd of the last full fit. Three queries.
    """
    gathered, learned = crowds.learn_crowd(before)
    estimates = estimate(gathered.evidence, learned.crowd)
    card_variance = np.array(learned.usual.card_variance)
    usual = learn_usual(estimates.card_values, _describe_cards(gathered), card_variance)
    return _judge(gathered, learned._replace(usual=usual), load_silicons(gathered.cards), estimates)


def _judge(gathered: Gathered, stored: StoredCrowd, silicons: Silicons, estimates: Estimates) -> Judged:
    findings = find_variation(estimates.card_values, _describe_cards(gathered), stored.usual)
    parts = split_models(gathered, stored, findings.varies) if findings.varies else None
    return Judged(gathered, estimates, stored, silicons, findings, parts)


def _describe_cards(gathered: Gathered) -> CardFacts:
    evidence = gathered.evidence
    _, first = np.unique(evidence.card, return_index=True)
    is_known = evidence.ignorance[first] < STRANGER
    return CardFacts(gathered.signatures, evidence.person[first], is_known)


def split_models(gathered: Gathered, stored: StoredCrowd, models: Collection[int]) -> Parts:
    """Estimate each group of cards with equal registers in the models with these numbers.

    Cards with unknown registers are left out.
    """
    every = gathered.evidence
    signature = gathered.signatures[every.card]
    evidence = every.where(np.isin(every.model, list(models)) & (signature >= 0))
    own = gathered.signatures[evidence.card]
    variants, first, part = np.unique(own, return_index=True, return_inverse=True)
    of_parts = replace(evidence, models=len(variants), model=part)
    known = np.flatnonzero(evidence.ignorance < STRANGER)
    of_cards = part[known[np.unique(evidence.card[known], return_index=True)[1]]]
    return Parts(
        evidence=of_parts,
        estimates=estimate(of_parts, stored.crowd),
        model=evidence.model[first],
        variant=variants,
        cards=np.bincount(of_cards, minlength=len(variants)),
    )


_SILICONS = """
    SELECT v.card_model_id, v.bus, v.mid, v.oid, v.pnm, v.prv, c.manufactured, count(*)
    FROM submissions_card c JOIN submissions_variant v ON v.id = c.variant_id
    WHERE c.id = ANY(%s) AND v.mid IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6, 7
"""


def load_silicons(cards: Index) -> Silicons:
    """Return by model id the number of these cards with each silicon (equal registers); one query."""
    return count_silicons(bulk.fetch_rows(_SILICONS, [cards.tolist()]))


def count_silicons(rows: Sequence[tuple[Any, ...]]) -> Silicons:
    """Return the number of cards by model and silicon, from rows (model id, fields of the registers, number)."""
    silicons: dict[int, Counter[Silicon]] = {}
    for model, bus, mid, oid, pnm, prv, month, cards in rows:
        silicon = Silicon(bus, mid, oid, pnm or "", prv or "", month or None)
        silicons.setdefault(model, Counter())[silicon] += cards
    return silicons


def estimate_rows(judged: Judged) -> Iterator[AbilityEstimate]:
    """Yield the estimate of each measured ability of each model, and, if its cards differ, of each silicon."""
    models = judged.gathered.models
    yield from _rows(judged.estimates, models.tolist(), [None] * len(models))
    if parts := judged.parts:
        yield from _rows(parts.estimates, models[parts.model].tolist(), parts.variant.tolist())


def _rows(
    estimates: Estimates, models: Sequence[int], variants: Sequence[int | None]
) -> Iterator[AbilityEstimate]:
    names = list(ABILITIES)
    for ability, model in np.argwhere(estimates.is_measured).tolist():
        yield AbilityEstimate(
            card_model_id=models[model],
            variant_id=variants[model],
            ability=names[ability],
            mean=_round(estimates.mean[ability, model]),
            sd=_round(estimates.sd[ability, model]),
            card_sd=_round(estimates.card_sd[ability, model]),
            level_known=bool(estimates.level_known[ability, model]),
            median=limit_digits(base_value(names[ability], float(estimates.median[ability, model]))),
            **{name: int(getattr(estimates, name)[ability, model]) for name in COUNTS},
        )


def _round(value: Any) -> float:
    return round(float(value), DECIMALS)


def limit_digits(value: float) -> float:
    """Return a value rounded to six significant digits, which are more than any measurement has."""
    return float(f"{value:.6g}")
