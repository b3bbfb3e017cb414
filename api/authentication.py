"""Access to the API: a token permits the actions of its scopes; without one, all that needs no account is allowed."""

from typing import TYPE_CHECKING

from django.contrib.auth.models import User
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import APIException, AuthenticationFailed
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from submissions.models import ApiToken
from submissions.models.account import SCOPES

if TYPE_CHECKING:  # because it reads the settings, which import this module
    from rest_framework.views import APIView


class WrongToken(AuthenticationFailed):
    default_code = "wrong_token"
    default_detail = "This token is not known or was revoked; make another one on your account page."


class NotPermittedByToken(APIException):
    status_code = 403
    default_code = "not_permitted_by_token"


class TokenAuthentication(BaseAuthentication):
    """Authentication by a header `Authorization: Token SECRET`; a wrong token is refused."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        kind, _, secret = request.META.get("HTTP_AUTHORIZATION", "").strip().partition(" ")
        if kind.lower() != "token":
            return None
        token = ApiToken.objects.known_by(secret.strip())
        if token is None:
            raise WrongToken
        ApiToken.objects.note_use(token, today=timezone.now().date())
        return token.account, token

    def authenticate_header(self, request: Request) -> str:
        return "Token"


class PermittedByToken(BasePermission):
    """A permission that refuses to write with a token that lacks the `scope` of the view."""

    def has_permission(self, request: Request, view: "APIView") -> bool:
        scope = getattr(view, "scope", "")
        token: ApiToken | None = request.auth  # type: ignore[assignment]  # DRF has a token of its own in mind
        if scope and token and request.method not in SAFE_METHODS and scope not in token.scopes:
            raise NotPermittedByToken(
                f"This token lacks the scope “{scope}” ({SCOPES[scope]}); make one that has it."
            )
        return True
