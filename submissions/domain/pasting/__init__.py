"""Turn a text that was pasted into reports, and show the lines that were understood."""
