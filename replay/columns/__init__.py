"""A history as a table, one row a round, and what other rules would have cost: settled in columns (docs/batch.md).

A reader who is looking for the rules can skip this room. It judges nothing: verdicts come from `replay.run` alone. A row holds
the table by which `replay.settlement` settled the round, what each wager was due, and what was done; a kernel settles whole
columns of such rows by other rules, and what a row does not hold goes to event replay.

The door. Outside this room, import from these files only:

* `round_table`: `build` derives the table from a log, `RoundTable` opens it, `Manifest` says what it consists of
* `kept_table`: `KeptTable` keeps the table up while `replay.run` judges
* `what_if`: settles a history by replacement rules, in one of the pools of `replay.workers`
* `table_check`: `differences` compares a table with its log
* `catalogue` and `game_columns`: `add_columns` adds a game, described by a `GameColumns` record

Inside. Everything is pure but for the files marked with *, which read the log or read and write files:

* a game's own: `games` (row schema, what only this game has of a table) and `kernels` (compiled settlement), one file each
* a round becomes a row: `row_schemas`, `layout_row`, `stream_rows`, `row_writer`, `row_keeper`*,
  `round_table`*, `kept_table`*, `table_check`*
* rows become money: `settling`, `groups`*, `row_replayer`*, `what_if`*
"""
