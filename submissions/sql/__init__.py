"""Access the database without the ORM: many rows in one statement, prepared queries, columns as arrays, locks."""
