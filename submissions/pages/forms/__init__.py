"""Define the forms of the pages, one module per page. Every choice is in the URL, so that a page can be shared."""
