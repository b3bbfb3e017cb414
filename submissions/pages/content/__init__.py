"""What the pages show, arranged: rows in, frozen values with words and plots out. A module per page."""
