"""Define the error of this package."""


class LocalServicesError(RuntimeError):
    """A service cannot be started; the message gives the reason and the next step."""
