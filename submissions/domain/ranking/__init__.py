"""From figures to scores: what is wanted, what a slot can carry, what a model reaches there."""
