"""Define forms to sign up, to make tokens, to take over submissions, and to close an account."""

from django import forms
from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy as _

from submissions.domain.errors import ReportError
from submissions.models.account import SCOPES
from submissions.pages.forms.refused import RefusedForm


class SignUpForm(UserCreationForm):
    """A form for a name, and a password twice, but no e-mail address, so a forgotten password cannot be reset."""

    class Meta(UserCreationForm.Meta):
        model = User
        fields = ("username",)
        labels = {"username": _("Name")}
        help_texts = {
            "username": _("Only letters, digits and @ . + - _ are allowed. Nobody else sees your name.")
        }


class TokenForm(RefusedForm):
    name = forms.CharField(
        label=_("What the token is for"),
        max_length=100,
        widget=forms.TextInput({"placeholder": _("lab bench")}),
    )
    scopes = forms.MultipleChoiceField(
        label=_("What the token may do"),
        choices=[(scope, _(words)) for scope, words in SCOPES.items()],
        initial=["submit"],
        widget=forms.CheckboxSelectMultiple,
    )


class CodeForm(forms.Form):
    code = forms.CharField(
        label=_("Code"),
        max_length=20,
        widget=forms.TextInput({"autocomplete": "one-time-code", "autofocus": True}),
    )

    def clean_code(self) -> str:
        """Return the code without blanks, with which apps and people write codes, in lower case."""
        return "".join(str(self.cleaned_data["code"]).split()).lower()


class AdoptForm(RefusedForm):
    public_id = forms.SlugField(label=_("Submission"), max_length=12)
    key = forms.CharField(
        label=_("Delete key"), max_length=64, widget=forms.TextInput({"autocomplete": "off"})
    )

    def refuse(self, error: ReportError) -> None:
        self.add_error("key" if error.field == "key" else "public_id", error.detail)


class CloseForm(forms.Form):
    with_submissions = forms.TypedChoiceField(
        label=_("Your submissions"),
        choices=[("", _("keep them, without your name")), ("yes", _("delete them, too"))],
        coerce=bool,
        required=False,
        widget=forms.RadioSelect,
    )
    password = forms.CharField(
        label=_("Your password"), widget=forms.PasswordInput({"autocomplete": "current-password"})
    )

    def __init__(self, account: User, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self._account = account

    def clean_password(self) -> str:
        if not self._account.check_password(self.cleaned_data["password"]):
            raise forms.ValidationError(_("This is not your password."))
        return str(self.cleaned_data["password"])
