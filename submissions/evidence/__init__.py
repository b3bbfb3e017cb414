"""Read the measured values from which abilities of models are estimated, and describe the results for pages.

Nothing in this package writes to the database.
"""
