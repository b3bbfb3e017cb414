"""Base classes of the API's list views, with filters, orderings, pages by cursor, chosen fields, JSON and CSV."""
