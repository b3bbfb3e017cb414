"""Who may what: a row for every address of the site. An address without a row fails a test."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from submissions.models import ApiToken
from tests.security.world import World

ALL = frozenset({"nobody", "stranger", "owner", "moderator"})
MEMBERS = ALL - {"nobody"}
OWNER = frozenset({"owner"})
MODERATOR = frozenset({"moderator"})
OTHERS = ALL - OWNER

Where = Callable[[World], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Change:
    """What a method may change: `sent`, by whom, with which answer, and the answer for everybody else.

    An answer of 400 says: asked for the right thing in the wrong way, so nothing changes.
    """

    sent: Any
    may: frozenset[str]
    done: int
    refused: int = 403
    nobody: int = 0  # the answer for who says no name, where it is another one

    def answer(self, who: str) -> int:
        if who in self.may:
            return self.done
        return self.nobody if self.nobody and who == "nobody" else self.refused


@dataclass(frozen=True, slots=True)
class Row:
    """`where`: what stands in the address. `readers`: for whom GET is answered with `read`; others get `unread`."""

    where: Where = lambda world: {}
    readers: frozenset[str] = ALL
    read: int = 200
    unread: int = 302
    changes: Mapping[str, Change] = field(default_factory=dict)


def _submission(world: World) -> Mapping[str, Any]:
    return {"public_id": world.submission.public_id}


def _model(world: World) -> Mapping[str, Any]:
    return {"slug": world.model.slug}


def _card(world: World) -> Mapping[str, Any]:
    return {"key": world.card.key}


def _token_of_the_owner(world: World) -> Mapping[str, Any]:
    return {"pk": ApiToken.objects.get(account=world.submission.account).pk}


def _maker(world: World) -> Mapping[str, Any]:
    return {"bus": "sd", "number": "02"}


LABEL = {"brand": "Changed"}
PASSWORD = {"username": "new", "password1": "long and unlikely", "password2": "long and unlikely"}

# Pages and lists that anybody may read, and that change nothing.
PUBLIC: dict[str, Where] = {
    name: Row().where
    for name in (
        *("finder", "makers", "decode", "privacy", "health", "log-in", "api", "api-reference", "submit"),
        *("about", "boards", "compare", "feed", "search-feed", "recent", "robots", "sitemap", "statistics"),
        *("ready", "metrics", "methods", "sources", "quirks"),
        *("api-products", "api-quirks", "api-quirk-candidates", "api-sources"),
        *("api-models", "api-cards", "api-runs", "api-measurements", "api-makers", "api-schema"),
        *(
            "api-uses",
            "api-profiles",
            "api-boards",
            "api-metrics",
            "api-interfaces",
            "api-dumps",
            "api-submissions",
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
    "security": Row(read=404),  # nobody said whom to write to
    "api-search": Row(read=400),  # it wants to be told what to look for
    "api-compare": Row(read=400),  # it wants to be told which models
    "submission-report": Row(_submission),
    "submission-text": Row(_submission, read=404),  # this one came as a report, not as text
    "sign-up": Row(changes={"POST": Change(PASSWORD, ALL, 302)}),
    "account": Row(readers=MEMBERS),
    "password": Row(readers=MEMBERS),
    "close-account": Row(readers=MEMBERS),
    "log-out": Row(read=405),
    "second-factor": Row(readers=MODERATOR, unread=404),
    "adopt": Row(
        readers=MEMBERS,
        read=405,
        unread=405,
        changes={"POST": Change({"public_id": "x", "key": "x"}, MEMBERS, 400, 302)},
    ),
    "make-token": Row(
        readers=MEMBERS,
        read=405,
        unread=405,
        changes={"POST": Change({"name": "x", "scopes": ["submit"]}, MEMBERS, 200, 302)},
    ),
    "revoke-token": Row(
        _token_of_the_owner,
        readers=MEMBERS,
        read=405,
        unread=405,
        changes={"POST": Change({}, OWNER, done=302, refused=302)},
    ),
    "change-submission": Row(_submission, changes={"POST": Change(LABEL, OWNER, 302)}),
    "delete-submission": Row(_submission, changes={"POST": Change({}, OWNER, 200)}),
    "remark": Row(_submission, changes={"POST": Change({"kind": "same"}, OTHERS, 302, 400)}),
    "remark-on-model": Row(_model, changes={"POST": Change({"kind": "same"}, ALL, 302)}),
    "api-batch": Row(read=405),
    "api-decode-batch": Row(read=405),
    "api-dump-file": Row(lambda world: {"version": "x", "name": "y"}, read=404),
    "file": Row(lambda world: {"kind": "dumps", "version": "x", "name": "y"}, read=404),
    **dict.fromkeys(("client", "client-signature", "mirror"), Row(read=404)),  # nothing was published
    "api-parse": Row(read=405),
    "api-decode": Row(read=405),
    "api-submission": Row(
        _submission,
        changes={"PATCH": Change({"label": LABEL}, OWNER, 200), "DELETE": Change(None, OWNER, 204)},
    ),
    "api-ruling": Row(
        _submission,
        read=405,
        changes={"POST": Change({"ruling": "excluded", "reason": "x"}, MODERATOR, 200, 403, nobody=401)},
    ),
}
