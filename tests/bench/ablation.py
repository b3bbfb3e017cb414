"""Switch off each part of the estimation by its constants, and print the loss on simulated crowds and starter data.

`make ablation`; SEED is the first seed. A part without a gain anywhere should be removed. Attacks, the reason for the
parts about people, are in `make bench-attacks`.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flashdb.settings")

from submissions.domain.estimation.parameters import DEFAULTS, EFFECTS, Parameters
from tests.bench import crowds

_NEVER, _TINY = 1e12, 1e-4
_WORLDS = {
    "600": crowds.WORLDS["600"]._replace(seeds=2),
    "80": crowds.WORLDS["80"]._replace(seeds=4),
    "few": crowds.WORLDS["few"],
    "foreign": crowds.WORLDS["foreign 80"]._replace(seeds=4),
}


def _fix(**spreads: float) -> Parameters:
    """Return parameters with these spreads, which are not learned from data."""
    usual = tuple(spreads.get(name, spread) for name, spread in zip(EFFECTS, DEFAULTS.usual, strict=True))
    weight = tuple(
        _NEVER if name in spreads else weight
        for name, weight in zip(EFFECTS, DEFAULTS.usual_weight, strict=True)
    )
    return replace(DEFAULTS, usual=usual, usual_weight=weight)


_ALL = len(EFFECTS)
PARTS: Mapping[str, Parameters] = {
    "everything on": DEFAULTS,
    "values at links as bounds": replace(DEFAULTS, link_margin=-_NEVER),
    "unknown links as unknown": replace(DEFAULTS, fastest=0.0),
    "stated rates made exact": replace(DEFAULTS, link_near=0.0),
    "page cache": replace(DEFAULTS, over_link=_NEVER),
    "tails": replace(DEFAULTS, freedoms=(_NEVER,) * _ALL, slow_freedoms=(_NEVER,) * _ALL),
    "slow tails heavier": replace(DEFAULTS, slow_freedoms=DEFAULTS.freedoms),
    "learned spreads": replace(DEFAULTS, usual_weight=(_NEVER,) * _ALL),
    "hosts": _fix(host=_TINY),
    "methods": replace(DEFAULTS, method_spread=_TINY),
    "people": _fix(person=_TINY),
    "strangers and batches": replace(
        _fix(stranger=_TINY, batch=_TINY), stranger_floor=0.0, stranger_start=0.0
    ),
    "most cards of one person": replace(DEFAULTS, person_cards=_NEVER),
    "hints between abilities": replace(DEFAULTS, alike=0.0, alike_models=_NEVER),
    "age": replace(DEFAULTS, per_year=0.0),
}


def main() -> None:
    """Print a line for each part that is switched off, with a column for each kind of data."""
    django.setup()
    titles = "".join(f"{name:>32}" for name in _WORLDS)
    print(f"switched off: mean tau of five abilities, of reads, RMSE, coverage\n{'':<28}{titles}")
    for part, parameters in PARTS.items():
        print(f"{part:<28}" + "".join(_judge_worlds(parameters)), flush=True)
    for line in _judge_starter_data():
        print(line, flush=True)


def _judge_worlds(parameters: Parameters) -> Iterator[str]:
    for world in _WORLDS.values():
        table = crowds.judge_world(world, parameters)
        tau, rmse, covers = table[:, 0], table[:, 3], table[:, 6]
        yield f"{tau.mean():11.3f}{tau[0]:7.3f}{rmse.mean():7.3f}{covers.mean():7.3f}"


def _judge_starter_data() -> Iterator[str]:
    from tests.bench import real_crowd, truth, truth_checks

    world, is_first = real_crowd.load_world(), True
    for part, parameters in PARTS.items():
        figures = truth.summarize(truth_checks.check(world, parameters))
        if is_first:
            yield f"\n{'starter data':<28}" + "".join(f"{name:>22}" for name in figures)
        yield f"{part:<28}" + "".join(f"{value:22.3f}" for value in figures.values())
        is_first = False


if __name__ == "__main__":
    main()
