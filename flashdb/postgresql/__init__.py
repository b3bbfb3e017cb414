"""Django's PostgreSQL back end, which asks less often whether the server is still there."""
