"""Estimate the abilities of models from all measurements of a crowd: one model for values, cards, people and hosts."""
