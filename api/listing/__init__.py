"""Lists for machines, each described by a table: filters, orderings, pages by cursor, chosen fields, JSON and CSV."""
