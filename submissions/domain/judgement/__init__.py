"""The judgement: what a model is worth on a level field, how sure that is, and whether its cards differ.

Runs of one figure become cells (`runs`, `links`, `cells`). The whole crowd tells what hosts add and how much cards
scatter (`survey`, `surroundings`); given that, each model is estimated on its own (`estimates`) and compared
(`composite`, `worst_silicon`). `variation` and `fingerprints` find models whose cards differ, `flags` says it in words.
Arrays and frozen values in and out; no I/O, no clock.
"""
