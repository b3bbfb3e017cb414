"""The admin: everything can be looked at, nothing edited; names are corrected by actions."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.db.models import QuerySet
from django.http import HttpRequest

from submissions import corrections
from submissions.domain.errors import ReportError
from submissions.domain.report import Label
from submissions.models import AuditEntry, Card, CardModel, Correction, FormerSlug, Submission, Variant


class LookOnly(admin.ModelAdmin):
    """A page without buttons that change anything."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_correct_permission(self, request: HttpRequest) -> bool:
        """Who may correct names: whoever may change models."""
        return request.user.has_perm("submissions.change_cardmodel")


class NameForm(forms.Form):
    """A model that is there, or what the label of a new one says."""

    to = forms.SlugField(required=False, max_length=200)
    brand = forms.CharField(required=False, max_length=200)
    line = forms.CharField(required=False, max_length=200)
    model_number = forms.CharField(required=False, max_length=200)
    capacity_gb = forms.FloatField(required=False, min_value=0.001, max_value=1_000_000)


class CorrectionForm(ActionForm):
    """The same beside the list of actions, taking anything: the admin would hide what is wrong with it."""

    to = forms.CharField(label="Into or to (slug)", required=False)
    brand = forms.CharField(required=False)
    line = forms.CharField(required=False)
    model_number = forms.CharField(required=False)
    capacity_gb = forms.CharField(label="Capacity (GB)", required=False)


def _filled_in(request: HttpRequest) -> tuple[str, Label]:
    """(slug, label) of the form beside the actions. Raises CorrectionError for nonsense."""
    form = NameForm(request.POST)
    if not form.is_valid():
        raise corrections.CorrectionError(
            " ".join(f"{name}: {text[0]}" for name, text in form.errors.items())
        )
    given = form.cleaned_data
    label = Label(
        brand=given["brand"],
        line=given["line"],
        model_number=given["model_number"],
        capacity_gb=given["capacity_gb"],
    )
    return given["to"], label


@admin.register(CardModel)
class CardModelAdmin(LookOnly):
    list_display = ["name", "slug", "named_from", "simulated", "created_at"]
    list_filter = ["named_from", "simulated"]
    search_fields = ["name", "slug", "variants__pnm"]
    actions = ["merge", "rename"]
    action_form = CorrectionForm

    @admin.action(description="Merge into the model of this slug", permissions=["correct"])
    def merge(self, request: HttpRequest, models: QuerySet[CardModel]) -> None:
        try:
            into, _ = _filled_in(request)
            model = corrections.merge(list(models.values_list("slug", flat=True)), into=into)
        except ReportError as error:
            self.message_user(request, error.detail, messages.ERROR)
        else:
            self.message_user(request, f"Filed under {model.name}.")

    @admin.action(description="Rename to this label", permissions=["correct"])
    def rename(self, request: HttpRequest, models: QuerySet[CardModel]) -> None:
        try:
            _, label = _filled_in(request)
            renamed = [corrections.rename(_only(models).slug, label=label)]
        except ReportError as error:
            self.message_user(request, error.detail, messages.ERROR)
        else:
            self.message_user(request, f"Renamed to {renamed[0].name}.")


@admin.register(Variant)
class VariantAdmin(LookOnly):
    list_display = ["__str__", "card_model", "bus", "mid", "oid", "capacity_bytes"]
    list_filter = ["bus"]
    list_select_related = ["card_model"]
    search_fields = ["pnm", "card_model__name"]
    actions = ["split"]
    action_form = CorrectionForm

    @admin.action(description="Split off to this slug or label", permissions=["correct"])
    def split(self, request: HttpRequest, variants: QuerySet[Variant]) -> None:
        try:
            to, label = _filled_in(request)
            slug = _only(CardModel.objects.filter(variants__in=variants).distinct()).slug
            model = corrections.split(
                slug, variants=list(variants.values_list("pk", flat=True)), to=to or label
            )
        except ReportError as error:
            self.message_user(request, error.detail, messages.ERROR)
        else:
            self.message_user(request, f"Filed under {model.name}.")


def _only(models: QuerySet[CardModel]) -> CardModel:
    found = list(models[:2])
    if len(found) != 1:
        raise corrections.CorrectionError("Choose rows of one model.")
    return found[0]


@admin.register(Card)
class CardAdmin(LookOnly):
    list_display = ["key", "variant", "manufactured", "verdict"]
    list_filter = ["verdict"]
    list_select_related = ["variant"]
    search_fields = ["key", "variant__pnm", "variant__card_model__name"]


@admin.register(Submission)
class SubmissionAdmin(LookOnly):
    """Without the raw report and what identifies its client: the body holds serial numbers."""

    list_display = ["public_id", "state", "channel", "received_at", "reason_code"]
    list_filter = ["state", "channel"]
    search_fields = ["public_id"]
    exclude = ["body", "uuid", "submitter", "content_hash"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Submission]:
        return super().get_queryset(request).defer("body")


@admin.register(AuditEntry)
class AuditEntryAdmin(LookOnly):
    list_display = ["at", "subject", "action", "role", "account", "reason"]
    list_filter = ["action", "role"]
    list_select_related = ["account"]
    search_fields = ["subject", "reason", "account__username"]


@admin.register(Correction)
class CorrectionAdmin(LookOnly):
    list_display = ["slug", "silicon", "to_slug", "name", "created_at"]
    search_fields = ["slug", "to_slug"]


@admin.register(FormerSlug)
class FormerSlugAdmin(LookOnly):
    list_display = ["slug", "to_slug"]
    search_fields = ["slug", "to_slug"]
