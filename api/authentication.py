"""Control access to the API: a token permits the acts of its scopes, such as to submit or to correct.

A request without a token may only perform acts that need no account.
"""

from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import (
    APIException,
    AuthenticationFailed,
    MethodNotAllowed,
    NotAuthenticated,
)
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from submissions.models import ApiToken
from submissions.models.account import SCOPES
from submissions.visitors.credentials import find_refusal
from submissions.visitors.permissions import DEMANDS, Act, Need, find_act

_WRONG_SCHEME = (
    "Send “Authorization: Token SECRET” with a token of your account. No other scheme is supported."
)
_WRONG_TOKEN = "This token is unknown or was revoked. Create a new one on your account page."


class Forbidden(APIException):
    status_code = 403


_NO_MODERATOR = "Only moderators may do this, and this token’s account is not a moderator."
# Missing need -> the refusal, with its sentence and its code.
_REFUSALS: dict[Need, tuple[type[APIException], str, str]] = {
    Need.ACCOUNT: (
        NotAuthenticated,
        "Only moderators may do this. Send a moderator’s token with the scope “moderate”.",
        "no_token",
    ),
    Need.STAFF: (Forbidden, _NO_MODERATOR, "no_moderator"),
    Need.RIGHT: (Forbidden, _NO_MODERATOR, "no_moderator"),
    Need.FACTOR: (
        Forbidden,
        "This token was created without a second factor. Log in with yours and create a new token.",
        "no_second_factor",
    ),
    Need.OWNER: (
        Forbidden,
        "Send the header Delete-Key with the key from your receipt, or a token of the submission’s account.",
        "wrong_delete_key",
    ),
}


class TokenAuthentication(BaseAuthentication):
    """Authentication of DRF by a header `Authorization: Token SECRET`; a wrong token and another scheme are refused."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        if not (sent := request.META.get("HTTP_AUTHORIZATION", "").strip()):
            return None
        scheme, _, secret = sent.partition(" ")
        if scheme.lower() != "token":
            raise AuthenticationFailed(_WRONG_SCHEME, "wrong_scheme")
        token = ApiToken.objects.find_by_secret(secret.strip())
        if token is None:
            raise AuthenticationFailed(_WRONG_TOKEN, "wrong_token")
        ApiToken.objects.note_use(token, today=timezone.now().date())
        return token.account, token

    def authenticate_header(self, request: Request) -> str:
        return "Token"


def refuse(request: Request, act: Act, *, owns: bool = True) -> None:
    """Raise an error of the API if the sender of a request may not perform `act`.

    `owns`: the sender owns the submission.
    """
    need = find_refusal(request, act, owns=owns)
    if need is Need.SCOPE:
        scope = DEMANDS[act].scope
        lacking = f"This token lacks the scope “{scope}” ({SCOPES[scope]}). Create one that has it."
        raise Forbidden(lacking, "not_permitted_by_token")
    if need:
        refusal, sentence, code = _REFUSALS[need]
        raise refusal(sentence, code)


class Permitted(BasePermission):
    """A permission class of DRF for the rules of `visitors.permissions`.

    A request that would write at a URL where nothing may be written gets 405.
    """

    def has_permission(self, request: Request, view: Any) -> bool:
        assert request.resolver_match
        act = find_act(request.method, request.resolver_match.url_name)
        if act is None:
            raise MethodNotAllowed(str(request.method))
        refuse(request, act)
        return True
