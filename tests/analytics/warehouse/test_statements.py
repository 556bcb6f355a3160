"""The statements shown are those that ran: run again with their values, they give the same rows."""

from datetime import date

from analytics.hold.hold import hold_by
from analytics.hold.periods import hold_by_period
from analytics.warehouse.selection import Selection
from analytics.warehouse.statements import recorded_statements
from analytics.warehouse.warehouse import Warehouse

PART = Selection(table="fu-01", first=date(2026, 3, 5))


def test_what_ran_is_kept_and_gives_the_same_rows_again(db: Warehouse) -> None:
    with recorded_statements() as statements:
        wagers, counts = hold_by(db, "wager", PART), hold_by_period(db, "table", "month", PART)
        hold_by(db, "wager", PART)
    assert len(statements) == 2, "the same statement is kept once"
    for statement, rows in zip(statements, (wagers, counts), strict=True):
        assert db.sql(statement.sql, params=statement.parameters).pl().equals(rows)
        assert statement.parameters["table"] == "fu-01"
        assert "fu-01" not in statement.sql, "values are parameters, never part of a statement"
    hold_by(db, "wager", PART)
    assert len(statements) == 2
