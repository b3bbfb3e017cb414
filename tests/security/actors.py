"""List every kind of visitor with the credentials of their requests."""

from dataclasses import dataclass

from submissions.visitors.permissions import ACTS_OF_SCOPES, FACTOR_LASTS_S, Credentials

OWNER, PERSON, STAFF, LOOKER, FORMER = "olivia-the-owner", "sam", "mona", "nora", "fred"
RIGHTS = frozenset(f"submissions.change_{model}" for model in ("submission", "remark", "cardmodel"))
HIS_OWN, GONE = "of the account", "otp_static.staticdevice/0"
# An address of a documentation network, because requests from this machine count as the operator's.
ELSEWHERE, HERE = "203.0.113.9", "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Who:
    """A visitor with a session or, if `scopes` is set, with an API token.

    `device`: the device by which the visitor verified a second factor.
    """

    account: str = ""
    device: str = ""
    verified_s: float = 0
    scopes: frozenset[str] | None = None
    has_key: bool = False
    address: str = ELSEWHERE

    @property
    def credentials(self) -> Credentials:
        is_staff = self.account in (STAFF, LOOKER)
        return Credentials(
            operator=self.address == HERE,
            owner=self.account == OWNER or self.has_key,
            account=bool(self.account),
            staff=is_staff,
            rights=RIGHTS if self.account == STAFF else frozenset(),
            scopes=self.scopes,
            device=self.device,
            devices=frozenset({HIS_OWN}) if is_staff else frozenset(),
            verified_s=self.verified_s,
        )


def _token(account: str, scope: str, device: str = "") -> Who:
    return Who(account, device, scopes=frozenset({scope}))


SESSIONS = {
    "nobody": Who(),
    "holder of the delete key": Who(has_key=True),
    "operator": Who(address=HERE),
    "owner": Who(OWNER),
    "another account": Who(PERSON),
    "staff, password only": Who(STAFF),
    "staff, second factor": Who(STAFF, HIS_OWN, FACTOR_LASTS_S - 1800),
    "staff, second factor of yesterday": Who(STAFF, HIS_OWN, FACTOR_LASTS_S + 1),
    "staff, device replaced since": Who(STAFF, GONE),
    "staff without rights": Who(LOOKER, HIS_OWN),
    "staff no more": Who(FORMER, HIS_OWN),
}
TOKENS = {
    "no token": Who(),
    "delete key": Who(has_key=True),
    "`submit`, of the owner": _token(OWNER, "submit"),
    "`correct`, of the owner": _token(OWNER, "correct"),
    "`correct`, of another account": _token(PERSON, "correct"),
    "`moderate`, of no staff": _token(PERSON, "moderate"),
    "`moderate`, of staff, made before the second factor": _token(STAFF, "moderate"),
    "`moderate`, of staff, made with it": _token(STAFF, "moderate", HIS_OWN),
    "`moderate`, of staff, device replaced since": _token(STAFF, "moderate", GONE),
    "`moderate`, of staff without rights": _token(LOOKER, "moderate", HIS_OWN),
    "`moderate`, of staff no more": _token(FORMER, "moderate", HIS_OWN),
    "`submit`, of staff": _token(STAFF, "submit", HIS_OWN),
}
MODERATOR = Who(STAFF, HIS_OWN, scopes=frozenset(ACTS_OF_SCOPES))
