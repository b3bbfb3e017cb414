# %% [markdown]
# The ranking of flashdb, once more, from the Parquet files beside this script. It needs `pip install duckdb`, and runs
# as it is or cell by cell in Jupyter (jupytext) and VS Code: python3 ranking.py [BOARD [USE]]
#
# The performances follow from the measurements by the sources of flashdb: manage.py repeat_estimates DIRECTORY.
# %%
import sys
from pathlib import Path

import duckdb

folder = Path(sys.argv[0]).resolve().parent if sys.argv[0].endswith("ranking.py") else Path.cwd()
board = sys.argv[1] if sys.argv[1:] else "raspberry-pi-5"
use = sys.argv[2] if sys.argv[2:] else None
for table in ("abilities", "boards", "models", "needs", "performances", "uses"):
    duckdb.sql(f"CREATE VIEW {table} AS FROM '{folder}/{table}.parquet'")

# %% [markdown]
# Models are ordered by mean - sd / 2 of the leading ability of the use; the fallback, in place of one that was not
# measured, is less sure by 0.3. A need fails if a single card passes it with a probability of at most .1, which is
# 1.28 standard deviations. Models that fail a need come after those that do not, then models that only one person
# without a record reports, and last models that lost data or are too small for the use. Left out are invented cards,
# and cards that do not go into the slot.
# %%
ranking = duckdb.execute(
    """
    WITH listed AS (
        SELECT models.id, models.slug, models.name, performances.abilities,
               coalesce(means[lead.number], means[instead.number]) AS mean,
               coalesce(sds[lead.number], sqrt(sds[instead.number] ** 2 + 0.3 ** 2)) AS sd,
               EXISTS (
                   FROM needs JOIN abilities AS asked ON asked.name = needs.ability
                   WHERE needs.use = uses.name
                     AND coalesce(at_least[asked.number], at_least[instead.number]) = 0
                     AND CASE
                         WHEN means[asked.number] IS NOT NULL THEN
                             means[asked.number] <= log_threshold - 1.2815515655446004 * card_sds[asked.number]
                         WHEN asked.name = lead.name THEN means[instead.number] <=
                             log_threshold - 1.2815515655446004 * sqrt(card_sds[instead.number] ** 2 + 0.3 ** 2)
                         END
               ) AS failed,
               coalesce(proofs[lead.number], proofs[instead.number]) < 2 AS unproven,
               models.lost_data OR coalesce(models.capacity_gb < uses.min_capacity_gb, FALSE) AS excluded,
               CASE WHEN means[lead.number] IS NULL THEN instead.name ELSE lead.name END AS ability
        FROM performances
        JOIN models ON models.slug = performances.model
        JOIN boards ON boards.slug = $board AND boards.slot = performances.slot
        JOIN uses ON uses.name = coalesce($use, boards.use)
        JOIN abilities AS lead ON lead.name = uses.leading
        LEFT JOIN abilities AS instead ON instead.name = uses.fallback
        WHERE NOT simulated AND (boards.form = '' OR models.form IN ('', 'microSD', 'SD Express'))
    )
    SELECT row_number() OVER (ORDER BY excluded, unproven, failed, mean - sd / 2 DESC, id) AS place, slug, name,
           ability, abilities -> ability -> 'value' AS value, abilities -> ability ->> 'origin' AS origin,
           abilities -> ability -> 'cards' AS cards, abilities -> ability -> 'people' AS people, failed, unproven,
           excluded
    FROM listed WHERE mean IS NOT NULL ORDER BY place
    """,
    {"board": board, "use": use},
)
print(*(name for name, *_ in ranking.description), sep="\t")
for row in ranking.fetchall():
    print(*row, sep="\t")
