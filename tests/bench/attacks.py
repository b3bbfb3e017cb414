"""Measure how far fake reports move models, and how little honest people lose by the defence.

`make bench-attacks`; SEED=1 and MODELS=150 draw another crowd of a known truth. 50 fakes are sent to each of three
models with 14 honest cards, from 3, 10 or 50 networks (/24 or /48), by people who sent 0, 2, 4 or 8 honest reports
before. Each time the site is fitted twice, as in two nights, so that attackers profit from their records.
"""

import os
import time
from collections.abc import Iterator
from itertools import product

import numpy as np

from submissions.domain.estimation.evidence import Floats, Index
from tests.bench import attack_kinds as kinds
from tests.bench.attack_kinds import Attackers
from tests.bench.attack_site import ABILITIES, LEADING, Fitted, Site, draw_site

SEED = int(os.environ.get("SEED", "1"))
MODELS = int(os.environ.get("MODELS", "150"))
NETWORKS, FARMS = (3, 10, 50), (0, 2, 4, 8)
HONEST_CARDS, TARGETS = 14, 3
# Number of honest reports per attacker -> the goal: the largest factor by which a model may move.
MOST, PROMISED_FARM = 1.2, 4
# In the second and third attack a network is a person; else each of the 50 fakes has its own person.
WAYS = {
    "one week": {"share": True},
    "drip": {"drip": True},
    "drip, own board": {"drip": True, "is_new": True},
    "drip, 50 people": {"share": True, "drip": True},
}


def main() -> None:
    broken = [*_crowd("usual people")]
    for single in (0.7, 1.0):
        broken += _crowd(f"{single:.0%} of the cards from one-card people, 4 vouched sources", single, 4)
    print(f"\n{len(broken)} promises broken" + "".join(f"\n  {failure}" for failure in broken))
    raise SystemExit(bool(broken))


def _crowd(title: str, single: float = 0.0, vouched: int = 0) -> list[str]:
    began = time.perf_counter()
    site = draw_site(SEED, MODELS, single=single, vouched=vouched)
    known = np.unique(site.fitted.evidence.person[site.fitted.evidence.ignorance < 3])
    print(
        f"\n{title}: {MODELS} models, {site.people} people, {len(known)} of them with a record or vouched for"
    )
    parts = (
        _try_attacks(site, is_promised=not single),
        _try_inventions(site),
        _try_newcomers(site),
        _try_bursts(site),
    )
    broken = [failure for part in parts for failure in part]
    print(f"{time.perf_counter() - began:.0f} s", flush=True)
    return [f"{title}: {failure}" for failure in broken]


def _try_attacks(site: Site, *, is_promised: bool) -> Iterator[str]:
    # Prints the factor by which the most moved target moves, and the ranks of the targets, for each attack.
    for kind, is_good in ((kinds.stuff, False), (kinds.smear, True)):
        targets = site.find_targets(cards=HONEST_CARDS, count=TARGETS, is_good=is_good)
        before = site.fitted.find_places()[targets]
        print(f"\n{kind.__name__} models of {site.cards[targets]} honest cards in places {before}")
        print(f"{'networks, farm':<16}" + "".join(f"{name:>28}" for name in WAYS))
        for networks, farm in product(NETWORKS, FARMS if is_promised else FARMS[::2]):
            cells = []
            for name, way in WAYS.items():
                fitted = site.fit_with(kind(site, targets, Attackers(networks, farm, **way)))
                moved, others = _measure_moves(site, fitted, targets)
                places = fitted.find_places()[targets]
                cells.append(f"x{moved:.2f}, {','.join(map(str, places))} (x{others:.2f})")
                if is_promised and farm <= PROMISED_FARM and moved > MOST:
                    yield f"{kind.__name__}, {networks} networks, farm {farm}, {name}: x{moved:.2f}"
            print(f"{networks:>8}, {farm:<6}" + "".join(f"{cell:>28}" for cell in cells), flush=True)


def _measure_moves(site: Site, after: Fitted, targets: Index) -> tuple[float, float]:
    # The factor of the most moved ability of a target, and that of 99 of 100 other models.
    apart = np.abs(after.mean[:, : site.fitted.evidence.models] - site.fitted.mean)
    others = np.delete(apart, targets, axis=1)
    return float(np.exp(apart[:, targets].max())), float(np.exp(np.quantile(others, 0.99)))


