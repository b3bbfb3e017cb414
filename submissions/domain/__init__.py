"""The pure core: frozen values in, frozen values out. No Django, no clock, no network, no I/O but its own tables."""
