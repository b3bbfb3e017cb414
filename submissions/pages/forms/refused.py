"""Define a base class of forms that show errors found only after validation."""

from collections.abc import Iterator
from contextlib import contextmanager

from django import forms

from submissions.domain.errors import ReportError


class RefusedForm(forms.Form):
    @contextmanager
    def show_refusals(self) -> Iterator[None]:
        """Show a ReportError that is raised within the block as an error of the form."""
        try:
            yield
        except ReportError as error:
            self.refuse(error)

    def refuse(self, error: ReportError) -> None:
        """Show an error above the form; subclasses show the error beside the input that caused it."""
        self.add_error(None, error.detail)
