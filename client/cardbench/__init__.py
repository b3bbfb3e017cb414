"""cardbench measures an SD card or flash drive and sends its report to a server."""

__version__ = "0.3.0"
