"""Simulated flash cards with a virtual clock: they model the duration of operations, and store no data."""

from cardbench.ftl.card import Card
from cardbench.ftl.model import MIB, FlashModel, draw

__all__ = ["MIB", "Card", "FlashModel", "draw"]
