"""manage.py source_agreement: how far the order of the cards of each source agrees with that of this site."""

from typing import Any

from django.core.management.base import BaseCommand

from submissions.evidence import credits
from submissions.evidence.credits import Order

_EXPLAINED_BELOW = 0.5


class Command(BaseCommand):
    help = (
        "Kendall's tau of each source with at least six models against what is believed of the same models."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"{'source':24}{'models':>7}{'pairs':>7}{'tau':>7}{'sure':>7}{'tau':>7}")
        every = credits.all_credits()
        for credit in every:
            if credit.order:
                self.stdout.write(_line(credit.id, credit.order))
        few = [credit.id for credit in every if not credit.order]
        self.stdout.write(f"fewer than {credits.LEAST_MODELS} models with a figure: {', '.join(few)}")


def _line(name: str, order: Order) -> str:
    sure_tau = "–" if order.sure_tau is None else f"{order.sure_tau:.2f}"
    line = f"{name:24}{order.models:7}{order.pairs:7}{order.tau:7.2f}{order.sure:7}{sure_tau:>7}"
    return line + (f"  {_why(order)}" if order.tau < _EXPLAINED_BELOW else "")


def _why(order: Order) -> str:
    close = f"{order.pairs - order.sure} of {order.pairs} pairs are too close for us to tell apart"
    return f"{close}; {order.at_link:.0%} of its values end at the link of its host"
