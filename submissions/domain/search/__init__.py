"""Understand a text of the search box: a board, a use, sizes, marks, a price, names; other words are ignored."""
