"""Identify a card: its model, silicon, specimen and maker, and the evidence against them."""
