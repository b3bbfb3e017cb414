"""Read the evidence for the judgement from the database, and describe the results for pages and for `scoring`.

Nothing here writes to the database.
"""
