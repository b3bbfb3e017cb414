"""Shapes of the answers, for OpenAPI and for rendering. Requests follow submissions.domain.report."""

from typing import Any

from rest_framework import serializers

from submissions.models import Geometry, Run, Submission
from submissions.writing.ingest import Receipt

_moment = serializers.DateTimeField().to_representation


class ErrorBodySerializer(serializers.Serializer[Any]):
    code = serializers.CharField(help_text="stable word for scripts")
    detail = serializers.CharField(help_text="a sentence for people")
    field = serializers.CharField(allow_blank=True, help_text="path in the report, or empty")


class ErrorSerializer(serializers.Serializer[Any]):
    error = ErrorBodySerializer()


class LinksSerializer(serializers.Serializer[Any]):
    self = serializers.URLField()
    page = serializers.URLField()
    model = serializers.URLField(allow_null=True, help_text="page of the card model, once processed")


class NotUnderstoodSerializer(serializers.Serializer[Any]):
    field = serializers.CharField()
    code = serializers.CharField()
    detail = serializers.CharField()


class SuspicionSerializer(serializers.Serializer[Any]):
    """Evidence against the identity, never proof."""

    id = serializers.CharField(help_text="rule; Q: a defect known to Linux")
    weight = serializers.CharField(
        help_text="H decisive, S strong, W only together with others, I information"
    )
    reason = serializers.CharField()
    false_positives = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]


class GeometrySerializer(serializers.ModelSerializer[Geometry]):
    """What is inside the card: stated by the client, or inferred from its tables."""

    value = serializers.FloatField(
        allow_null=True, help_text="in the base unit of the metric; a lower bound where code is at_least"
    )
    code = serializers.CharField(
        help_text="why there is no value: abstained, none_found, no_limit_found, …; or at_least; or empty"
    )
    confidence = serializers.FloatField(allow_null=True, help_text="probability; null when not told")
    reasoning = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = Geometry
        fields = ["quantity", "origin", "value", "code", "confidence", "log_odds", "reasoning"]


class SubmissionSerializer(serializers.Serializer[Submission]):
    """State of a submission. Neither the raw report nor its uuid is given out."""

    id = serializers.CharField()
    state = serializers.ChoiceField(choices=Submission.State.choices)
    reason = ErrorBodySerializer(allow_null=True)
    not_understood = NotUnderstoodSerializer(many=True)
    verdict = serializers.CharField(
        allow_null=True, help_text="of the card's identity, over all reports of it"
    )
    suspicions = SuspicionSerializer(many=True)
    not_ranked = serializers.CharField(allow_null=True, help_text="why nothing of it is ranked, or null")
    received_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    links = LinksSerializer()

    def to_representation(self, submission: Submission) -> dict[str, Any]:
        """The fields above, at once: one by one they would take longer than storing a report."""
        run = _run_of(submission)
        return {
            "id": submission.public_id,
            "state": submission.state,
            "reason": _reason(submission),
            "not_understood": submission.not_understood,
            "verdict": (run.card.verdict or None) if run else None,
            "suspicions": run.card.suspicions if run else [],
            "not_ranked": (run.excluded or None) if run else None,
            "received_at": _moment(submission.received_at),
            "finished_at": _moment(submission.finished_at) if submission.finished_at else None,
            "links": _links(submission, root=self.context["request"].build_absolute_uri("/")[:-1]),
        }


def _run_of(submission: Submission) -> Run | None:
    """What came of it; None without asking while it waits."""
    return None if submission.is_waiting else getattr(submission, "run", None)


def _reason(submission: Submission) -> dict[str, str] | None:
    if not submission.reason_code:
        return None
    return {
        "code": submission.reason_code,
        "detail": submission.reason_detail,
        "field": submission.reason_field,
    }


def _links(submission: Submission, *, root: str) -> dict[str, str | None]:
    run = _run_of(submission)
    return {
        "self": f"{root}/api/v1/submissions/{submission.public_id}/",
        "page": f"{root}{submission.get_absolute_url()}",
        "model": f"{root}{run.card.variant.card_model.get_absolute_url()}" if run else None,
    }


class WholeSubmissionSerializer(SubmissionSerializer):
    """A submission with what it tells of the inside of the card."""

    geometry = GeometrySerializer(many=True)

    def to_representation(self, submission: Submission) -> dict[str, Any]:
        run = _run_of(submission)
        inside = GeometrySerializer(run.geometry.order_by("id"), many=True).data if run else []
        return super().to_representation(submission) | {"geometry": inside}


class ReceiptSerializer(SubmissionSerializer):
    """What a tester gets for a report."""

    duplicate = serializers.BooleanField(help_text="the same report was there already")
    delete_key = serializers.CharField(
        allow_null=True, help_text="null for whoever does not know the uuid of an old report"
    )

    def to_representation(self, submission: Submission) -> dict[str, Any]:
        receipt: Receipt = self.context["receipt"]
        added = {"duplicate": not receipt.created, "delete_key": receipt.delete_key}
        return super().to_representation(submission) | added


