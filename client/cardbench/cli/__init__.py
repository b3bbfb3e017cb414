"""What can be typed, and what is said to people."""
