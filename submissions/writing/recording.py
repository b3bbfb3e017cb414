"""Writes the rows of a run, its measurements and its geometry. Called by `ingest` inside its transaction."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import msgspec
from django.db.models import QuerySet

from submissions.domain import geometry, report
from submissions.domain.holds import facts_of_report
from submissions.domain.measuring import normalize
from submissions.domain.registers import identity_bytes
from submissions.models import Card, Geometry, Host, Measurement, Run, Submission
from submissions.sql import bulk
from submissions.sql.prepared import AnyOf, PreparedQuery
from submissions.writing import filing

# Whatever is normalized has a column of the same name.
_MEASURED = tuple(field.name for field in fields(normalize.Measured))
_HOST_TEXTS = ("board", "machine", "kernel", "interface", "driver", "reader", "bus_mode")
_Identity = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Understood:
    """What one report comes to, before anything is written."""

    submission: Submission
    told: filing.ReadReport
    measured: tuple[normalize.Measured, ...]
    geometry: tuple[geometry.Inference, ...]
    remarks: tuple[normalize.NotUnderstood, ...]


def record(understood: Sequence[Understood], cards: Sequence[Card]) -> list[Run]:
    """The runs of these reports, each on its card, with everything measured in them. A few queries for all."""
    hosts = _hosts(understood)
    pairs = zip(understood, cards, strict=True)
    runs = [_run(one, card=card, host=hosts[one.told.given.host]) for one, card in pairs]
    bulk.insert(runs)
    # Of all that is written measurements are the most.
    bulk.copy(
        Measurement,
        ("run_id", "position", *_MEASURED),
        (
            (run.pk, position, *(getattr(found, name) for name in _MEASURED))
            for run, one in zip(runs, understood, strict=True)
            for position, found in enumerate(one.measured)
        ),
    )
    bulk.insert(
        [
            Geometry(run=run, **asdict(inside))
            for run, one in zip(runs, understood, strict=True)
            for inside in one.geometry
        ]
    )
    return runs


def _run(understood: Understood, *, card: Card, host: Host) -> Run:
    told = understood.told
    given, decoded = told.given, told.decoded
    source = given.source or report.Source(title="")
    return Run(
        submission=understood.submission,
        card=card,
        host=host,
        suite=given.run.suite,
        tool=given.run.tool,
        tool_version=given.run.tool_version,
        target=given.run.target,
        filesystem=given.host.filesystem,
        condition=given.card.condition,
        label=msgspec.structs.asdict(given.card.label) if given.card.label != report.Label() else {},
        registers=decoded.as_dict() if decoded else {},
        csd=identity_bytes(decoded.csd.raw).hex() if decoded and decoded.csd else "",
        suspicions=[asdict(one) for one in told.suspicions],
        excluded=told.foreign,
        facts=facts_of_report(understood.measured, understood.remarks),
        started_at=given.run.started_at,
        duration_ns=given.run.duration_ns,
        source_title=source.title,
        source_author=source.author,
        source_url=source.url,
        source_licence=source.licence,
        note=given.note,
        doubts=list(given.run.doubts),
    )


def _hosts(understood: Sequence[Understood]) -> dict[report.Host, Host]:
    """The host of each report, made where it is not there yet. In one order: two workers never wait in a ring."""
    told = {one.told.given.host for one in understood}
    given = {host: Host(**_host_fields(host)) for host in told}
    wanted = {_identity(host): host for host in given.values()}
    known = _known_hosts(wanted.values())
    new = [host for key, host in sorted(wanted.items(), key=str) if key not in known]
    if new:
        bulk.insert_missing(new)
        known |= _known_hosts(new)
    return {host: known[_identity(row)] for host, row in given.items()}


def _known_hosts(wanted: Collection[Host]) -> dict[_Identity, Host]:
    """Those of the hosts that are there, and a few that are like them; one query."""
    same = {name: list({getattr(host, name) for host in wanted}) for name in _HOST_TEXTS}
    return {_identity(host): host for host in _hosts_like(**same)}


@PreparedQuery
def _hosts_like() -> "QuerySet[Host]":
    return Host.objects.filter(*(AnyOf(name, name) for name in _HOST_TEXTS))


def _identity(host: Host) -> _Identity:
    return tuple(getattr(host, name) for name in (*_HOST_TEXTS, "clock_hz", "width_bits"))


def _host_fields(host: report.Host) -> dict[str, Any]:
    return {
        "board": host.board,
        "machine": host.machine,
        "kernel": host.kernel,
        "interface": host.interface,
        "driver": host.driver,
        "reader": host.reader,
        "bus_mode": host.bus_mode.name,
        "clock_hz": host.bus_mode.clock_hz,
        "width_bits": host.bus_mode.width_bits,
    }
