"""Views of lists for programs, declared by tables: filters, orderings, pages by cursor, chosen fields, JSON, CSV."""
