"""Read the evidence for the judgement from the database, and describe its verdicts for pages and for `scoring`.

Nothing here writes.
"""
