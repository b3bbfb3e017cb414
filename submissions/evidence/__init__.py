"""What the database holds, as evidence for the judgement, and what the judgement says, for pages and for `scoring`.

Nothing here writes.
"""
