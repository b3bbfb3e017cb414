"""Write runs with their measurements and geometry. Called by `ingest` inside its transaction."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, fields
from typing import Any, NamedTuple

import msgspec
from django.db.models import QuerySet

from submissions.domain import geometry
from submissions.domain.findings import Finding, find_loss, says_of_model
from submissions.domain.identity.words import slugify
from submissions.domain.intake.structures import drop_empty
from submissions.domain.measuring import health, medium, normalize, same_result
from submissions.domain.measuring.holds import facts_of_report
from submissions.domain.measuring.periods import Period, parse_period
from submissions.domain.registers import identity_bytes
from submissions.domain.report import Host as HostDescription
from submissions.domain.report import Label, Report, Source
from submissions.models import Card, Geometry, Host, Measurement, Run, Submission
from submissions.sql import bulk
from submissions.sql.prepared import AnyOf, PreparedQuery
from submissions.writing import filing

# Every field of a normalized measurement has a column of the same name.
_MEASURED = tuple(field.name for field in fields(normalize.Measured))
_HOST_TEXTS = ("board", "machine", "kernel", "interface", "driver", "reader", "bus_mode")
_LONGEST_SLUG = 64
_BESIDE_HOST = ("memory_bytes", "filesystem_block_bytes", "mount_options", "scheduler")
# Fields of a report with columns of the same names; those of its source begin with “source_”.
_OF_RUN = ("suite", "tool", "tool_version", "target", "not_compared", "duration_ns")
_OF_SOURCE = ("title", "place", "dated", "author", "url", "licence")
_Identity = tuple[Any, ...]


class MeasuredReport(NamedTuple):
    """The contents of one report before they are stored; `remarks` are the values that were not understood."""

    read: filing.ReadReport
    measurements: tuple[normalize.Measured, ...]
    geometry: tuple[geometry.Inference, ...]
    findings: tuple[Finding, ...]
    remarks: tuple[normalize.NotUnderstood, ...]

    @property
    def submission(self) -> Submission:
        return self.read.submission

    @property
    def no_card(self) -> str:
        """Return why this report is no measurement of a card, and so may not be ranked; "" if it is one."""
        read = self.read
        return medium.why_no_card(read.report, self.measurements, size_bytes=read.size_bytes)

    @property
    def fingerprints(self) -> list[int]:
        """Return the fingerprints by which a duplicate of this result is found.

        There are none for a simulated card, because two may have equal results.
        """
        return [] if self.read.report.simulated else same_result.fingerprint_figures(self.measurements)


def record_runs(reports: Sequence[MeasuredReport], cards: Sequence[Card]) -> list[Run]:
    """Insert a run for each report, with measurements and geometry; a few queries for any number of reports."""
    hosts = _get_or_make_hosts({report.read.report.host for report in reports})
    pairs = zip(reports, cards, strict=True)
    runs = [_run(report, card=card, host=hosts[report.read.report.host]) for report, card in pairs]
    bulk.insert(runs)
    _copy_measurements(runs, reports)
    bulk.insert(
        [
            Geometry(run=run, **asdict(quantity))
            for run, report in zip(runs, reports, strict=True)
            for quantity in report.geometry
        ]
    )
    return runs


def _copy_measurements(runs: Sequence[Run], reports: Sequence[MeasuredReport]) -> None:
    bulk.copy(
        Measurement,
        ("run_id", "position", *_MEASURED),
        (
            (run.pk, position, *(getattr(measurement, name) for name in _MEASURED))
            for run, report in zip(runs, reports, strict=True)
            for position, measurement in enumerate(report.measurements)
        ),
    )


def _run(measured: MeasuredReport, *, card: Card, host: Host) -> Run:
    report, decoded = measured.read.report, measured.read.decoded
    source = report.source or Source(title="")
    wear = health.wear(report.readings)
    started_at, started_by = _find_period(report, measured.submission)
    return Run(
        submission=measured.submission,
        card=card,
        host=host,
        filesystem=report.host.filesystem,
        circumstances=_circumstances(report),
        condition=report.card.condition,
        label=msgspec.structs.asdict(report.card.label) if report.card.label != Label() else {},
        registers=decoded.as_dict() if decoded else {},
        csd=identity_bytes(decoded.csd.raw).hex() if decoded and decoded.csd else "",
        suspicions=[asdict(suspicion) for suspicion in measured.read.suspicions],
        excluded=measured.read.foreign or report.run.not_compared,
        facts=facts_of_report(measured.measurements, measured.remarks, no_card=measured.no_card),
        started_at=started_at,
        started_by=started_by,
        source_slug=source_slug(source),
        readings=msgspec.to_builtins(report.readings),
        scan=msgspec.to_builtins(report.scan),
        life_used=wear.used if wear else None,
        life_step=wear.step if wear else None,
        note=report.note,
        doubts=list(report.run.doubts),
        findings=msgspec.to_builtins(measured.findings),
        lost_data=find_loss(measured.findings),
        says_of_model=any(says_of_model(finding.code) for finding in measured.findings),
        result=measured.fingerprints,
        **{name: getattr(report.run, name) for name in _OF_RUN},
        **{f"source_{name}": getattr(source, name) for name in _OF_SOURCE},
    )


def _circumstances(report: Report) -> dict[str, Any]:
    host, run = report.host, report.run
    return drop_empty(
        {name: getattr(report.card, name) for name in ("size_bytes", "preferred_erase_size_bytes")}
        | {name: getattr(host, name) for name in _BESIDE_HOST}
        | {"signal_voltage_mv": host.bus_mode.signal_voltage_mv, "destructive": run.destructive or None}
        | {name: msgspec.to_builtins(getattr(run, name)) for name in ("before", "after")}
    )


def _find_period(report: Report, submission: Submission) -> Period:
    if report.run.started_at or not report.source:
        return Period(report.run.started_at)
    start, end = parse_period(report.source.dated)
    # An open end is no exact start: it was measured before it came here.
    return Period(start, end or (submission.received_at if start else None))


def source_slug(source: Source) -> str:
    """Return the slug for the page of a source: its id in data/sources.csv, or else its author or title, or ""."""
    words = source.author or source.title
    return source.id or (slugify(words)[:_LONGEST_SLUG] if words else "")


def _get_or_make_hosts(descriptions: Collection[HostDescription]) -> dict[HostDescription, Host]:
    # New hosts are inserted in one order, so that two workers never deadlock.
    unsaved = {description: Host(**_host_fields(description)) for description in descriptions}
    wanted = {_identity(host): host for host in unsaved.values()}
    stored = _stored_hosts(wanted.values())
    new = [host for key, host in sorted(wanted.items(), key=str) if key not in stored]
    if new:
        bulk.insert_missing(new)
        stored |= _stored_hosts(new)
    return {description: stored[_identity(host)] for description, host in unsaved.items()}


def _stored_hosts(wanted: Collection[Host]) -> dict[_Identity, Host]:
    """Return the stored hosts that equal one of these, by their identity; one query.

    Other hosts may be among them, because the query compares each column for itself.
    """
    texts = {name: list({getattr(host, name) for host in wanted}) for name in _HOST_TEXTS}
    return {_identity(host): host for host in _hosts_like(**texts)}


@PreparedQuery
def _hosts_like() -> "QuerySet[Host]":
    return Host.objects.filter(*(AnyOf(name, name) for name in _HOST_TEXTS))


def _identity(host: Host) -> _Identity:
    return tuple(getattr(host, name) for name in (*_HOST_TEXTS, "clock_hz", "width_bits"))


def _host_fields(host: HostDescription) -> dict[str, Any]:
    mode = host.bus_mode
    texts = {name: getattr(host, name) for name in _HOST_TEXTS}
    return texts | {"bus_mode": mode.name, "clock_hz": mode.clock_hz, "width_bits": mode.width_bits}
