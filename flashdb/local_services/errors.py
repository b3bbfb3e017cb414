"""Define LocalServicesError."""


class LocalServicesError(RuntimeError):
    """An error: PostgreSQL or Redis cannot be started; the message gives the reason and the next step."""
