"""All code that writes reports and results: it receives, files, records, holds, scores and corrects them."""
