"""Control access to the API: a token permits the acts of its scopes, such as to submit or to correct.

A request without a token may only perform acts that need no account.
"""

from typing import TYPE_CHECKING

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

if TYPE_CHECKING:  # because it reads the settings, which import this module
    from rest_framework.views import APIView


class WrongToken(AuthenticationFailed):
    default_code = "wrong_token"
    default_detail = "This token is not known or was revoked; make another one on your account page."


class NoToken(NotAuthenticated):
    default_code = "no_token"
    default_detail = "Only a moderator decides that; send the token of one, with the scope “moderate”."


class NotPermittedByToken(APIException):
    status_code = 403
    default_code = "not_permitted_by_token"


class NoModerator(APIException):
    status_code = 403
    default_code = "no_moderator"
    default_detail = "Only a moderator decides that, and the account of this token is none."


class NoSecondFactor(APIException):
    status_code = 403
    default_code = "no_second_factor"
    default_detail = (
        "This token was made without the second factor of its account; verify that and make another one."
    )


class WrongDeleteKey(APIException):
    status_code = 403
    default_code = "wrong_delete_key"
    default_detail = (
        "Give the key of your receipt in the header Delete-Key, or the token of the account it belongs to."
    )


_REFUSALS: dict[Need, type[APIException]] = {
    Need.ACCOUNT: NoToken,
    Need.STAFF: NoModerator,
    Need.RIGHT: NoModerator,
    Need.FACTOR: NoSecondFactor,
    Need.OWNER: WrongDeleteKey,
}


class TokenAuthentication(BaseAuthentication):
    """Authentication of DRF by a header `Authorization: Token SECRET`; a wrong token is refused."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        kind, _, secret = request.META.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
        if kind.lower() != "token":
            return None
        token = ApiToken.objects.find_by_secret(secret.strip())
        if token is None:
            raise WrongToken
        ApiToken.objects.note_use(token, today=timezone.now().date())
        return token.account, token

    def authenticate_header(self, request: Request) -> str:
        return "Token"


def refuse(request: Request, act: Act, *, owns: bool = True) -> None:
    """Raise the error for a request that may not perform `act`. `owns`: the sender owns the submission."""
    need = find_refusal(request, act, owns=owns)
    if need is Need.SCOPE:
        scope = DEMANDS[act].scope
        raise NotPermittedByToken(
            f"This token lacks the scope “{scope}” ({SCOPES[scope]}); make one that has it."
        )
    if need:
        raise _REFUSALS[need]


class Permitted(BasePermission):
    """A permission class of DRF for the rules of `visitors.permissions`.

    A request that would write at a URL where nothing may be written gets 405.
    """

    def has_permission(self, request: Request, view: "APIView") -> bool:
        assert request.resolver_match
        act = find_act(request.method, request.resolver_match.url_name)
        if act is None:
            raise MethodNotAllowed(str(request.method))
        refuse(request, act)
        return True
