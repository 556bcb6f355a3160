"""The meaning of every warehouse column, and the documents made from it (docs/warehouse.md is their head).

Invariant: a column means the same in every table; a special meaning in one table is under `table.column`. Times are UTC
microseconds (`…_us`), money is integer cents (`…_cents`). A test compares this list with the tables: every column must have a
meaning.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from analytics.warehouse.warehouse import MODELS, Warehouse, grains, model_text

MEANING: Final[dict[str, str]] = {
    "amount_cents": "the amount; of a disposition what was paid, recovered or held",
    "assigned_to": "the person to whom the finding is assigned",
    "assumed": "the finding rests on a section that is only assumed",
    "amounts": "amounts that two observers of a round both state",
    "amounts_alike": "of these, how many alike",
    "basis": "as what a round counts: `recorded`, `sampled`, `for_cause` or `dispute`",
    "bets": "wagers with a unit of their own",
    "bettor": "the patron's token, a pseudonym; empty where the record has none",
    "built_at_us": "when this file was built",
    "buy_ins_cents": "bought in, by cash, voucher or marker",
    "by_slip_cents": "paid by slip and not from the table inventory, whoever funds it",
    "camera": "the camera of the video; null if none is named",
    "card": "the card, as in `Ks`; `Jk` is the joker",
    "cards_alike": "of the cards that two observers both state, how many alike",
    "mart_observations.cards": "cards that two observers of a round both state",
    "mart_observations.dealer": "the dealer who is observed; null if it is no dealer",
    "mart_observations.difference_cents": "done minus due in all its rounds, from the patrons' side",
    "mart_observations.known": "rounds with a known outcome: the verdict is known, and how every wager was settled",
    "mart_observations.confirmed": "rounds that a second person confirmed",
    "fct_observed_rounds.dealer": "the dealer whom the observer names; null if none",
    "fct_observed_rounds.round_no": "the number of the entry; it says nothing about the table's own numbers",
    "fct_observed_rounds.stream": "the stream in the log, as in `observed/fu-01`",
    "fct_observed_rounds.gaming_day": "the gaming day on which the round was played",
    "mart_observations.stream": "the stream in the log, as in `observed/fu-01`",
    "codes": "the codes of the findings",
    "confirmed_by": "the persons who compared the entry with its source",
    "entered": "rounds that were entered",
    "entered_at_us": "when the round was entered",
    "high": "the upper bound of the exact 95 % interval of the rate of wrong rounds; null for what is no sample",
    "low": "its lower bound",
    "house_short_cents": "paid too much, or not taken",
    "known": "the verdict is known, and how every wager was settled",
    "observation": "the observation that the round belongs to; null or empty if none",
    "observer": "the person who entered the round",
    "patron_short_cents": "paid too little, or taken in error",
    "planned": "how many rounds are planned",
    "closed": "the observation is closed",
    "same_round_no": "the number of the other record of the round; null if none is named",
    "same_stream": "the stream of the other record",
    "says": "what the figures show, in a sentence",
    "seen": "how the observer knows: `live`, `video` or `paper`",
    "unread": "selected rounds that could not be read",
    "fct_observed_rounds.withdrawn": "the entry was withdrawn",
    "wrong": "rounds with a known outcome in which something was found",
    "cards": "how many cards the position was dealt",
    "fct_cards_seen.cards": "the cards, sorted",
    "fct_hands.cards": "the cards in the order dealt",
    "chapter": "the chapter of the rules, as in `pa-688a`; of an amended edition `pa-688a#2`",
    "cite": "the section that it rests on",
    "closed_at_us": "when the round was closed",
    "closer_cents": "chips counted at closing; null if not counted",
    "closers": "how many closing counts there are",
    "code": "the code of the finding",
    "colours": "the colours of the dice, in the order of `dice`; null for dice of one color",
    "credits_cents": "chips sent to the cage",
    "currency": "ISO 4217",
    "dealer": "the dealer's id",
    "decisions": "boxes with a settled wager",
    "deck": "the deck that the round was opened with; empty if its opening is not recorded",
    "stg_corrections.payload": "the fields of what counts in its place, as JSON; null if nothing does",
    "stg_corrections.seq": "the number of the event that is corrected",
    "stg_corrections.type": "the type of what counts in its place; null if nothing does",
    "stg_standing.game": "the game that the table was opened for",
    "stg_standing.deck": "the deck that was shuffled",
    "dice": "the three dice",
    "dice_set": "the dice set received last; empty where none is recorded",
    "die": "the color of the die; `any` for dice of one color, all three together",
    "digest": "SHA-256 of the text",
    "digests.rows": "how many rows",
    "digests.digest": "the sums of the two halves of the rows' SHA-256, in hex",
    "sources.again": "the place up to which results were read again, in turn",
    "sources.events": "the number of the last event that was read",
    "sources.results": "the place of the last result that was read, in the chain of the stream's results",
    "sources.results_head": "the chain's hash after that result, in hex",
    "stg_once_stated.round_no": "the round that it is about",
    "digests.stream": "the stream whose rows are meant; empty: all rows of the table",
    "digests.table_name": "the table",
    "difference_cents": "what was done less what was due, from the patron's side: negative means that the patron is short",
    "disposition": "how the finding was disposed of; null while it is not",
    "done_cents": "the patron's net by what the dealer did; null while not settled",
    "drop_cents": "counted in the drop box; null if not counted",
    "drops": "how many counts of drop boxes there are",
    "due_cents": "the patron's net by the rules; null where the evidence leaves it open",
    "effective_gaming_day": "the gaming day from which on it is in force",
    "engine": "version, and digest of what judged its game",
    "engines": "the engines whose verdicts are in the file",
    "event_id": "the id that the device gave the event",
    "events": "how many events of rounds there are",
    "mart_devices.events": "how many events of rounds it reported",
    "evidence": "the numbers of the events that show it",
    "expected": "what the rules require",
    "face": "the face, 1 to 6",
    "failures": "how often it failed, by any device's report",
    "fills_cents": "chips brought from the cage",
    "finding_id": "the digest of what identifies the finding",
    "fct_incidents.finding_id": "the finding that is the cause",
    "finding_ids": "the ids of its findings",
    "finding_no": "its place in the verdict",
    "findings": "how many findings stand",
    "first_at_us": "when somebody first reviewed it",
    "first_day": "the first of the gaming days",
    "first_opened_at_us": "when the day's first round was opened",
    "first_seq": "the number of the round's first event",
    "found_in": "the stream that the finding is about",
    "game": "the game",
    "gaming_day": "the gaming day",
    "gaming_month": "the first day of the gaming day's month",
    "generation": "how often the file was built",
    "handle_cents": "staked on wagers that were settled; null if none is on record",
    "hands": "how many hands",
    "hash": "the chain's hash after the event, in hex",
    "hold_percent": "win ÷ drop, in percent; null where a count is missing",
    "hour": "the hour in which the round was opened, 0 to 23, property time",
    "house_wagers": "settled wagers of the house's games, with a stake",
    "house_win_cents": "handle less payouts: what the house won of settled wagers; null if none is on record",
    "house_win_percent": "house win ÷ handle, in percent",
    "incident_id": "the id of the finding that is the cause of the incident",
    "head": "the chain's hash after the last event that was read, in hex",
    "from_meter_cents": "paid by meters: their shares; no part of payouts and house win",
    "joker": "whether the joker is among the cards",
    "judged": "whether a settlement of what was at stake is on record, nothing was at stake, or something is found",
    "judged_rounds": "rounds that were judged",
    "judged_wagers": "the wagers of rounds that were judged",
    "kind": "of what kind",
    "stg_ledger.kind": "`opener`, `closer`, `fill`, `credit`, `drop`, `buy_in` or `marker`",
    "mart_starts.kind": "`number` drawn or `start` called out",
    "lag_product": "(2 × total - 21) × the same of the roll before",
    "lag_products": "sum of `lag_product`",
    "last_at_us": "when the last of them happened, by the device's clock",
    "last_closed_at_us": "when the day's last round was closed",
    "last_day": "the last of the gaming days",
    "last_dealer": "the dealer of the day's last round",
    "last_event_at_us": "when the last event of the day's last round happened, by the device's clock; null without one",
    "last_game": "the game of the day's last round",
    "last_round_no": "the number of the day's last round",
    "last_seq": "the number of the last event that the verdict rests on",
    "ledger_entries": "how many amounts of the tables' accounting there are",
    "line": "the line of the paytable, or the outcome",
    "log_id": "the id of the log that the file was built from",
    "markers_cents": "counter checks issued; the chips for them are among what was bought in",
    "max_round_u": "largest U",
    "max_u": "largest u",
    "device": "the device that failed or came back",
    "method": "how the deck was shuffled last before the first card (`automated`, `manual`, …); empty if not recorded",
    "stg_standing.method": "how the deck was shuffled",
    "stg_standing.dice_set": "the dice set received",
    "models_digest": "a digest of all models, by which a file knows which program built it",
    "moved": "false if nothing was done with the wager although the record covers the settlement to its end",
    "name": "the property's name",
    "number": "the number that the wager is on, where it is on one",
    "observed": "what the record shows",
    "occurred_at_us": "when it happened, by the device's clock",
    "opened_at_us": "when the round was opened",
    "opener_cents": "chips counted at opening; null if not counted",
    "openers": "how many opening counts there are",
    "other_reading": "the result by the other reading of the text",
    "overpaid_cents": "paid to patrons beyond what was due",
    "pairs": "how many pairs follow each other",
    "patron_banked": "whether a patron holds the bank, so that the house has no interest",
    "patron_banked_cents": "staked against a patron's bank",
    "pattern": "how often ranks repeat, longest first, as in `3+2+1+1`; the joker is no rank",
    "pauses": "gaps of more than ten minutes between rounds",
    "payload": "the event's fields, as JSON",
    "payouts_cents": "given back on settled wagers, stakes and slips included, what meters paid not",
    "paytable": "the paytable's name as printed; empty where there is none",
    "placed": "wagers, settled or not",
    "play_us": "time of play, pauses left out",
    "position": "`1` to `7` or `dealer`; other places of cards have their own names",
    "reading": "the setting as filed, and its value",
    "reference": "the document's number, or how it was paid",
    "repeated_drops": "counts of drop boxes that were entered with the same amount before on the day",
    "repeated_slips": "fills, credits and markers that were entered under the same number and amount before on the day",
    "repeated": "cards dealt to the position again that it had the round before",
    "restored": "how often it came back, by any device's report",
    "revision": "which revision of the verdict, from 1",
    "rolls": "how often",
    "round_no": "the number of the round at its table",
    "round_us": "sum of closing less opening",
    "rounds": "how many rounds",
    "rules_digest": "SHA-256 of the rules submission that it was judged by",
    "seat": "the seat, 1 to 7; null where it is about no seat",
    "seats": "seats with a wager",
    "mart_pace.seats": "sum over rounds of the seats with a wager",
    "seq": "the number of the event in its stream",
    "settled": "whether the wager was settled",
    "settled_at_us": "when the current disposition was made; null without one",
    "settlement_no": "its place in the verdict",
    "fct_incidents.severity": "that of its gravest finding: `high`, `medium` or `low`",
    "severity": "`high`, `medium` or `low`",
    "severity_rank": "1, 2 or 3",
    "shift": "the shift",
    "shown_at_us": "when the first event happened that shows it",
    "source": "the device that reported it",
    "mart_devices.source": "the device",
    "staked_cents": "what was at stake",
    "mart_bettors.staked_cents": "sum of what was at stake",
    "state": "the state of the review: `open`, `assigned`, `awaiting_signature`, `resolved`, `reopened`",
    "stated_in": "the round whose verdict states it; 0 for none",
    "stream": "the stream in the log, as in `table/fu-01`",
    "submission": "the name of the rules submission",
    "sum_round_u2": "sum over rounds of U²",
    "sum_round_u3": "sum over rounds of U³",
    "sum_round_w2": "sum over rounds of W²",
    "sum_round_wu": "sum over rounds of W × U",
    "sum_u2": "sum over wagers of u²",
    "sum_u3": "sum over wagers of u³",
    "table_id": "the table's id",
    "theory_wager": "the wager as in `rack theory`, wagers settled together as one; in brackets a setting that theory leaves out",
    "time_zone": "the property's IANA time zone",
    "times": "how often",
    "toml": "the text, whole",
    "total": "the total of the dice",
    "type": "the type of the event",
    "underpaid_cents": "due to patrons and not paid",
    "undetermined": "the reasons why the verdict is open, in words",
    "fct_table_days.undetermined": "rounds whose verdict is `UNDETERMINED`",
    "fct_wagers.undetermined": "1 where the due amount is unknown, else 0",
    "mart_pace.undetermined": "rounds whose verdict is `UNDETERMINED`",
    "undetermined_wagers": "wagers whose due amount is unknown",
    "unit_cents": "the stake in units of theory: that of the wager a player starts with, else 0",
    "unsettled": "wagers not settled (yet)",
    "upheld": "rounds whose verdict is `UPHELD`",
    "value": "the number drawn, or the position called out",
    "variances": "rounds whose verdict is `VARIANCE`",
    "verdict": "`UPHELD`, `VARIANCE`, `VOID` or `UNDETERMINED`",
    "voids": "rounds whose verdict is `VOID`",
    "wager": "the wager's name",
    "wagers": "how many wagers; an Envy Bonus is counted as one",
    "mart_hold_wager.wagers": "settled wagers",
    "mart_bettors.wagers": "settled wagers",
    "win_cents": "closer + credits + drop - opener - fills; null where a count is missing",
    "withdrawn": "whether the verdict takes it back",
    "stg_adjudications.withdrawn": "ids of findings that the revision takes back",
}  # fmt: skip

_ITSELF: Final = {
    "digests": "-- grain: table_name, stream\n-- Digests of the rows of every other table, by which a build can tell "
    "whether they were changed since.",
    "generation": "-- grain: generation\n-- The file and how it was built: one row.",
    "property": "-- grain: log_id\n-- The property, as it last configured itself: one row.",
    "sources": "-- grain: stream\n-- How far each stream of the log and its results were read for the file: what the next "
    "build goes on from.",
}

HEAD: Final = """\
# The warehouse

