"""Define date formats that differ from those of Django."""
