"""Simulated flash cards with a virtual clock: what an operation costs, not what is stored."""

from cardbench.ftl.card import Card
from cardbench.ftl.model import MIB, CardModel, draw

__all__ = ["MIB", "Card", "CardModel", "draw"]
