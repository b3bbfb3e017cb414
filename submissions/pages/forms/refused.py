"""A form that shows why its content was refused after it had been checked."""

from collections.abc import Iterator
from contextlib import contextmanager

from django import forms

from submissions.domain.errors import ReportError


class RefusedForm(forms.Form):
    @contextmanager
    def refusals(self) -> Iterator[None]:
        """Show a ReportError that is raised within the block in the form."""
        try:
            yield
        except ReportError as error:
            self.refuse(error)

    def refuse(self, error: ReportError) -> None:
        """Show an error above the form; a subclass shows it beside the input that it is about."""
        self.add_error(None, error.detail)
