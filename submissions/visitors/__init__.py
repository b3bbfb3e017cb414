"""Who is asking, how often they may, and what is theirs."""
