"""Define the attacks and the honest events of `tests.bench.attacks`: each returns the rows that it adds to a site."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from submissions.domain.estimation.evidence import Evidence, Floats, Index
from tests.bench.attack_site import WEEKS, Site

FAKES = 50
# Factor of a fake's value to the truth; factor of an invented model's speed to the leader's.
_SMEARED, _INVENTED = 1 / 3, 1.3


@dataclass(frozen=True, slots=True)
class Attackers:
    """The people who send fake reports, and the ways in which they try to gain trust.

    They use `networks` networks, and first send `farm` honest reports each of well-known models. All reports come in
    one week, or over all weeks if they `drip`. If `share`, each fake has a person of its own, and some share a network;
    else a network is a person. They name the commonest board, or if `is_new` an invented one.
    """

    networks: int
    farm: int = 0
    drip: bool = False
    share: bool = False
    is_new: bool = False

    @property
    def people(self) -> int:
        """Return the number of attackers."""
        return FAKES if self.share else self.networks


def stuff(site: Site, targets: Index, who: Attackers) -> Evidence:
    """Attack a site with fakes that are as fast as the leading model, so that the targets move up."""
    return attack(site, targets, np.repeat(site.fitted.mean[:, [site.leader]], len(targets), axis=1), who)


def smear(site: Site, targets: Index, who: Attackers) -> Evidence:
    """Attack a site with fakes of a third of the true speed, so that the targets move down."""
    return attack(site, targets, site.fitted.mean[:, targets] + np.log(_SMEARED), who)


def invent(site: Site, who: Attackers) -> Evidence:
    """Attack a site with fakes of an invented model that is faster than the leading one."""
    fastest = site.fitted.mean[:, [site.leader]] + np.log(_INVENTED)
    return attack(site, np.array([site.fitted.evidence.models]), fastest, who)


def attack(site: Site, targets: Index, log_values: Floats, who: Attackers) -> Evidence:
    """Send the attackers' honest reports, then the fakes of each target. `log_values`: methods x targets."""
    before = np.array(list(product(range(who.people), range(who.farm))), dtype=np.int64).reshape(-1, 2)
    farmed = site.well_known[before[:, 1]]
    person = np.concatenate([before[:, 0], np.tile(np.arange(FAKES) % who.people, len(targets))])
    model = np.concatenate([farmed, np.repeat(targets, FAKES)])
    values = np.concatenate([site.fitted.mean[:, farmed], np.repeat(log_values, FAKES, axis=1)], axis=1)
    chance = np.random.default_rng(len(model))
    return site.report(
        model,
        values + 0.05 * chance.standard_normal(values.shape),
        person=site.people + person,
        network=site.people + person % who.networks,
        week=chance.integers(WEEKS, size=len(model)) if who.drip else WEEKS,
        host=site.fitted.hosts if who.is_new else site.common_host,
    )


def arrive(site: Site, model: int, log_values: Floats, *, people: int, in_one_week: bool) -> Evidence:
    """Send honest reports of new people: one card each, from its own network and a usual host.

    `log_values`: by method.
    """
    chance = np.random.default_rng(people)
    values = log_values[:, None] + 0.1 * chance.standard_normal((len(log_values), people))
    number = site.people + np.arange(people)
    return site.report(
        np.full(people, model),
        values,
        person=number,
        network=number,
        week=WEEKS if in_one_week else chance.integers(WEEKS, size=people),
        host=site.fitted.evidence.host[chance.integers(len(site.fitted.evidence), size=people)],
    )


def confirm(site: Site, model: int, log_values: Floats, people: Index) -> Evidence:
    """Send reports of people who are known to the site: a card of a model each, in different weeks.

    `log_values`: by method.
    """
    values = np.repeat(log_values[:, None], len(people), axis=1)
    weeks = 2 * np.arange(len(people))
    return site.report(
        np.full(len(people), model), values, person=people, network=people, week=weeks, host=site.common_host
    )
