"""Our own texts as people ask, and the training of submissions/domain/data/intent.npz on them."""
