"""Turn a pasted text into reports, and show which of its lines were understood."""
