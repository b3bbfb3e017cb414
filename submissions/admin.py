"""Let moderators view all tables in the admin without editing; actions correct names and rule on submissions."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest

from submissions.domain.errors import ReportError
from submissions.domain.report import Label
from submissions.models import (
    AuditEntry,
    Card,
    CardModel,
    Correction,
    FormerSlug,
    Remark,
    Submission,
    Variant,
)
from submissions.models.audit import Actor, Role
from submissions.models.submission import raw_fields
from submissions.visitors.credentials import find_refusal
from submissions.visitors.permissions import Act
from submissions.writing import decisions, names


def _may(act: Act) -> Callable[[object, HttpRequest], bool]:
    return lambda _, request: find_refusal(request, act) is None


class LookOnly(admin.ModelAdmin):
    """A page of the admin without buttons that change anything."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    has_change_permission = has_delete_permission = has_add_permission
    has_moderate_permission = _may(Act.MODERATE)
    has_publish_permission = _may(Act.PUBLISH)
    has_rename_permission = _may(Act.RENAME)

    @contextmanager
    def show_refusals(self, request: HttpRequest) -> Iterator[None]:
        """Show a ReportError that is raised within the block as an error on the page."""
        try:
            yield
        except ReportError as error:
            self.message_user(request, error.detail, messages.ERROR)


class NameForm(forms.Form):
    """A form for the slug of a stored model, or the label of a new model."""

    to = forms.SlugField(required=False, max_length=200)
    brand = forms.CharField(required=False, max_length=200)
    line = forms.CharField(required=False, max_length=200)
    model_number = forms.CharField(required=False, max_length=200)
    capacity_gb = forms.FloatField(required=False, min_value=0.001, max_value=1_000_000)


class CorrectionForm(ActionForm):
    """The fields for a slug or a label that the admin shows beside its list of actions.

    The action validates them by NameForm, because the admin would hide the errors of this form.
    """

    to = forms.CharField(label="Into or to (slug)", required=False)
    brand = forms.CharField(required=False)
    line = forms.CharField(required=False)
    model_number = forms.CharField(required=False)
    capacity_gb = forms.CharField(label="Capacity (GB)", required=False)


class RulingForm(ActionForm):
    reason = forms.CharField(label="Because", required=False, max_length=500)


def _moderator(request: HttpRequest) -> Actor:
    assert isinstance(request.user, User)  # the admin requires a login
    return Actor(Role.MODERATOR, request.user)


def _read_form(request: HttpRequest) -> tuple[str, Label]:
    """Return the slug and the label in the form beside the admin's list of actions.

    Raise CorrectionError if the form is invalid.
    """
    form = NameForm(request.POST)
    if not form.is_valid():
        raise names.CorrectionError(" ".join(f"{name}: {text[0]}" for name, text in form.errors.items()))
    to = form.cleaned_data.pop("to")
    return to, Label(**form.cleaned_data)


@admin.register(CardModel)
class CardModelAdmin(LookOnly):
    list_display = ["name", "slug", "named_from", "simulated", "created_at"]
    list_filter = ["named_from", "simulated"]
    search_fields = ["name", "slug", "variants__pnm"]
    actions = ["merge", "rename"]
    action_form = CorrectionForm

    @admin.action(description="Merge into the model of this slug", permissions=["rename"])
    def merge(self, request: HttpRequest, models: QuerySet[CardModel]) -> None:
        with self.show_refusals(request):
            into, _ = _read_form(request)
            slugs = list(models.values_list("slug", flat=True))
            model = names.merge(slugs, into=into, by=_moderator(request))
            self.message_user(request, f"Filed under {model.name}.")

    @admin.action(description="Rename to this label", permissions=["rename"])
    def rename(self, request: HttpRequest, models: QuerySet[CardModel]) -> None:
        with self.show_refusals(request):
            _, label = _read_form(request)
            renamed = names.rename(_only(models).slug, label=label, by=_moderator(request))
            self.message_user(request, f"Renamed to {renamed.name}.")


