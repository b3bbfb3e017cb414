"""What is measured, in which order, and the report it becomes."""
