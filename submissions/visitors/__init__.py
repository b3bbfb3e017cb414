"""Who sends a request, how often they may, and the accounts they may have."""
