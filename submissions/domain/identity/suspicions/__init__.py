"""Find evidence, never proof, against the identity of a card, and the defects for which Linux has workarounds.

Registers are written by the production tool and can be copied, so nothing here says "counterfeit": only a failed
capacity test does. The rules are the rows of data/suspicions.csv. A rule fires if all cells of its row fit: bus, label,
identity ("03/5344"), product name and revision are regular expressions for the whole text, and `condition` is the name
of a predicate in predicates.py.
"""

from collections.abc import Collection
from datetime import date

from submissions.domain.identity.suspicions.predicates import CardEvidence
from submissions.domain.identity.suspicions.quirks import known_defects
from submissions.domain.identity.suspicions.rules import (
    DECISIVE,
    INFORMATION,
    STRONG,
    WEAK,
    Suspicion,
    apply_rules,
)
from submissions.domain.registers import Decoded


def find_suspicions(
    decoded: Decoded,
    *,
    label_brand: str | None = None,
    size_bytes: int | None = None,
    received_on: date | None = None,
    seen_csds: Collection[str] = (),
) -> tuple[Suspicion, ...]:
    """Return a suspicion for every rule that fires, in the order of data/suspicions.csv, then the card's known defects.

    `size_bytes` is the whole device as the system reports it; `seen_csds` are the CSDs (hex) in other reports of the
    same CID; `received_on`: the day of the report. Registers that were read with a byte too many (see findings) or on
    an unknown bus are not judged.
    """
    if decoded.bus is None or any(finding.code == "shifted_by_a_byte" for finding in decoded.findings):
        return ()
    evidence = CardEvidence(decoded, label_brand, size_bytes, received_on, seen_csds)
    return (*apply_rules(evidence), *known_defects(decoded))


# The one suspicion that looks at no register: the capacity of a card was tested.
LOST_DATA = Suspicion(
    "T1",
    DECISIVE,
    "suspicious because it lost data in a test of its capacity",
    "a worn-out card or a faulty reader",
    "f3; H2testw; cardbench",
)

# Rules that find that the registers belong to another card than the measured card.
_FOREIGN = frozenset({"D1"})


def find_foreign_reason(suspicions: Collection[Suspicion]) -> str:
    """Return the reason why the registers belong to another card than the measured card; "" if they may be its own."""
    return next((suspicion.reason for suspicion in suspicions if suspicion.id in _FOREIGN), "")


def verdict(suspicions: Collection[Suspicion]) -> str:
    """Return the verdict on suspicions: "suspicious", "unusual" or "nothing unusual".

    One decisive suspicion, two strong ones, or a strong and a weak one are suspicious; one strong or two weak ones are
    unusual.
    """
    weights = [suspicion.weight for suspicion in suspicions]
    strong, weak = weights.count(STRONG), weights.count(WEAK)
    if DECISIVE in weights or strong > 1 or (strong and weak):
        return "suspicious"
    return "unusual" if strong or weak > 1 else "nothing unusual"
