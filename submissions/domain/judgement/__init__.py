"""The judgement: what a model is worth on a level field, how sure that is, and whether its cards differ.

`inputs` is what goes in, `engine` the way through: runs of one figure become cells (`runs`, `link_limits`, `cells`);
the whole crowd tells what hosts add and how much cards scatter (`crowd_survey`); given that, each model is estimated on
its own (`estimates`, `odd_cards`), its figures inform each other (`factors`), and it is scored (`composite`,
`worst_silicon`). `variation` finds models whose cards differ, `flags` says it in words. Arrays and
frozen values in and out; no I/O, no clock."""
