"""Decide who may perform an act (such as to correct a submission), for all pages, the API and the admin.

`ACTS` maps requests to acts. `DEMANDS` lists the needs of each act: conditions that the `Credentials` of a request
must meet.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

# After so long a session must verify its second factor again. A token lasts as long as the device it was made with.
FACTOR_LASTS_S = 12 * 3600


class Act(StrEnum):
    READ = "read"
    ENTER = "enter"
    REMARK = "remark"
    SUBMIT = "submit"
    CORRECT = "correct"
    USE_ACCOUNT = "use an account"
    VERIFY = "verify"
    ADMINISTER = "open the admin"
    MODERATE = "moderate"
    PUBLISH = "publish"
    RENAME = "rename"
    OPERATE = "operate"


class Need(StrEnum):
    """A condition under which a request may perform an act. RIGHT: a permission of Django; FACTOR: a second factor."""

    OPERATOR = "operator"
    OWNER = "owner"
    ACCOUNT = "account"
    SCOPE = "scope"
    STAFF = "staff"
    RIGHT = "right"
    FACTOR = "factor"


class Demand(NamedTuple):
    """The needs of an act, in the order in which they are checked.

    `scope`: the scope that `Need.SCOPE` requires of a token; no token has the scope "". `right`: the permission of
    Django that `Need.RIGHT` requires.
    """

    needs: tuple[Need, ...] = ()
    scope: str = ""
    right: str = ""


_AS_STAFF = (Need.ACCOUNT, Need.SCOPE, Need.STAFF, Need.RIGHT, Need.FACTOR)
DEMANDS = {
    Act.READ: Demand(),
    Act.ENTER: Demand(),
    Act.REMARK: Demand(),
    Act.SUBMIT: Demand((Need.SCOPE,), "submit"),
    Act.CORRECT: Demand((Need.SCOPE, Need.OWNER), "correct"),
    Act.USE_ACCOUNT: Demand((Need.ACCOUNT, Need.SCOPE)),
    Act.VERIFY: Demand((Need.STAFF, Need.SCOPE)),
    Act.ADMINISTER: Demand((Need.ACCOUNT, Need.SCOPE, Need.STAFF, Need.FACTOR)),
    Act.MODERATE: Demand(_AS_STAFF, "moderate", "submissions.change_submission"),
    Act.PUBLISH: Demand(_AS_STAFF, right="submissions.change_remark"),
    Act.RENAME: Demand(_AS_STAFF, right="submissions.change_cardmodel"),
    Act.OPERATE: Demand((Need.OPERATOR,)),
}
# By method and name of the address. Any other request that only reads is READ; any other that writes is refused.
ACTS = {
    Act.READ: ("POST decode", "POST api-decode", "POST api-decode-batch", "POST api-parse"),
    Act.ENTER: ("POST sign-up", "POST log-in", "POST log-out"),
    Act.REMARK: ("POST remark", "POST remark-on-model"),
    Act.SUBMIT: ("POST submit", "POST api-submissions", "POST api-batch"),
    Act.CORRECT: (
        *("POST change-submission", "POST delete-submission", "PATCH api-submission"),
        "DELETE api-submission",
    ),
    Act.USE_ACCOUNT: (
        *("GET account", "GET password", "POST password", "GET close-account", "POST close-account"),
        *("POST adopt", "POST make-token", "POST revoke-token"),
    ),
    Act.VERIFY: ("GET second-factor", "POST second-factor"),
    Act.MODERATE: ("POST api-ruling",),
    Act.OPERATE: ("GET metrics",),
}
ACTS_OF_SCOPES = {demand.scope: act for act, demand in DEMANDS.items() if demand.scope}
_BY_REQUEST = {request: act for act, requests in ACTS.items() for request in requests}
_READING = ("GET", "HEAD", "OPTIONS")


class Credentials(NamedTuple):
    """The proofs that a request has about its sender.

    `scopes`: scopes of its token, None without a token. `device`: id of the device with which the second factor was
    verified, in this session `verified_s` seconds ago or when the token was made; `devices`: ids of the account's
    devices now.
    """

    operator: bool = False
    owner: bool = False
    account: bool = False
    staff: bool = False
    rights: frozenset[str] = frozenset()
    scopes: frozenset[str] | None = None
    device: str = ""
    devices: frozenset[str] = frozenset()
    verified_s: float = 0

    @property
    def has_factor(self) -> bool:
        is_fresh = self.scopes is not None or self.verified_s <= FACTOR_LASTS_S
        return self.device in self.devices and is_fresh


_MEETS: dict[Need, Callable[[Credentials, Demand], bool]] = {
    Need.OPERATOR: lambda shown, _: shown.operator,
    Need.OWNER: lambda shown, _: shown.owner,
    Need.ACCOUNT: lambda shown, _: shown.account,
    Need.SCOPE: lambda shown, demand: shown.scopes is None or demand.scope in shown.scopes,
    Need.STAFF: lambda shown, _: shown.staff,
    Need.RIGHT: lambda shown, demand: demand.right in shown.rights,
    Need.FACTOR: lambda shown, _: shown.has_factor,
}


def find_unmet_need(act: Act, shown: Credentials) -> Need | None:
    """Return the first need of an act that the credentials do not meet, or None if the sender may perform the act."""
    demand = DEMANDS[act]
    return next((need for need in demand.needs if not _MEETS[need](shown, demand)), None)


def find_act(method: str | None, address_name: str | None) -> Act | None:
    """Return the act of a request, or None if the request would write where nothing may be written."""
    if method in _READING:
        return _BY_REQUEST.get(f"GET {address_name}", Act.READ)
    return _BY_REQUEST.get(f"{method} {address_name}")
