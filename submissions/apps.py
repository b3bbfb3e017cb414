from django.apps import AppConfig
from django.utils.translation import gettext

from submissions.domain import words


class SubmissionsConfig(AppConfig):
    name = "submissions"

    def ready(self) -> None:
        """Tables of the core are told in the language of the visitor."""
        words.translate_with(gettext)
