"""Turn estimates of abilities into advice: rank models for a use of a card in a board, by the needs of the use."""
