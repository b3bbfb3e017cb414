"""Make the content of pages from rows of the database: frozen values with words and plots, one module per part."""
