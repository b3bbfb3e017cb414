"""Simulated flash cards with a virtual clock: what an operation costs, not what is stored."""

from cardbench.ftl.card import Card
from cardbench.ftl.model import MIB, FlashModel, draw

__all__ = ["MIB", "Card", "FlashModel", "draw"]
