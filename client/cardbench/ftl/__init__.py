"""Simulated flash cards with a virtual clock: what an operation costs, not what is stored."""

from cardbench.ftl.card import Card
from cardbench.ftl.model import MIB, MS, CardModel, draw, noisier
from cardbench.ftl.wide import draw_wide

__all__ = ["MIB", "MS", "Card", "CardModel", "draw", "draw_wide", "noisier"]
