"""A history as a table, one row a round, and what other rules would have cost (docs/batch.md).

A reader who is looking for the rules can skip this room. It judges nothing: verdicts come from `replay.run` alone. A row holds
the table by which `replay.settlement` settled the round, what each wager was due, and what was done. A what-if settles these
tables again with the game's own `settle` and other rules; what a row does not hold goes to event replay.

The door. Outside this room, import from these files only:

* `round_table`: `build` derives the table from a log, `RoundTable` opens it, `Manifest` says what it consists of
* `kept_table`: `KeptTable` keeps the table up while `replay.run` judges
* `what_if`: settles a history by replacement rules, in one of the pools of `whatif.workers`
* `table_check`: `differences` compares a table with its log
* `workers`: the pools of processes in which a history is judged or settled

Inside. Everything is pure but for the files marked with *, which read the log or read and write files:

* a round becomes a row: `settled_round`, `row_schema`, `stream_rows`, `row_writer`, `row_keeper`*, `round_table`*, `kept_table`*,
  `table_check`*
* rows become money: `groups`*, `row_replayer`*, `what_if`*
"""
