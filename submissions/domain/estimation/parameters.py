"""The constants of the estimation, with units and reasons; a bench switches parts off by other values."""

from dataclasses import dataclass

# Effects of the tree, from cells up to models, and of hosts, which are outside of it: the rows of `Crowd.variance`.
EFFECTS = ("cell", "card", "person", "batch", "stranger", "model", "host")
# Half of a 95 % interval, in standard deviations.
HALF_WIDTH = 1.96
# A value of less weight lies far from all others.
FAR_WEIGHT = 0.3


@dataclass(frozen=True, slots=True)
class Parameters:
    """Logs are natural; a spread is one standard deviation in log units.

    freedoms          degrees of freedom of the t distribution of each effect: the fewer, the sooner an outlier counts
                      less (K. Lange, R. Little, J. Taylor, JASA 84, 1989)
    slow_freedoms     the same below the middle: heat, wear and other work of a host only ever make slower
    usual             spread of each effect before anything was measured; that of models is the ability's own
    usual_weight      how many effects that prior is worth
    method_spread     how far another way of measuring an ability lies from the first
    per_year          how much the variance of a value grows for each year of its age
    link_margin       a value this near to the rate of its link is only a lower bound
    link_near, link_reports   a host with so many reports shows the rate of its link, if that is near the stated one
    over_link         a value this far above the rate of its link comes from a page cache
    fastest           share of the reports of a host of unknown link that are near the rate of its link
    card_tail         variance of a single card in units of the learned one, which leaves out its tail
    unsure_tails      share of the noise that comes on top since weights of tails are themselves estimated: by the
                      information of their t distributions at most a half; measured on simulated crowds
    person_cards      cards that any number of cards of one person and model count as at most
    stranger_steps    share of the strangers' variance that each step of ignorance adds
    stranger_floor    least variance of strangers
    stranger_start    spread of strangers in the first sweep where people with a record measured the model, too; it is
                      halved with each: otherwise the majority would decide who is an outlier
    alike, alike_models   correlation of the abilities of a model before anything was measured, and how many models
                      that is worth
    sweeps            rounds of fitting one model, and `learn_sweeps` a crowd
    """

    freedoms: tuple[float, ...] = (8.0, 8.0, 4.0, 3.0, 3.0, 8.0, 5.0)
    slow_freedoms: tuple[float, ...] = (2.0, 1.0, 4.0, 3.0, 3.0, 8.0, 5.0)
    usual: tuple[float, ...] = (0.1, 0.15, 0.1, 0.1, 0.05, 0.0, 0.25)
    usual_weight: tuple[float, ...] = (10.0, 10.0, 10.0, 10.0, 20.0, 6.0, 2.0)
    method_spread: float = 0.15
    per_year: float = 0.05
    link_margin: float = 0.07
    link_near: float = 0.15
    link_reports: int = 15
    over_link: float = 0.25
    fastest: float = 0.1
    card_tail: float = 3.2
    unsure_tails: float = 0.2
    person_cards: float = 1.5
    stranger_steps: tuple[float, ...] = (0.2, 0.3, 0.5)
    stranger_floor: float = 0.001
    stranger_start: float = 0.2
    alike: float = 0.3
    alike_models: float = 20.0
    sweeps: int = 12
    learn_sweeps: int = 18


DEFAULTS = Parameters()
