"""cardbench measures an SD card or flash drive and files what it found."""

__version__ = "0.1.0"