@admin.register(Variant)
class VariantAdmin(LookOnly):
    list_display = ["__str__", "card_model", "bus", "mid", "oid", "capacity_bytes"]
    list_filter = ["bus"]
    list_select_related = ["card_model"]
    search_fields = ["pnm", "card_model__name"]
    actions = ["split"]
    action_form = CorrectionForm

    @admin.action(description="Split off to this slug or label", permissions=["rename"])
    def split(self, request: HttpRequest, variants: QuerySet[Variant]) -> None:
        with self.show_refusals(request):
            to, label = _read_form(request)
            slug = _only(CardModel.objects.filter(variants__in=variants).distinct()).slug
            chosen = list(variants.values_list("pk", flat=True))
            model = names.split(slug, variants=chosen, to=to or label, by=_moderator(request))
            self.message_user(request, f"Filed under {model.name}.")


def _only(models: QuerySet[CardModel]) -> CardModel:
    chosen = list(models[:2])
    if len(chosen) != 1:
        raise names.CorrectionError("Choose rows of one model.")
    return chosen[0]


@admin.register(Card)
class CardAdmin(LookOnly):
    list_display = ["key", "variant", "manufactured", "verdict"]
    list_filter = ["verdict"]
    list_select_related = ["variant"]
    search_fields = ["key", "variant__pnm", "variant__card_model__name"]


def _rule_as(ruling: Submission.Ruling, description: str) -> Callable[..., None]:
    @admin.action(description=description, permissions=["moderate"])
    def rule(self: LookOnly, request: HttpRequest, chosen: QuerySet[Submission]) -> None:
        reason, by = request.POST.get("reason", ""), _moderator(request)
        with self.show_refusals(request):
            for submission in chosen:
                decisions.store_ruling(submission, ruling, reason=reason, by=by)
            self.message_user(request, f"{ruling.label.capitalize()}.")

    return rule


@admin.register(Submission)
class SubmissionAdmin(LookOnly):
    """The admin's pages of submissions, without the raw report, which has serial numbers, and ids of the client."""

    list_display = ["public_id", "state", "channel", "received_at", "reason_code"]
    list_filter = ["state", "ruling", "channel"]
    search_fields = ["public_id"]
    actions = ["confirm", "dispute", "exclude_it", "delete_for_good"]
    action_form = RulingForm
    exclude = ["body", "uuid", "proof", "submitter", "content_hash"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Submission]:
        return super().get_queryset(request).defer(*raw_fields())

    confirm = _rule_as(Submission.Ruling.CONFIRMED, "Confirm, with this reason")
    dispute = _rule_as(Submission.Ruling.DISPUTED, "Dispute, with this reason: hold it back")
    exclude_it = _rule_as(Submission.Ruling.EXCLUDED, "Leave out of the rankings, for this reason")

    @admin.action(description="Delete permanently, for this reason", permissions=["moderate"])
    def delete_for_good(self, request: HttpRequest, chosen: QuerySet[Submission]) -> None:
        reason = request.POST.get("reason", "").strip()
        if not reason:
            return self.message_user(request, "Say why.", messages.ERROR)
        for submission in chosen:
            decisions.delete(submission, by=_moderator(request), reason=reason)
        self.message_user(request, "Deleted.")


def _publish_as(published: bool, description: str) -> Callable[..., None]:
    @admin.action(description=description, permissions=["publish"])
    def publish(self: LookOnly, request: HttpRequest, chosen: QuerySet[Remark]) -> None:
        for remark in chosen:
            decisions.publish_remark(remark, published=published, by=_moderator(request))

    return publish


@admin.register(Remark)
class RemarkAdmin(LookOnly):
    list_display = ["made_at", "kind", "reason", "submission", "slug", "published"]
    list_filter = ["kind", "published"]
    list_select_related = ["submission"]
    search_fields = ["reason", "slug", "submission__public_id"]
    exclude = ["visitor"]
    actions = ["publish", "hide"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Remark]:
        return super().get_queryset(request).defer(*raw_fields("submission__"))

    publish = _publish_as(True, "Show readers what they say")
    hide = _publish_as(False, "Hide what they say")


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
