"""Which model, which silicon, which specimen; who made it, and what speaks against that."""
