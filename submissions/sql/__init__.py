"""All that goes past the ORM: many rows in one statement, queries compiled once, columns by COPY."""
