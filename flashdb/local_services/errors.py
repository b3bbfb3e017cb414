"""The one error of this package."""


class LocalServicesError(RuntimeError):
    """A service cannot be started; the message says what, where and what to do next."""