`rack docs warehouse` prints this page with a list of all tables, and `rack warehouse columns` every column with its type and
meaning. The file is a plain DuckDB database in the form of DuckDB 1.4, which 1.4 and later versions read, read-only, while the
pages do. Money is integer cents, times are UTC microseconds. How to ask it: [analyst-guide.md](analyst-guide.md).

**How it is brought up to what is new.** A file in place is never written to: a build puts another one in its place, so open it
anew to see the newest. It reads only events past the last that the file holds and results past the last place, and renews only
rows of rounds, findings, days and months that these touch. It does so in the file that stood in the place before the present one,
kept as the spare in `.NAME.spare` beside it (as much disk again), and the two trade places. To copy a large file while
a replay follows, use `rack warehouse export`, or DuckDB's `COPY FROM DATABASE`: another program's copy of a file that becomes the
spare meanwhile may be torn.

**What shows that rows were changed.** In every build, size, inode and times of the file are compared with `.NAME.seals`. If
anything differs, every row is compared with `digests`, a table that differs is named, the whole file is built anew, and the
build ends with 4. In turn, each build reads some thirty results of one table and their events again; `rack warehouse build
--anew` reads everything. Nothing here is a proof: the log is, and `rack verify` checks it.

`stg_`: the newest revisions as loaded. `fct_`: one row for each thing that happened. `mart_`: sums that pages and commands
ask."""


def meaning(table: str, column: str) -> str | None:
    """Return a column's meaning, or None if there is none."""
    return MEANING.get(f"{table}.{column}", MEANING.get(column))


