"""The one write path: reports are received, filed, recorded, held, scored and corrected here."""
