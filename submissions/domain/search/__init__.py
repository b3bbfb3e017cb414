"""Understand the text of the search box: a board, a use, sizes, marks, a price. Other words are ignored."""