def described(db: Warehouse) -> list[tuple[str, str, str, str]]:
    """Return (table, column, type, meaning) of every column, in the order in which tables are made."""
    return [
        (table, column, kind, meaning(table, column) or "")
        for table in (*MODELS, *_ITSELF)
        for column, kind in _columns(db, table)
    ]


def _columns(db: Warehouse, table: str) -> list[tuple[str, str]]:
    rows = db.execute(
        "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = ? AND database_name = current_database() "
        "ORDER BY column_index",
        [table],
    ).fetchall()
    return [(column, kind) for column, kind in rows]


def summary() -> str:
    """Return docs/warehouse.md: every table with its grain and content."""
    rows = []
    for table in (*MODELS, *_ITSELF):
        said, grain = _description_of(table)
        rows.append(f"| `{table}` | {', '.join(f'`{each}`' for each in grain)} | {said} |")
    return (
        "\n".join([HEAD, "", "## Tables", "", "| table | one row for each | contents |", "| --- | --- | --- |", *rows])
        + "\n"
    )


def _description_of(table: str) -> tuple[str, tuple[str, ...]]:
    """Return a table's description and grain from the head of its model."""
    header = _ITSELF.get(table) or model_text(table)
    said = [line.removeprefix("--").strip() for line in header.splitlines() if line.startswith("--")][1:]
    grain = grains().get(table) or tuple(header.splitlines()[0].partition(":")[2].strip().split(", "))
    return " ".join(line for line in said if not line.startswith("renewed by: ")), grain


