"""What of a text and of a report may be read by everybody."""
