"""How dates are written, where it differs from Django's own formats."""
