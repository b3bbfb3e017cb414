"""What a moderator brings in: a table or a thread that others have published, and whose it is."""

from collections.abc import Mapping
from typing import Any

import msgspec
from django import forms
from django.utils.translation import gettext_lazy as _

from submissions.domain.identity.words import slugify
from submissions.domain.intake.published.reports import Origin
from submissions.domain.intake.thread import Post
from submissions.domain.pasting.pasted import Claims, answers_in, claims_of
from submissions.domain.report import Source
from submissions.pages.forms.report import LabelForm, TextForm

_LONGEST_ID = 64


class ImportForm(TextForm):
    title = forms.CharField(label=_("Title of the source"), max_length=200)
    author = forms.CharField(
        label=_("Who measured, where rows or posts do not say it"), required=False, max_length=200
    )
    url = forms.URLField(
        label=_("Where it can be read"), required=False, max_length=500, assume_scheme="https"
    )
    licence = forms.CharField(
        label=_("Licence, as the source states it"), required=False, max_length=200, initial="none stated"
    )
    vouched = forms.BooleanField(
        label=_("I vouch for this source: its authors are trusted at once"), required=False
    )

    def __init__(self, data: Any, files: Any) -> None:
        super().__init__(data, files, label_suffix="")
        self.fields["text"].label = _("A table with the columns of TABLE.md, or a thread, copied as a whole")

    @property
    def origin(self) -> Origin:
        said = self.cleaned_data
        return Origin(said["title"], said["author"], said["url"], said["licence"])

    @property
    def source_id(self) -> str:
        return slugify(self.cleaned_data["title"])[:_LONGEST_ID].strip("-")


class PostForm(LabelForm):
    """What a post does not say of its card, as the moderator has read it; filled with what it names."""

    leave = forms.BooleanField(label=_("Leave it out"), required=False)

    def __init__(self, post: Post, data: Mapping[str, Any]) -> None:
        prefix = f"p{post.number}"
        own = {name: value for name, value in data.items() if name.startswith(f"{prefix}-")}
        super().__init__(own or None, prefix=prefix, label_suffix="", initial=msgspec.to_builtins(post.label))
        self.answers = answers_in({name.removeprefix(f"{prefix}-"): value for name, value in own.items()})

    @property
    def is_left(self) -> bool:
        return self.is_bound and self.is_valid() and self.cleaned_data["leave"]

    def claims(self, source: Source) -> Claims:
        """Raises ReportError."""
        said = self.cleaned_data if self.is_bound and self.is_valid() else self.initial
        label = claims_of({name: said[name] for name in self.ON_LABEL if said.get(name)})
        return msgspec.structs.replace(label, source=source, answers=self.answers)
