# %% [markdown]
# The ranking of flashdb, once more, from the Parquet files beside this script. It needs `pip install duckdb` alone, and
# runs as it stands or cell by cell in Jupyter (jupytext) and VS Code: python3 ranking.py [BOARD [PURPOSE]]
#
# That the scores follow from the measurements, the sources of flashdb tell: manage.py repeat_scores DIRECTORY.
# %%
import sys
from pathlib import Path

import duckdb

folder = Path(sys.argv[0]).resolve().parent if sys.argv[0].endswith("ranking.py") else Path.cwd()
board = sys.argv[1] if sys.argv[1:] else "raspberry-pi-5"
purpose = sys.argv[2] if sys.argv[2:] else None
for table in ("boards", "models", "scores"):
    duckdb.sql(f"CREATE VIEW {table} AS FROM '{folder}/{table}.parquet'")

# %% [markdown]
# A model is ranked by `bound`, the cautious end of its score for the slot of the board; 100 is just enough. Left out
# are invented cards, claims that no trusted person has confirmed, and cards that do not go into the slot.
# %%
ranking = duckdb.execute(
    """
    SELECT row_number() OVER (ORDER BY bound DESC, models.id) AS place, models.slug, models.name,
           round(bound / 100, 2) AS at_least, round(value / 100, 2) AS likely, cards, submitters, state
    FROM scores
    JOIN models ON models.slug = scores.model
    JOIN boards ON boards.slug = $board AND boards.interface = scores.interface
    WHERE scores.profile = coalesce($purpose, boards.profile) AND NOT simulated AND state <> 'claim'
      AND (boards.form = '' OR models.form IN ('', 'microSD', 'SD Express'))
    ORDER BY place
    """,
    {"board": board, "purpose": purpose},
)
print(*(name for name, *_ in ranking.description), sep="\t")
for row in ranking.fetchall():
    print(*row, sep="\t")
