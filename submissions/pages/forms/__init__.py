"""What visitors fill in, a module per page. Every choice is in the address, so a page can be shared."""
