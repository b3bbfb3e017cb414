"""What was measured, in base units, and whether it can be believed."""
