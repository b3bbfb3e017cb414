"""Shapes of the answers, for OpenAPI and for rendering. Requests follow submissions.domain.report."""

from typing import Any

from rest_framework import serializers

from submissions.models import CardModel, Score, Submission


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


class SubmissionSerializer(serializers.ModelSerializer[Submission]):
    """State of a submission. Neither the raw report nor its uuid is given out."""

    id = serializers.CharField(source="public_id")
    reason = serializers.SerializerMethodField()
    not_understood = NotUnderstoodSerializer(many=True)
    links = serializers.SerializerMethodField()

    class Meta:
        model = Submission
        fields = ["id", "state", "reason", "not_understood", "received_at", "finished_at", "links"]

    def get_reason(self, submission: Submission) -> ErrorBodySerializer | None:
        if not submission.reason_code:
            return None
        reason: Any = {
            "code": submission.reason_code,
            "detail": submission.reason_detail,
            "field": submission.reason_field,
        }
        return reason

    def get_links(self, submission: Submission) -> LinksSerializer:
        absolute = self.context["request"].build_absolute_uri
        run = getattr(submission, "run", None)
        links: Any = {
            "self": absolute(f"/api/v1/submissions/{submission.public_id}/"),
            "page": absolute(submission.get_absolute_url()),
            "model": absolute(run.card.variant.card_model.get_absolute_url()) if run else None,
        }
        return links


class ReceiptSerializer(SubmissionSerializer):
    """What a tester gets for a report."""

    duplicate = serializers.SerializerMethodField(help_text="the same report was there already")
    delete_key = serializers.SerializerMethodField(
        help_text="null for whoever does not know the uuid of an old report"
    )

    class Meta(SubmissionSerializer.Meta):
        fields = [*SubmissionSerializer.Meta.fields, "duplicate", "delete_key"]

    def get_duplicate(self, submission: Submission) -> bool:
        return not self.context["receipt"].created

    def get_delete_key(self, submission: Submission) -> str | None:
        key: str | None = self.context["receipt"].delete_key
        return key


class ModelSerializer(serializers.ModelSerializer[CardModel]):
    class Meta:
        model = CardModel
        fields = ["slug", "name", "brand", "line", "model_number", "capacity_gb", "named_from", "simulated"]


class ScoreSerializer(serializers.ModelSerializer[Score]):
    class Meta:
        model = Score
        fields = [
            *("profile", "profile_version", "interface", "value", "lower", "upper", "state"),
            *("cards", "runs", "submitters", "covered", "terms", "figures"),
        ]


class RankedModelSerializer(serializers.ModelSerializer[Score]):
    """One row of a ranking: the model, its position and its score."""

    rank = serializers.IntegerField(source="position")
    slug = serializers.CharField(source="card_model.slug")
    name = serializers.CharField(source="card_model.name")
    capacity_gb = serializers.FloatField(source="card_model.capacity_gb", allow_null=True)
    simulated = serializers.BooleanField(source="card_model.simulated")
    score = ScoreSerializer(source="*")
    links = serializers.SerializerMethodField()

    class Meta:
        model = Score
        fields = ["rank", "slug", "name", "capacity_gb", "simulated", "score", "links"]

    def get_links(self, score: Score) -> dict[str, str]:
        return {"page": self.context["request"].build_absolute_uri(score.card_model.get_absolute_url())}
