"""Every kind of error of cardbench, with its exit status and its code for programs."""

from __future__ import annotations

import errno
from typing import Any


def name_errno(error: OSError) -> str:
    """Return the symbolic name of the error number of an OSError, such as "ENOSPC"; "EIO" if it has none."""
    return errno.errorcode.get(error.errno or 0, "EIO")


class CardbenchError(Exception):
    """An error that ends a command; its message names the problem, its place and the next step."""

    exit_status = 1
    code = "error"

    @property
    def answer(self) -> dict[str, Any]:
        """Return the JSON object that a command with --json prints for this error."""
        return {"error": {"code": self.code, "detail": str(self), "field": ""}}


class UsageError(CardbenchError):
    """The command cannot be carried out as it was given."""

    exit_status = 2
    code = "usage"


class SafetyError(CardbenchError):
    """The command was refused, because data could be lost."""

    exit_status = 3
    code = "refused_for_safety"


class DeviceError(CardbenchError):
    """The device, or the connection to it, failed. `code` is the name of an errno value or of an error of cardbench."""

    exit_status = 4

    def __init__(self, detail: str, *, code: str = "EIO") -> None:
        super().__init__(detail)
        self.code = code


class ServerRefused(CardbenchError):
    """The server refused the request, or its response cannot be used."""

    exit_status = 5
    code = "server_refused"


class ServerNotReached(CardbenchError):
    """The server did not answer, or cannot accept reports now. It is safe to send the report again later."""

    exit_status = 6
    code = "server_not_reached"
