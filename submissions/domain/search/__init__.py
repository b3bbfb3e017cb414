"""What people type into the box, understood: a board, a use, sizes, marks, a price; the words left are ignored."""
