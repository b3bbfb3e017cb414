"""Everything public in bulk: what a dump holds (`tables`), how it is written (`writer`), where dumps are (`shelf`)."""
