"""Turn estimates into advice: uses and their needs, slots and their limits, places in an order."""
