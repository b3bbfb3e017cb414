"""Make the responses about a submission. The shape of requests is in submissions.domain.report."""

import datetime as dt
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct
from rest_framework.request import Request

from api.errors import ErrorBody
from submissions import models
from submissions.domain.findings import FindingWords, describe_findings
from submissions.domain.identity.suspicions import Suspicion
from submissions.domain.measuring.normalize import NotUnderstood
from submissions.writing import ingest

Address = Annotated[str, Meta(extra_json_schema={"format": "uri"})]
State = Annotated[str, Meta(extra_json_schema={"enum": models.Submission.State.values})]
Origin = Annotated[str, Meta(extra_json_schema={"enum": models.Geometry.Origin.values})]


class Links(Struct, frozen=True, kw_only=True):
    own: Address = msgspec.field(name="self")
    page: Address
    model: Annotated[Address | None, Meta(description="page of the model, once the report is processed")]


class Geometry(Struct, frozen=True, kw_only=True):
    """One quantity of the flash inside the card, as the client stated it or as we infer it from measurements."""

    quantity: Annotated[str, Meta(description="metric of the workload geometry")]
    origin: Origin
    value: Annotated[
        float | None, Meta(description="in the base unit of the metric; a lower bound if `code` is at_least")
    ]
    code: Annotated[
        str,
        Meta(
            description="why there is no value (abstained, none_found, no_limit_found, …), or at_least, or empty"
        ),
    ]
    confidence: Annotated[
        float | None, Meta(description="probability that the value is right; null if not stated")
    ]
    log_odds: Annotated[
        float | None, Meta(description="natural log of the odds that the value is right; null if not stated")
    ]
    reasoning: list[str]


class Submission(Struct, frozen=True, kw_only=True):
    """The state of a submission. The raw report and its uuid are not published."""

    id: str
    state: State
    reason: ErrorBody | None
    not_understood: tuple[NotUnderstood, ...]
    verdict: Annotated[
        str | None, Meta(description="verdict on the card's identity, over all reports of the card")
    ]
    suspicions: tuple[Suspicion, ...]
    findings: Annotated[
        list[FindingWords],
        Meta(description="what the report shows, the most serious first; empty until processed"),
    ]
    not_ranked: Annotated[str | None, Meta(description="why we do not rank the report, or null")]
    received_at: dt.datetime
    finished_at: dt.datetime | None
    links: Links


class WholeSubmission(Submission, frozen=True, kw_only=True):
    """A submission with the geometry of the flash inside the card."""

    geometry: list[Geometry]


class Receipt(Submission, frozen=True, kw_only=True):
    """The response to a report that was submitted."""

    duplicate: Annotated[bool, Meta(description="true if the same report had been sent before")]
    delete_key: Annotated[
        str | None,
        Meta(description="null for a report that had been sent before, unless you send its Receipt-Secret"),
    ]


def submission(row: models.Submission, request: Request) -> Submission:
    return Submission(**_fields(row, request))


def whole_submission(row: models.Submission, request: Request) -> WholeSubmission:
    run = _run_of(row)
    of_run = {"geometry": geometry(run), "not_ranked": run.why_unranked or None} if run else {"geometry": []}
    return WholeSubmission(**_fields(row, request) | of_run)


def receipt(taken: ingest.Receipt, request: Request) -> Receipt:
    return Receipt(
        **_fields(taken.submission, request), duplicate=not taken.created, delete_key=taken.delete_key
    )


def geometry(run: models.Run) -> list[Geometry]:
    """Return the geometry of a run in the order in which it was stored; one query."""
    return msgspec.convert(list(run.geometry.order_by("id")), list[Geometry], from_attributes=True)


def _fields(row: models.Submission, request: Request) -> dict[str, Any]:
    """Return the fields that all responses about a submission have; no query until it is processed."""
    run = _run_of(row)
    return {
        "id": row.public_id,
        "state": row.state,
        "reason": _reason(row),
        "not_understood": row.not_understood,
        "verdict": (run.card.verdict or None) if run else None,
        "suspicions": run.card.suspicions if run else (),
        "findings": describe_findings(run.findings) if run else [],
        "not_ranked": (run.excluded or None) if run else None,
        "received_at": row.received_at,
        "finished_at": row.finished_at,
        "links": _links(row, run, root=f"{request.scheme}://{request.get_host()}"),
    }


def _run_of(row: models.Submission) -> models.Run | None:
    """Return the run of a submission, or None without a query until it is processed."""
    return None if row.is_waiting else getattr(row, "run", None)


def _reason(row: models.Submission) -> ErrorBody | None:
    return ErrorBody(row.reason_code, row.reason_detail, row.reason_field) if row.reason_code else None


def _links(row: models.Submission, run: models.Run | None, *, root: str) -> Links:
    return Links(
        own=f"{root}/api/v1/submissions/{row.public_id}/",
        page=f"{root}{row.get_absolute_url()}",
        model=f"{root}{run.card.variant.card_model.get_absolute_url()}" if run else None,
    )
