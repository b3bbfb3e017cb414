"""Every number the judgement rests on: rows of data/judgement.csv, each with its meaning and where it comes from."""

from dataclasses import dataclass, fields

from submissions.domain import tables


@dataclass(frozen=True, slots=True)
class Parameters:
    """Logs are natural; a spread is one standard deviation in log units."""

    tail: float
    link_margin: float
    learned_margin: float
    piled_runs: int
    piled_share: float
    piled_ratio: float
    piled_over: float
    piled_models: int
    usual_soft: float
    soft_models: float
    belied_share: float
    belied_cards: int
    over_link: float
    slip_margin: float
    slip_cards: int
    slowed: float
    submitter_cap: float
    crowded_cards: int
    crowded_share: float
    level: float
    odd_below: float
    odd_spread: float
    crowd_cards: float
    prior_freedom: float
    usual_market: float
    usual_trait: float
    most_values: int
    sweeps: int
    tie_probability: float
    missing_caution: float
    false_discoveries: float
    false_suspicions: float
    figures_alike: float
    odd_cards: float
    shown_more: float
    clear_of_link: float
    least_p: float
    least_ratio: float
    least_lower_ratio: float
    least_firm_ratio: float
    cards_per_side: int
    submitters_per_side: int
    suspected_ratio: float
    suspected_cards: int
    substantial: float
    cards_to_clear: int


def _defaults() -> Parameters:
    values = {row["name"]: row["value"] for row in tables.rows("judgement")}
    return Parameters(**{number.name: number.type(values[number.name]) for number in fields(Parameters)})  # type: ignore[operator]


DEFAULTS = _defaults()
