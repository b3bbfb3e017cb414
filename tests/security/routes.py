"""List the requests to every URL of the site, and the responses to a visitor with permission.

A URL without a row fails a test.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from submissions.models import ApiToken
from tests.security.actors import OWNER, Who
from tests.security.world import World

Where = Callable[[World], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Change:
    """A request that changes something: the body to send, and the status if it is permitted.

    Visitors for whom it is not meant (`is_for`) change nothing and get the status `others`.
    """

    sent: Any
    done: int
    is_for: Callable[[Who], bool] = lambda who: True
    others: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """The requests to one URL. `where`: the parameters of the URL. `read`: the status of GET with permission."""

    where: Where = lambda world: {}
    read: int = 200
    changes: Mapping[str, Change] = field(default_factory=dict)


def _is_owner(who: Who) -> bool:
    return who.account == OWNER


def _submission(world: World) -> Mapping[str, Any]:
    return {"public_id": world.submission.public_id}


def _model(world: World) -> Mapping[str, Any]:
    return {"slug": world.model.slug}


def _card(world: World) -> Mapping[str, Any]:
    return {"key": world.card.key}


def _token_of_the_owner(world: World) -> Mapping[str, Any]:
    return {"pk": ApiToken.objects.filter(account=world.submission.account).earliest("pk").pk}


def _maker(world: World) -> Mapping[str, Any]:
    return {"bus": "sd", "number": "02"}


LABEL = {"brand": "Changed"}
PASSWORD = {"username": "new", "password1": "long and unlikely", "password2": "long and unlikely"}

# Pages and lists that all visitors may read, and that change nothing.
PUBLIC: dict[str, Where] = {
    name: Row().where
    for name in (
        *("finder", "makers", "privacy", "health", "api", "api-reference"),
        *("about", "boards", "compare", "feed", "search-feed", "recent", "robots", "sitemap", "statistics"),
        *("ready", "methods", "sources", "quirks"),
        *("api-products", "api-quirks", "api-quirk-candidates", "api-sources"),
        *("api-models", "api-cards", "api-runs", "api-measurements", "api-makers", "api-schema"),
        *(
            "api-uses",
            "api-profiles",
            "api-boards",
            "api-metrics",
            "api-interfaces",
            "api-dumps",
        ),
        *("llms", "follow", "good", "formats", "glossary", "filter", "api-index", "api-picks", "api-health"),
    )
} | {
    "model": _model,
    "model-runs": _model,
    "model-feed": _model,
    "why": _model,
    "api-explanation": _model,
    "badge": _model,
    "board": lambda world: {"slug": "raspberry-pi-5"},
    "product": lambda world: {"slug": "lexar-play-128-gb-04-2025"},
    "best": lambda world: {"board": "raspberry-pi-5", "use": "pi-root"},
    "best-as": lambda world: {"board": "raspberry-pi-5", "use": "pi-root", "form": "json"},
    "first-place-feed": lambda world: {"board": "raspberry-pi-5", "use": "pi-root"},
    "embed": lambda world: {"board": "raspberry-pi-5", "use": "pi-root"},
    "sitemap-section": lambda world: {"section": "models"},
    "card": _card,
    "run": _submission,
    "submission": _submission,
    "maker": _maker,
    "api-model": _model,
    "api-card": _card,
    "api-run": _submission,
}

ROWS: dict[str, Row] = {name: Row(where) for name, where in PUBLIC.items()} | {
    "tour": Row(),
    "source": Row(lambda world: {"slug": "nobody"}, read=404),
    "security": Row(read=404),  # no contact is set
    "api-search": Row(read=400),  # the query is missing
    "api-compare": Row(read=400),  # the models are missing
    "submission-report": Row(_submission),
    "submission-text": Row(_submission, read=404),  # this one came as a report, not as text
    "metrics": Row(),
    "sign-up": Row(changes={"POST": Change(PASSWORD, 302)}),
    "log-in": Row(changes={"POST": Change({}, 200)}),
    "account": Row(),
    "password": Row(changes={"POST": Change({}, 200)}),
    "close-account": Row(changes={"POST": Change({}, 400)}),
    "log-out": Row(read=405, changes={"POST": Change({}, 302)}),
    "second-factor": Row(changes={"POST": Change({"code": "000000"}, 400)}),
    "adopt": Row(read=405, changes={"POST": Change({"public_id": "x", "key": "x"}, 400)}),
    "make-token": Row(read=405, changes={"POST": Change({"name": "x", "scopes": ["submit"]}, 200)}),
    "revoke-token": Row(
        _token_of_the_owner, read=405, changes={"POST": Change({}, 302, _is_owner, others=302)}
    ),
    "submit": Row(changes={"POST": Change({}, 200)}),
    "decode": Row(changes={"POST": Change({}, 400)}),
    "change-submission": Row(_submission, changes={"POST": Change(LABEL, 302)}),
    "delete-submission": Row(_submission, changes={"POST": Change({}, 200)}),
    "remark": Row(
        _submission,
        changes={"POST": Change({"kind": "same"}, 302, lambda who: not _is_owner(who), others=400)},
    ),
    "remark-on-model": Row(_model, changes={"POST": Change({"kind": "same"}, 302)}),
    "api-submissions": Row(changes={"POST": Change({}, 400)}),
    "api-batch": Row(read=405, changes={"POST": Change(None, 200)}),
    "api-decode-batch": Row(read=405, changes={"POST": Change({}, 200)}),
    "api-dump-file": Row(lambda world: {"version": "x", "name": "y"}, read=404),
    "file": Row(lambda world: {"kind": "dumps", "version": "x", "name": "y"}, read=404),
    **dict.fromkeys(("client", "client-signature", "mirror"), Row(read=404)),  # nothing was published
    "api-parse": Row(read=405, changes={"POST": Change({}, 200)}),
    "api-decode": Row(read=405, changes={"POST": Change({}, 400)}),
    "api-submission": Row(
        _submission,
        changes={"PATCH": Change({"label": LABEL}, 200), "DELETE": Change(None, 204)},
    ),
    "api-ruling": Row(
        _submission, read=405, changes={"POST": Change({"ruling": "excluded", "reason": "x"}, 200)}
    ),
}
