"""Gates: reasons against a model that count more than any figure, such as a card that lost data."""

from dataclasses import dataclass
from enum import StrEnum

from submissions.domain.identity.endurance import Endurance
from submissions.domain.ranking.boards import Board
from submissions.domain.ranking.offers import Offer
from submissions.domain.ranking.uses import Use


class Gate(StrEnum):
    """A gate: a reason against a model that counts more than its figures; the gravest first."""

    LOST_DATA = "lost_data"
    LOSSES = "losses"
    SUSPICIOUS = "suspicious"
    DOES_NOT_FIT = "does_not_fit"
    TOO_SMALL = "too_small"
    NOT_SOLD = "not_sold"


# Gates that deny a model a rank.
EXCLUDING = frozenset({Gate.LOST_DATA, Gate.DOES_NOT_FIT, Gate.TOO_SMALL})
# Gates with which a model has a rank, but is no clear choice.
DOUBTING = frozenset({Gate.LOSSES, Gate.SUSPICIOUS})


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """Facts about a model besides its figures.

    lost_data    so many people's cards lost data that the model has no rank
    losers       number of people with a card that lost data in a test, among `judging_people` people who count
    suspicious   number of cards with suspicious registers, among `cards` cards
    form         form of the cards, "" if not known; capacity_gb: as sold, None if not known
    is_sold      whether shops sell the model today, None if not known
    offer        newest price, if it is younger than a year
    endurance    promises of the maker; tells_health: whether a card states how much of its life is used
    """

    lost_data: bool = False
    losers: int = 0
    judging_people: int = 0
    suspicious: int = 0
    cards: int = 0
    form: str = ""
    capacity_gb: float | None = None
    is_sold: bool | None = None
    offer: Offer | None = None
    endurance: Endurance | None = None
    tells_health: bool = False


def find_gates(facts: ModelFacts, board: Board, use: Use) -> tuple[Gate, ...]:
    """Return the reasons against a model for a use on a board, the gravest first."""
    applies = {
        Gate.LOST_DATA: facts.lost_data,
        Gate.LOSSES: facts.losers and not facts.lost_data,
        Gate.SUSPICIOUS: facts.suspicious,
        Gate.DOES_NOT_FIT: not board.takes(facts.form),
        Gate.TOO_SMALL: facts.capacity_gb is not None and facts.capacity_gb < use.min_capacity_gb,
        Gate.NOT_SOLD: facts.is_sold is False,
    }
    return tuple(gate for gate in Gate if applies[gate])
