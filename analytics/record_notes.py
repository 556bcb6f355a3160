"""Notes on the record for readers of an answer: table days without wagers, rounds without a verdict, and counts entered twice."""

from collections.abc import Iterator

from analytics.answers import cell
from analytics.hold import figure_detail, hold
from analytics.questions import Question
from analytics.warehouse.selection import Selection
from analytics.warehouse.warehouse import Warehouse
from replay.narrative.names import plural


def record_notes(db: Warehouse, question: Question, part: Selection) -> Iterator[str]:
    """Yield the notes on an answer to a question about a part of the floor, in whole boxes."""
    total = hold.hold_totals(db, part).row(0, named=True)
    without = total["table_days"] - total["table_days_with_wagers"]
    if without and question.of_wagers:
        yield (
            f"no wagers are on record for {without:,} of {plural(total['table_days'], 'table day')}: they are in no figure of "
            "wagers, and their trays can only be compared with drop, fills and credits"
        )
    if question.of_wagers and (words := figure_detail.not_judged(db, part)):
        yield words
    for row in figure_detail.counts_behind(db, part).drop_nulls("repeats").iter_rows(named=True) if question.of_counts else ():
        name = f"{row['kind']} {row['reference']} of {cell('amount_cents', row['amount_cents'])}"
        yield (
            f"{row['table_id']}, {row['gaming_day']}: {name} is on record twice (events {row['repeats']} and {row['seq']}), "
            "and both count; if it was one, correct the second"
        )
