"""The pages, a module each. A view says one verb; rules live in `domain`, rows are chosen in `models`."""
