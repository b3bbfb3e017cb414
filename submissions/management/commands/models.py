"""manage.py models merge|rename|split: correct the models of cards. Corrections survive reprocessing."""

from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from submissions.domain.errors import ReportError
from submissions.domain.report import Label
from submissions.models import CardModel
from submissions.writing import names

_LABEL_OPTIONS = ("brand", "line", "model_number")


class Command(BaseCommand):
    help = "Correct the model under which cards are filed. Old addresses still lead to the cards."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        merge = verbs.add_parser("merge", help="merge several models into one")
        merge.add_argument("slugs", nargs="+", metavar="SLUG")
        merge.add_argument("--into", required=True, metavar="SLUG")
        rename = verbs.add_parser("rename", help="rename a model to what its label says")
        rename.add_argument("slug", metavar="SLUG")
        _add_label(rename)
        split = verbs.add_parser("split", help="move some of a model's silicon to a different model")
        split.add_argument("slug", metavar="SLUG")
        split.add_argument(
            "--variant", type=int, action="append", required=True, metavar="ID", dest="variants"
        )
        split.add_argument("--to", metavar="SLUG", help="an existing model; or name a new one by its label:")
        _add_label(split)

    def handle(self, *args: Any, verb: str, **options: Any) -> None:
        try:
            model = _VERBS[verb](options)
        except ReportError as error:
            raise CommandError(error.detail) from error
        self.stdout.write(f"{model.name}: {model.get_absolute_url()}")


def _add_label(parser: ArgumentParser) -> None:
    for name in _LABEL_OPTIONS:
        parser.add_argument(f"--{name.replace('_', '-')}", default="", metavar="TEXT")
    parser.add_argument(
        "--capacity-gb", type=float, metavar="N", help="capacity as sold, in decimal gigabytes"
    )


def _label(options: dict[str, Any]) -> Label:
    return Label(capacity_gb=options["capacity_gb"], **{name: options[name] for name in _LABEL_OPTIONS})


_VERBS: dict[str, Callable[[dict[str, Any]], CardModel]] = {
    "merge": lambda given: names.merge(given["slugs"], into=given["into"]),
    "rename": lambda given: names.rename(given["slug"], label=_label(given)),
    "split": lambda given: names.split(
        given["slug"], variants=given["variants"], to=given["to"] or _label(given)
    ),
}
