"""Texts and reports as they are published: without serial numbers, names of people and names of machines."""
