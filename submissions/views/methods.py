"""How every number comes about."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from submissions.domain import tables
from submissions.domain.geometry import QUANTITIES
from submissions.domain.identity.suspicions.rules import all_rules
from submissions.domain.judgement import composite, differences, estimates
from submissions.domain.judgement.parameters import DEFAULTS
from submissions.domain.measuring import metrics
from submissions.domain.ranking import interfaces, scores
from submissions.pages.content import methods as written


def methods(request: HttpRequest) -> HttpResponse:
    """Formulas with the numbers they are used with, all read from the code's own tables."""
    context = {
        "figures": written.figures(),
        "metrics": metrics.METRICS.values(),
        "rules": written.rules(),
        "interfaces": interfaces.all_interfaces().values(),
        "modes": tables.rows("bus_modes"),
        "estimate": written.formula(estimates),
        "composite": written.formula(composite),
        "difference": written.formula(differences),
        "weights": written.weights(),
        "quantities": [metrics.METRICS[name].title for name in QUANTITIES],
        "identity_rules": len(all_rules()),
        "states": scores,
        "given": DEFAULTS,
        "parameters": written.parameters(),
    }
    return render(request, "methods/methods.html", context)
