"""Signing up, tokens, and taking submissions over."""

from django import forms
from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.models import User

from submissions.domain.errors import ReportError
from submissions.models.account import SCOPES


class SignUpForm(UserCreationForm):
    """A name and a password twice. No address is asked for, so a forgotten password cannot be sent."""

    class Meta(UserCreationForm.Meta):
        model = User
        fields = ("username",)
        labels = {"username": "Name"}
        help_texts = {"username": "Letters, digits and @ . + - _ only. It is shown to nobody else."}


class TokenForm(forms.Form):
    name = forms.CharField(
        label="What it is for", max_length=100, widget=forms.TextInput({"placeholder": "lab bench"})
    )
    scopes = forms.MultipleChoiceField(
        label="What it may do",
        choices=list(SCOPES.items()),
        initial=["submit"],
        widget=forms.CheckboxSelectMultiple,
    )

    def refuse(self, error: ReportError) -> None:
        self.add_error(None, error.detail)


class AdoptForm(forms.Form):
    public_id = forms.SlugField(label="Submission", max_length=12)
    key = forms.CharField(
        label="Its delete key", max_length=64, widget=forms.TextInput({"autocomplete": "off"})
    )

    def refuse(self, error: ReportError) -> None:
        self.add_error("key" if error.field == "key" else "public_id", error.detail)


class CloseForm(forms.Form):
    with_submissions = forms.TypedChoiceField(
        label="Your submissions",
        choices=[("", "stay, without your name"), ("yes", "are deleted, too")],
        coerce=bool,
        required=False,
        widget=forms.RadioSelect,
    )
    password = forms.CharField(
        label="Your password", widget=forms.PasswordInput({"autocomplete": "current-password"})
    )

    def __init__(self, account: User, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self._account = account

    def clean_password(self) -> str:
        if not self._account.check_password(self.cleaned_data["password"]):
            raise forms.ValidationError("This is not your password.")
        return str(self.cleaned_data["password"])
