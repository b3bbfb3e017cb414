"""Train the classifier of questions on texts.tsv and patterns.txt, and with --learn on a table of questions.

`python -m tests.training --learn TABLE --folds 5` prints how many questions it classifies rightly without having seen
them.
"""

import csv
import re
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from submissions.domain.search import intent
from submissions.domain.search.question import understand
from tests.training.patterns import Text, expand

HERE = Path(__file__).parent
WEIGHTS = HERE.parents[1] / "submissions" / "domain" / "data" / "intent.npz"
PENALTY, STEPS, WEIGHT_OF_PATTERNS = 3e-5, 120, 0.2
_LEAST_TEXTS = 3


def read_texts() -> list[Text]:
    """Return the texts of texts.tsv, which people wrote."""
    with (HERE / "texts.tsv").open(encoding="utf-8", newline="") as file:
        return [Text(*row) for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


def weigh(texts: Sequence[str]) -> csr_matrix:
    """Return the features of texts as a sparse matrix, texts x features."""
    rows = [intent.weigh_features(text) for text in texts]
    ends = np.cumsum([0, *map(len, rows)])
    values = [value for row in rows for value in row.values()]
    columns = [number for row in rows for number in row]
    return csr_matrix((values, columns, ends), shape=(len(rows), intent.FEATURES))


def weigh_rarity(features: csr_matrix) -> np.ndarray:
    """Return a factor for each feature, 1 on average, which is larger for features of few texts.

    The larger the factor, the less the training limits the weight of the feature.
    """
    count = features.getnnz(axis=0)
    rarity: np.ndarray = np.log((1 + features.shape[0]) / (1 + count))
    return rarity / rarity.mean()


def train(features: csr_matrix, names: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights, features x names, and the bias of each name, by penalized maximum likelihood."""
    count = len(intent.NAMES)
    wanted, across = np.eye(count)[names], features.T.tocsr()

    def find_loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        of_features, bias = flat[:-count].reshape(-1, count), flat[-count:]
        scores = features @ of_features + bias
        scores -= scores.max(axis=1, keepdims=True)
        logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        loss = -(weights @ (wanted * logs).sum(axis=1)) + PENALTY / 2 * (of_features**2).sum()
        error = (np.exp(logs) - wanted) * weights[:, None]
        slope = (across @ error + PENALTY * of_features).ravel()
        return float(loss), np.concatenate([slope, error.sum(axis=0)])

    start = np.zeros((intent.FEATURES + 1) * count)
    found = minimize(find_loss, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x
    return found[:-count].reshape(-1, count), found[-count:]


def store(of_features: np.ndarray, bias: np.ndarray, words: Sequence[int]) -> None:
    """Store the weights as whole numbers from -127 to 127, with a scale for each name."""
    scale = np.abs(of_features).max(axis=0) / 127
    weights = np.round(of_features / scale).astype(np.int8)
    np.savez_compressed(
        WEIGHTS,
        weights=weights,
        scale=scale.astype(np.float32),
        bias=bias.astype(np.float32),
        words=np.array(words, np.uint32),
    )


def list_words(written: Sequence[Text], drawn: Sequence[Text]) -> list[int]:
    """Return the CRC-32 of every word that is in a pattern, or in more than one text: a rarer word may be a name."""
    counted, words = _count_words(written), set(_count_words(drawn))
    words |= {word for word, count in counted.items() if count >= _LEAST_TEXTS}
    return sorted(map(intent.hash_feature, words))


def _count_words(texts: Sequence[Text]) -> Counter[str]:
    return Counter(word for row in texts for word in set(re.findall(r"[^\W_]+", intent.fold_text(row.text))))


def read_questions(path: str) -> list[Text]:
    """Return the questions from a table with the columns intent, language and text."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [Text(row["intent"], row["language"], row["text"]) for row in rows]


def learn(questions: Sequence[Text]) -> int:
    """Train on the texts and patterns of this folder and on these questions, and store the weights.

    Return the number of texts.
    """
    written, drawn = read_texts(), expand(HERE / "patterns.txt")
    texts = [*questions, *written, *drawn]
    weights = np.repeat([1.0, WEIGHT_OF_PATTERNS], [len(texts) - len(drawn), len(drawn)])
    number: dict[str, int] = {name: at for at, name in enumerate(intent.NAMES)}
    names = np.array([number[row.intent] for row in texts])
    features = weigh([row.text for row in texts])
    rarity = weigh_rarity(features)
    of_features, bias = train(features.multiply(rarity).tocsr(), names, weights / weights.sum())
    store(of_features * rarity[:, None], bias, list_words([*questions, *written], drawn))
    intent.load_weights.cache_clear()
    intent.find_intent.cache_clear()
    return len(texts)


def list_verdicts(questions: Sequence[Text]) -> list[tuple[Text, str]]:
    """Return each question with the intent that the classifier gives it."""
    return [(row, understand(row.text).intent) for row in questions]


def print_verdicts(verdicts: Sequence[tuple[Text, str]]) -> None:
    """Print the questions with a wrong intent, and the share of questions with the right one."""
    for row, name in verdicts:
        if row.intent != name:
            print(f"{row.intent:>15} {name:<15} {row.text}")
    for name in intent.NAMES:
        right = [row.intent == given for row, given in verdicts if row.intent == name]
        print(f"{name:>15} {sum(right):>3} of {len(right)}")
    print(f"{sum(row.intent == given for row, given in verdicts) / len(verdicts):.1%} of {len(verdicts)}")


def cross_validate(questions: Sequence[Text], folds: int) -> None:
    """Print how many questions get their right intent from weights trained on the other folds."""
    verdicts: list[tuple[Text, str]] = []
    for fold in range(folds):
        learn([row for number, row in enumerate(questions) if number % folds != fold])
        verdicts += list_verdicts(questions[fold::folds])
    print_verdicts(verdicts)


def main() -> None:
    options = ArgumentParser(prog="python -m tests.training")
    options.add_argument("--learn", metavar="TABLE", help="learn these questions, too")
    options.add_argument(
        "--folds", type=int, default=0, help="first judge each part by weights of the others"
    )
    options.add_argument("--judge", metavar="TABLE", help="say how many of these are understood")
    asked = options.parse_args()
    questions = read_questions(asked.learn) if asked.learn else []
    if asked.folds and not questions:
        options.error("--folds judges the questions of --learn: give a table that has some")
    if asked.folds:
        cross_validate(questions, asked.folds)
    print(f"{learn(questions):,} texts, {WEIGHTS.stat().st_size // 1000} kB of weights")
    if asked.judge:
        print_verdicts(list_verdicts(read_questions(asked.judge)))


main()
