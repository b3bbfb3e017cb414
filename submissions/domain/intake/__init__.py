"""Text that other tools print -> what the domain understands."""
