"""manage.py refresh_rankings: recompute stored scores, for instance after a new version of a profile."""

from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction

from submissions import scoring
from submissions.models import CardModel


class Command(BaseCommand):
    help = "Recompute the scores of every model."

    def handle(self, *args: Any, **options: Any) -> None:
        count = 0
        for pk in CardModel.objects.order_by("pk").values_list("pk", flat=True).iterator():
            with transaction.atomic():
                scoring.refresh([pk])
            count += 1
        self.stdout.write(f"scores of {count} models are current")
