"""The constants of the estimation, with units and reasons; a benchmark switches parts of it off by other values."""

from dataclasses import dataclass

# Effects of the tree, from cells up to models, and of hosts, which are outside of it: the rows of `Crowd.variance`.
EFFECTS = ("cell", "card", "person", "batch", "stranger", "model", "host")
# Half of a 95 % interval, in standard deviations.
HALF_WIDTH = 1.96
# A value of less weight lies far from all others.
FAR_WEIGHT = 0.3


@dataclass(frozen=True, slots=True)
class Parameters:
    """The constants of the estimation. Logs are natural; a spread is one standard deviation in log units.

    freedoms          degrees of freedom of the t distribution of each effect: the fewer, the sooner an outlier counts
                      less (K. Lange, R. Little, J. Taylor, JASA 84, 1989)
    slow_freedoms     the same below the middle, where there are more outliers: heat, wear and other work of a host
    usual             prior spread of each effect; 0 for models, since each ability has its own
    usual_weight      number of effects that the prior spread is worth
    method_spread     spread of the other methods of an ability around the first method
    per_year          growth of the variance of a value for each year of its age
    link_margin       log distance below the rate of the bus within which a value is only a lower bound
    link_near, link_reports   if a host has at least `link_reports` reports, and the rate that they show is within
                      the log distance `link_near` of the stated rate of its bus, the shown rate is used instead
    over_link         log distance above the rate of the bus from which on a value comes from a page cache
    fastest           share of the reports of a host that are near the rate of its bus, if no rate is stated
    card_tail         variance of a single card as a multiple of the learned variance, which leaves out its tail
    unsure_tails      share of the noise that comes on top since weights of tails are themselves estimated: by the
                      information of their t distributions at most a half; measured on simulated crowds
    person_cards      number of cards that all cards of one person and model count as at most
    stranger_steps    share of the strangers' variance that each step of ignorance adds
    stranger_floor    least variance of strangers
    stranger_start    spread of strangers in the first sweep in models that people with a record measured, too; it is
                      halved in each sweep: otherwise the majority would decide who is an outlier
    alike, alike_models   prior correlation of the abilities of a model, and the number of models that it is worth
    sweeps, learn_sweeps  rounds of fitting for one model, and for all models
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
