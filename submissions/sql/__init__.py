"""Database access without the ORM: many rows in one statement, queries compiled once, columns as arrays, locks."""
