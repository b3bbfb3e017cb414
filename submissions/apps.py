from django.apps import AppConfig
from django.utils.translation import gettext

from submissions.domain import translation


class SubmissionsConfig(AppConfig):
    name = "submissions"

    def ready(self) -> None:
        """Make the package `domain` translate its titles into the language of the visitor."""
        translation.translate_with(gettext)
