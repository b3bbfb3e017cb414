"""The crowd, the result of a full fit: how abilities, methods and hosts differ among all models."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from submissions.domain.estimation.evidence import Catalogue, Floats, Index
from submissions.domain.estimation.parameters import DEFAULTS, EFFECTS, Parameters

Document = Mapping[str, Any]
# How well the effect of a host is proven; host_proof.py has the rule.
UNPROVEN, PLAUSIBLE, PROVEN = range(3)


@dataclass(frozen=True, slots=True, eq=False)
class Crowd:
    """The crowd: spreads, and effects of methods and hosts, that a full fit learned from all models; logs are natural.

    level              log value of a usual model, by ability
    variance           effects (parameters.EFFECTS) x abilities
    method_effect, method_variance   how much faster a method measures than the first method of its ability
    host_effect, host_variance       abilities x hosts, relative to the reference host (the mean of all hosts); nan
                       where the ability was not measured there
    host_method        mean effect of the methods with which the ability was measured there
    host_proof         how well host_effect is proven (UNPROVEN to PROVEN); a fit of an older release has none: PROVEN
    log_reach          log of the rate that the link of a host reaches, as far as its own values show it; else nan
    correlation        of the abilities of a model: abilities x abilities
    """

    catalogue: Catalogue
    level: Floats
    variance: Floats
    method_effect: Floats
    method_variance: Floats
    host_effect: Floats
    host_variance: Floats
    host_method: Floats
    host_proof: Index
    log_reach: Floats
    correlation: Floats

    def to_document(self) -> dict[str, Any]:
        """Return the crowd (the effects of methods and hosts that a fit learned) as values for JSON.

        Abilities and methods are given by name.
        """
        numbers = {name: _to_lists(getattr(self, name)) for name in _NUMBERS}
        names = [ability.name for ability in self.catalogue.abilities]
        return {"abilities": names, "methods": list(self.catalogue.methods), **numbers}

    @staticmethod
    def from_document(document: Document, catalogue: Catalogue, parameters: Parameters = DEFAULTS) -> "Crowd":
        """Return the crowd (the effects of methods and hosts that a fit learned) from a document of `to_document`.

        Abilities and methods that the document lacks keep the effects that are assumed before anything was measured.
        """
        stored = {name: np.array(document[name], dtype=np.float64) for name in _NUMBERS if name in document}
        crowd = prior_crowd(catalogue, len(stored["log_reach"]), parameters)
        abilities = _match([row.name for row in catalogue.abilities], document["abilities"])
        methods = _match(catalogue.methods, document["methods"])
        crowd.log_reach[:] = stored["log_reach"]
        for name in ("level", "host_effect", "host_variance", "host_method", "host_proof"):
            if name in stored:
                getattr(crowd, name)[abilities[0]] = stored[name][abilities[1]]
        for name in ("method_effect", "method_variance"):
            getattr(crowd, name)[methods[0]] = stored[name][methods[1]]
        crowd.variance[:, abilities[0]] = stored["variance"][:, abilities[1]]
        crowd.correlation[np.ix_(abilities[0], abilities[0])] = stored["correlation"][
            np.ix_(abilities[1], abilities[1])
        ]
        return crowd


_NUMBERS = tuple(column.name for column in fields(Crowd) if column.name != "catalogue")


def prior_crowd(catalogue: Catalogue, hosts: int, parameters: Parameters = DEFAULTS) -> Crowd:
    """Return the crowd (the effects of methods and hosts) that is assumed before anything was measured."""
    abilities = catalogue.abilities
    of_method = np.array(catalogue.ability_of_method)
    is_first = np.zeros(len(of_method), dtype=np.bool_)
    is_first[np.unique(of_method, return_index=True)[1]] = True
    variance = np.square(parameters.usual)[:, None] + np.zeros(len(abilities))
    variance[EFFECTS.index("model")] = np.square([ability.spread for ability in abilities])
    nothing = np.full((len(abilities), hosts), np.nan)
    groups = np.array([ability.group for ability in abilities])
    alike = parameters.alike * (groups[:, None] == groups)
    return Crowd(
        catalogue=catalogue,
        level=np.array([ability.level for ability in abilities]),
        variance=variance,
        method_effect=np.zeros(len(of_method)),
        method_variance=np.where(is_first, 0.0, parameters.method_spread**2),
        host_effect=nothing,
        host_variance=nothing.copy(),
        host_method=np.zeros((len(abilities), hosts)),
        host_proof=np.full((len(abilities), hosts), PROVEN),
        log_reach=np.full(hosts, np.nan),
        correlation=np.where(np.eye(len(abilities)) > 0, 1.0, alike),
    )


def _match(names: Sequence[str], stored: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    both = [(at, stored.index(name)) for at, name in enumerate(names) if name in stored]
    pairs = np.array(both, dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _to_lists(numbers: Floats | Index) -> Any:
    values = numbers.astype(object)
    values[np.isnan(numbers)] = None  # JSON has no nan
    return values.tolist()
