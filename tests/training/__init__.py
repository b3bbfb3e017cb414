"""Train submissions/domain/data/intent.npz, which classifies questions, on texts written for it."""
