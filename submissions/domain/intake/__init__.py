"""Parse the output of other tools in pasted text, mail and tables, and make reports of it."""
