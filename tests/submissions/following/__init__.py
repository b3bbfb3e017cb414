"""Following: what changes is told, once, by every way."""
