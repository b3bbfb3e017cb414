"""What a report would become, before anybody hands it in. Nothing is stored."""

from dataclasses import asdict, dataclass

from submissions import presentation
from submissions.domain import identification, identity, normalize, report
from submissions.domain.card_registers import decode_card
from submissions.domain.normalize import NotUnderstood
from submissions.models import Measurement


@dataclass(frozen=True, slots=True)
class Understanding:
    """`sentence`: what the registers say, "" without any. `missed`: what stays in the raw report only."""

    name: str
    sentence: str
    tables: tuple[presentation.Table, ...]
    missed: tuple[NotUnderstood, ...]


def understand(body: bytes) -> Understanding:
    """Report as JSON -> its outcome. Raises ReportError when it would be refused or rejected."""
    given = report.parse(body)
    decoded, unreadable = decode_card(given.card)
    measured, missed = normalize.normalize(given, bus=decoded.bus if decoded else given.card.bus)
    rows = [Measurement(position=position, **asdict(one)) for position, one in enumerate(measured)]
    return Understanding(
        name=identity.name_model(given.card, decoded, simulated=given.simulated).name,
        sentence=identification.in_one_sentence(identification.identify(decoded)) if decoded else "",
        tables=tuple(presentation.tables(rows)),
        missed=(*unreadable, *missed),
    )
