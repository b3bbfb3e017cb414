"""Identify a card: its model, its silicon (cards with equal registers), the single card, its maker, and suspicions."""
