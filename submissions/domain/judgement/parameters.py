"""Every number the judgement rests on, once, with its meaning and where it comes from."""

from dataclasses import dataclass, field
from typing import Any


def _parameter(default: Any, *, meaning: str, source: str) -> Any:
    return field(default=default, metadata={"meaning": meaning, "source": source})


_TUNED = "tuned on simulated crowds, seeds below 100"


@dataclass(frozen=True, slots=True)
class Parameters:
    """Logs are natural; a spread is one standard deviation in log units. `dataclasses.fields` lists them all."""

    tail: float = _parameter(
        2.5,
        meaning="degrees of freedom of the t weights: how soon an outlier stops counting",
        source="t weights: Lange, Little & Taylor, JASA 84 (1989); the number " + _TUNED,
    )
    link_margin: float = _parameter(
        0.12, meaning="values this close to what the link reaches count as “at least”", source=_TUNED
    )
    learned_margin: float = _parameter(
        0.05, meaning="the same where the reach of a host was learned from its own values", source=_TUNED
    )
    piled_runs: int = _parameter(30, meaning="runs from which the reach of a host is learned", source=_TUNED)
    piled_share: float = _parameter(
        0.2, meaning="share of a host's values that must pile up at the top", source=_TUNED
    )
    piled_ratio: float = _parameter(
        3.0, meaning="times as many values in the pile as in the band just below", source=_TUNED
    )
    piled_models: int = _parameter(
        8, meaning="models a pile needs: one card measured often is no link", source=_TUNED
    )
    over_link: float = _parameter(
        0.077, meaning="values this far above what the link reaches are left out (8 %)", source=_TUNED
    )
    slip_margin: float = _parameter(
        0.4,
        meaning="values within this of 1000 times above or below their model are a wrong unit, and left out",
        source="1000 and 1024 differ by 0.02, cards of one model hardly by more than a factor of 1.5",
    )
    slip_cards: int = _parameter(
        3, meaning="cards of a model that tell a wrong unit from a right one", source="a middle needs three"
    )
    submitter_cap: float = _parameter(
        1.0, meaning="what one submitter weighs inside one model, in perfectly measured cards", source=_TUNED
    )
    crowded_cards: int = _parameter(
        8, meaning="from so many cards of one model on, a submitter is hardly believed alone", source=_TUNED
    )
    crowded_share: float = _parameter(
        0.1, meaning="what is left of the cap of such a submitter", source=_TUNED
    )
    level: float = _parameter(
        0.017,
        meaning="a score over several figures: the reference host, and what throttled runs take, are known no better",
        source=_TUNED,
    )
    pulled: float = _parameter(
        0.17,
        meaning="how far throttled runs and odd cards pull the mean of a model, in spreads between cards",
        source="bounded for a robust mean: P. J. Huber, Annals of Mathematical Statistics 35 (1964); "
        + _TUNED,
    )
    widen: float = _parameter(
        0.35,
        meaning="published spreads are larger by this share for one card, half of it for two, and so on: whether one"
        " of few cards is odd nobody can see",
        source=_TUNED,
    )
    least_market_spread: float = _parameter(
        0.1, meaning="models of one brand, line and capacity differ at least so much", source=_TUNED
    )
    sweeps: int = _parameter(
        40,
        meaning="rounds of fitting",
        source="99 of 100 models move less than 0.04 of their spread afterwards",
    )
    tie_probability: float = _parameter(
        0.8,
        meaning="a model is named beside the best of a ranking until the best is better so surely",
        source=_TUNED,
    )
    missing_caution: float = _parameter(
        2.0,
        meaning="spreads a figure nobody measured is ranked below what is expected of it: the worst of five"
        " figures lies 1.16 below on average",
        source=_TUNED,
    )
    false_discoveries: float = _parameter(
        0.05, meaning="expected share of wrong flags among the flags", source="Benjamini & Hochberg 1995"
    )
    false_suspicions: float = _parameter(
        0.05, meaning="the same among suspicions, which ask for runs and accuse nobody", source=_TUNED
    )
    figures_alike: float = _parameter(
        0.4, meaning="correlation of what sets two cards of a silicon apart in two figures", source=_TUNED
    )
    odd_cards: float = _parameter(
        0.04,
        meaning="share of cards that are far off by themselves: worn, faulty or throttled",
        source=_TUNED,
    )
    least_p: float = _parameter(
        0.001, meaning="a suspected figure must scatter so surely on its own", source=_TUNED
    )
    least_ratio: float = _parameter(
        1.25, meaning="a difference below this ratio is not flagged", source="what a user notices"
    )
    least_lower_ratio: float = _parameter(
        1.10, meaning="nor one whose lower 95 % bound is below this", source=_TUNED
    )
    least_firm_ratio: float = _parameter(
        1.25, meaning="what must be left without the extreme submitter of either side", source=_TUNED
    )
    cards_per_side: int = _parameter(2, meaning="cards each side of a difference needs", source=_TUNED)
    submitters_per_side: int = _parameter(
        2, meaning="submitters each side needs: nobody flags a model alone", source=_TUNED
    )
    suspected_ratio: float = _parameter(
        1.6,
        meaning="cards suspected to differ span so much from their 10th to 90th percentile",
        source=_TUNED,
    )
    suspected_cards: int = _parameter(
        4, meaning="cards, each with two runs, a suspicion needs", source=_TUNED
    )
    fingerprint_confidence: float = _parameter(
        9.0, meaning="log likelihood ratio a geometry needs to count as read", source=_TUNED
    )
    substantial: float = _parameter(
        0.15, meaning="share of the cards a variant needs to count", source=_TUNED
    )
    cards_to_clear: int = _parameter(3, meaning="a flag falls only after so many more cards", source=_TUNED)


DEFAULTS = Parameters()
