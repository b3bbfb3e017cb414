"""The judgement: what a model is worth on a level field, how sure that is, and whether its cards differ.

Runs of one figure become cells (`cells`), the whole crowd tells what hosts add and how much cards scatter
(`surroundings`), given that each model is estimated on its own (`estimates`) and compared (`comparison`, `composite`).
`variation` finds models whose cards differ. Arrays and frozen values in and out; no I/O, no clock.
"""
