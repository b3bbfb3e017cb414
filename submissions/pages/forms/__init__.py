"""The forms of the pages, a module per page. Every choice is in the address, so that a page can be shared."""
