"""The content of the pages, a module each: from rows to frozen values with words and plots."""
