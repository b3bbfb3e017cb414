"""The one write path: what is received, filed, recorded, held, scored and decided."""
