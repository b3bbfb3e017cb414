"""Plan and run the measurements of a card, and compose the report."""
