"""Date formats that differ from those of Django."""
