"""All code that writes reports and results: it receives, files, records, holds, judges and corrects them."""
