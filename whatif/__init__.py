"""A history as a table, one row for each round, and the cost of other rules (docs/batch.md).

To read the rules, skip this room. It judges nothing: verdicts come from `replay.run` alone. A row holds the table by which
`replay.settlement` settled the round, and each wager's due and paid amount. A what-if settles these tables again with the game's
own `settle` and other rules; event replay handles rounds that rows cannot hold.

The door. Outside this room, import from these files only:

* `round_table`: `build` derives the table from a log, `RoundTable` opens it, `Manifest` says what it consists of
* `kept_table`: `KeptTable` maintains the table while `replay.run` judges
* `what_if`: settles a history by replacement rules, in one of the pools of `whatif.workers`
* `table_check`: `differences` compares a table with its log
* `workers`: the pools of processes in which a history is judged or settled

Inside. Everything is pure but for the files marked with *, which read the log or read and write files:

* a round becomes a row: `settled_round`, `row_schema`, `stream_rows`, `row_writer`, `row_keeper`*, `round_table`*, `kept_table`*,
  `table_check`*
* rows become money: `groups`*, `row_replayer`*, `what_if`*
"""