def markdown(db: Warehouse) -> str:
    """Return a document of every column, from an open warehouse."""
    shared = _shared(db)
    lines = ["", "## Columns of several tables", "", "| column | type | meaning |", "| --- | --- | --- |"]
    lines += [_row(*each) for each in sorted(shared)]
    lines += [line for table in (*MODELS, *_ITSELF) for line in _section(db, table, shared)]
    return "\n".join([HEAD, *lines]) + "\n"


Column = tuple[str, str, str]
"""Name, type and meaning."""


def _meanings(db: Warehouse, table: str) -> list[Column]:
    return [(column, kind, meaning(table, column) or "") for column, kind in _columns(db, table)]


def _shared(db: Warehouse) -> set[Column]:
    """Return the columns that at least three tables have with the same type and meaning."""
    counts = Counter(column for table in (*MODELS, *_ITSELF) for column in _meanings(db, table))
    return {column for column, tables in counts.items() if tables > 2}


def _row(column: str, kind: str, meaning: str) -> str:
    return f"| `{column}` | {kind} | {meaning} |"


def _section(db: Warehouse, table: str, shared: set[Column]) -> Iterator[str]:
    said, grain = _description_of(table)
    yield from (
        "",
        f"## {table}",
        "",
        said,
        "",
        f"One row for each {', '.join(f'`{each}`' for each in grain)}.",
        "",
    )
    columns = _meanings(db, table)
    if own := [_row(*each) for each in columns if each not in shared]:
        yield from ("| column | type | meaning |", "| --- | --- | --- |", *own)
    if above := [f"`{each[0]}`" for each in columns if each in shared]:
        yield from ("", f"Described above: {', '.join(above)}.")


if __name__ == "__main__":
    (Path(__file__).parents[2] / "docs" / "warehouse.md").write_text(f"{HEAD}\n", encoding="utf-8")
