"""Everything public in bulk: what a dump holds (`tables`), how it is written (`writer`), which there are (`shelf`),
and where all files are that the site gives out (`store`)."""
