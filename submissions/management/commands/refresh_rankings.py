"""manage.py refresh_rankings [--all]: estimate every model again, with --all after a full fit of all runs."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from submissions.models import CardModel
from submissions.writing import filing, refit, scoring


class Command(BaseCommand):
    help = "Judge every model again by the last full fit, for instance after an update of the estimation."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--all", action="store_true", help="first make a full fit of all results")

    def handle(self, *args: Any, **options: Any) -> None:
        models = CardModel.objects.order_by("pk")
        if options["all"]:
            self._fit()
        again = models.filter(simulated=True) if options["all"] else models  # the fit judged the others
        for pk in again.values_list("pk", flat=True).iterator():
            with transaction.atomic():
                filing.lock_names()
                scoring.refresh([pk])
        self.stdout.write(f"the performances of {models.count()} models are up to date")

    def _fit(self) -> None:
        fit = refit.refit()
        if fit is None:
            raise CommandError("a full fit is already running; wait until it has finished")
        self.stdout.write(
            f"full fit of {fit.run_count} runs of {fit.card_count} cards of {fit.model_count} models:"
            f" {fit.took_ns / 1e9:.1f} s"
        )
