"""The pages, a module each. Rules are in `domain`, and `models` choose the rows."""
