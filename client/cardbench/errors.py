"""Everything that can go wrong, each kind with its exit status and its word for machines."""

from __future__ import annotations

import errno
from typing import Any


def name_errno(error: OSError) -> str:
    """Return the name of an error of the system, such as ENOSPC."""
    return errno.errorcode.get(error.errno or 0, "EIO")


class CardbenchError(Exception):
    """An error for the user; its message names the problem, its place and the next step."""

    exit_status = 1
    code = "error"

    @property
    def answer(self) -> dict[str, Any]:
        """Return the answer to --json."""
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
    """The device, or the way to it, failed. `code` is the name of an errno value or of our own."""

    exit_status = 4

    def __init__(self, detail: str, *, code: str = "EIO") -> None:
        super().__init__(detail)
        self.code = code


class ServerRefused(CardbenchError):
    """The server refused the request."""

    exit_status = 5
    code = "server_refused"


class ServerNotReached(CardbenchError):
    """The server did not answer, or cannot take reports now. Sending again later is safe."""

    exit_status = 6
    code = "server_not_reached"