def _try_inventions(site: Site) -> Iterator[str]:
    # Prints the known people of a model that does not exist, also after honest reports.
    print(
        "\ninvented model, 1.3 times the leader: known people (promised: none, if at most 4 honest reports before)"
    )
    new = site.fitted.evidence.models
    for networks, farm in product(NETWORKS[1:], FARMS[1:]):
        found = []
        for name, way in WAYS.items():
            fitted = site.fit_with(kinds.invent(site, Attackers(networks, farm, **way)))
            found.append(int(fitted.estimates.known_people[ABILITIES, new].max()))
            if found[-1] and farm <= PROMISED_FARM:
                yield f"invented model seems known, {networks} networks, farm {farm}, {name}"
        print(f"{networks:>8}, {farm:<6}" + "".join(f"{count:>28}" for count in found), flush=True)


def _try_newcomers(site: Site) -> Iterator[str]:
    # Prints rank, error and sd of a new model after reports of unknown people, then of people with a record.
    new, like = site.fitted.evidence.models, _choose_middle(site)
    truth = site.truth[:, like]
    print(
        f"\nnew model as fast as that in place {site.fitted.find_places()[like]}: place; error; sd; known people"
    )
    for people in (1, 2, 3, 10, 40):
        fitted = site.fit_with(kinds.arrive(site, new, truth, people=people, in_one_week=False))
        print(f"{people:>4} strangers          {_describe(fitted, new, truth)}", flush=True)
        if people > 1 and not fitted.find_places()[new]:
            yield f"a new model with {people} independent reports has no place"
    known = _find_known(site)
    first = kinds.arrive(site, new, truth, people=1, in_one_week=False)
    for people in range(1, min(4, len(known) + 1)):
        fitted = site.fit_with(first, kinds.confirm(site, new, truth, known[:people]))
        print(f"   1 and {people} with a record {_describe(fitted, new, truth)}", flush=True)
        if people == 3 and not fitted.estimates.known_people[LEADING, new]:
            yield "three independent people with a record do not settle a model"


def _try_bursts(site: Site) -> Iterator[str]:
    # Prints the effect of 30 honest people of one week, of one of them, and of 30 who come over years.
    new, like = site.fitted.evidence.models, _choose_middle(site)
    truth = site.truth[:, like]
    print("\nhonest burst: new model; error; sd")
    for people, in_one_week in ((1, True), (30, True), (30, False)):
        fitted = site.fit_with(kinds.arrive(site, new, truth, people=people, in_one_week=in_one_week))
        arrival = "in one week" if in_one_week else "over years"
        print(f"{people:>4} {arrival:<15} {_describe(fitted, new, truth)}", flush=True)
    targets = site.find_targets(cards=HONEST_CARDS, count=1, is_good=True)
    burst = kinds.arrive(site, int(targets[0]), site.truth[:, targets[0]], people=30, in_one_week=True)
    fitted = site.fit_with(burst)
    moved, others = _measure_moves(site, fitted, targets)
    errors = [np.abs(some.mean - site.truth)[:, targets].max() for some in (site.fitted, fitted)]
    print(
        f"30 for a model of {HONEST_CARDS} cards: x{moved:.2f}, others x{others:.2f}, errors {np.exp(errors).round(2)}"
    )
    if moved > MOST:
        yield f"an honest burst moves a model by x{moved:.2f}"


def _choose_middle(site: Site) -> int:
    places = site.fitted.find_places()
    return int(np.flatnonzero(places == places.max() // 8)[0])


def _find_known(site: Site) -> Index:
    people = site.fitted.record.find_known_people()
    return people[np.isin(people, site.fitted.evidence.person[site.fitted.evidence.week >= 0])]


def _describe(fitted: Fitted, model: int, truth: Floats) -> str:
    errors = np.exp(np.abs(fitted.mean[:, model] - truth))
    sds = fitted.estimates.sd[ABILITIES, model]
    known = fitted.estimates.known_people[LEADING, model]
    return f"{fitted.find_places()[model]:>4}  x{errors.max():.2f}  {sds.max():.3f}  {known}"


if __name__ == "__main__":
    main()