class MakerSerializer(serializers.Serializer[Any]):
    """A row of the table of makers. `oid` is null where the row speaks of the manufacturer number alone."""

    bus = serializers.CharField()
    mid = serializers.IntegerField()
    mid_hex = serializers.CharField()
    oid = serializers.IntegerField(allow_null=True)
    oid_hex = serializers.CharField(allow_null=True)
    manufacturer = serializers.CharField(help_text='"unknown" when nobody has described the number')
    known = serializers.BooleanField()
    brands = serializers.ListField(child=serializers.CharField(), help_text="seen on labels of such cards")
    confidence = serializers.CharField(help_text="high, medium, low or none")
    irregular = serializers.BooleanField(help_text="no company is known to own these numbers")
    note = serializers.CharField()
    conflicts = serializers.ListField(
        child=serializers.CharField(), help_text="what other sources say instead"
    )
    source = serializers.CharField()  # type: ignore[assignment]


class ListedMakerSerializer(MakerSerializer):
    models = serializers.IntegerField(help_text="models in the database with these numbers")
    links = serializers.DictField(child=serializers.URLField())


class BoardSerializer(serializers.Serializer[Any]):
    slug = serializers.CharField()
    title = serializers.CharField()
    interface = serializers.CharField(source="interface.name", help_text="class of its slot")
    notes = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]


class InterfaceSerializer(serializers.Serializer[Any]):
    """What a slot can carry; null where nothing limits the card."""

    name = serializers.CharField()
    title = serializers.CharField()
    raw_bytes_per_second = serializers.FloatField(allow_null=True, help_text="clock times width")
    practical_bytes_per_second = serializers.FloatField(allow_null=True, help_text="reached by good cards")
    queues = serializers.BooleanField(help_text="commands may wait in the card")
    source = serializers.CharField()  # type: ignore[assignment]


class TermSerializer(serializers.Serializer[Any]):
    figure = serializers.CharField()
    share = serializers.FloatField(help_text="of the weight; all shares sum to 1")
    reference = serializers.FloatField(help_text="value of the card that scores 100, in the base unit")
    spread = serializers.FloatField(help_text="of the market, in natural logs")


class ProfileSerializer(serializers.Serializer[Any]):
    """What a card is used for: which figures count, and how much."""

    name = serializers.CharField()
    title = serializers.CharField()
    version = serializers.IntegerField()
    terms = TermSerializer(many=True)
    source = serializers.CharField()  # type: ignore[assignment]


class MetricSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    title = serializers.CharField()
    base_unit = serializers.CharField(help_text="of every stored value")
    better = serializers.CharField(help_text="higher, lower or neither")
    workloads = serializers.ListField(child=serializers.CharField())
    figures = serializers.ListField(child=serializers.CharField(), help_text="comparable figures of it")


class ProductSerializer(serializers.Serializer[Any]):
    """What cards with one product name were sold as."""

    bus = serializers.CharField()
    mid = serializers.IntegerField()
    oid = serializers.IntegerField(allow_null=True)
    pnm = serializers.CharField(help_text="regular expression over the whole name")
    brand = serializers.CharField()
    line = serializers.CharField()
    capacity = serializers.CharField()
    confidence = serializers.CharField()
    note = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]


class FindingSerializer(serializers.Serializer[Any]):
    """Something odd in a register that can be read all the same."""

    code = serializers.CharField()
    register = serializers.CharField()
    detail = serializers.CharField()
    suggestion = serializers.CharField(help_text="hex worth decoding instead, or empty")


class DecodedSerializer(serializers.Serializer[Any]):
    """What registers tell, under the names of the specification. A field that no register told is null."""

    bus = serializers.CharField(allow_null=True, help_text="SD, MMC, or null with both in readings")
    bus_reason = serializers.CharField()
    sentence = serializers.CharField()
    mid = serializers.IntegerField(allow_null=True)
    mid_hex = serializers.CharField(allow_null=True)
    oid = serializers.CharField(allow_null=True, help_text="in letters, such as TM")
    oid_hex = serializers.CharField(allow_null=True)
    pnm = serializers.CharField(allow_null=True)
    prv = serializers.CharField(allow_null=True)
    mdt = serializers.CharField(allow_null=True, help_text="YYYY-MM")
    psn = serializers.IntegerField(required=False, help_text='only when asked for with "serial": true')
    capacity_bytes = serializers.IntegerField(allow_null=True)
    csd_structure = serializers.IntegerField(allow_null=True)
    sd_spec = serializers.CharField(allow_null=True)
    speed_class = serializers.IntegerField(allow_null=True)
    uhs_speed_grade = serializers.IntegerField(allow_null=True)
    video_speed_class = serializers.IntegerField(allow_null=True)
    app_perf_class = serializers.IntegerField(allow_null=True)
    au_size_bytes = serializers.IntegerField(allow_null=True)
    ext_csd_rev = serializers.IntegerField(allow_null=True)
    emmc_version = serializers.CharField(allow_null=True)
    pre_eol = serializers.CharField(allow_null=True)
    life_time_a = serializers.IntegerField(allow_null=True, help_text="1: at most 10 % used, …, 11: exceeded")
    life_time_b = serializers.IntegerField(allow_null=True)
    maker = MakerSerializer(allow_null=True)
    products = ProductSerializer(many=True)
    findings = FindingSerializer(many=True)
    suspicions = SuspicionSerializer(many=True)
    verdict = serializers.CharField(allow_null=True, help_text="nothing unusual, unusual, suspicious")
    registers = serializers.DictField(help_text="every field of every register that was given")
    explanation = serializers.ListField(
        child=serializers.DictField(),
        required=False,
        help_text='every field with its bits, with "explain": true',
    )
    readings = serializers.ListField(child=serializers.DictField(), help_text="this shape for SD and for MMC")
