"""Game pace, amounts wagered, and the take-up of side wagers."""

import contextlib
from typing import Final

import polars as pl

from analytics.theory.catalogue import companion_wagers, dependent_wagers, first_wagers
from analytics.warehouse.selection import EVERYTHING, WHERE, Selection, columns_of, frame
from analytics.warehouse.warehouse import Warehouse
from rulebook.chapters.rulebook import RulesRefused, parse_submission

BY_PACE: Final = ("property", "game", "table", "dealer", "shift", "hour", "gaming_day", "dealer_table")
LEAST_MINUTES: Final = 60
"""Minimum play for a pace."""


def pace(db: Warehouse, by: str = "table", selection: Selection = EVERYTHING) -> pl.DataFrame:
    """Return rounds and decisions (boxes with a settled wager) per hour of play, a row for each value.

    Columns: the value, `rounds`, `decisions`, `wagers`, `play_hours`, `rounds_per_hour`, `decisions_per_hour`, `seats_per_round`,
    `round_seconds` (opening to closing), `pauses` (of more than ten minutes, not counted as play), and `enough`: whether there
    was at least an hour of play. Rates are None without play; those of boxes and seats also without recorded wagers.
    """
    columns = columns_of(by, BY_PACE)
    named = "".join(f"{column}, " for column in columns)
    return frame(
        db,
        f"""
        SELECT
            {named}
            sum(rounds)::BIGINT AS rounds,
            sum(decisions)::BIGINT AS decisions,
            sum(wagers)::BIGINT AS wagers,
            sum(play_us) / 3.6e9::DOUBLE AS play_hours,
            sum(rounds) * 3.6e9::DOUBLE / nullif(sum(play_us), 0) AS rounds_per_hour,
            CASE WHEN sum(wagers) > 0 THEN sum(decisions) * 3.6e9::DOUBLE / nullif(sum(play_us), 0) END AS decisions_per_hour,
            CASE WHEN sum(wagers) > 0 THEN sum(seats) / sum(rounds)::DOUBLE END AS seats_per_round,
            sum(round_us) / sum(rounds) / 1e6::DOUBLE AS round_seconds,
            sum(pauses)::BIGINT AS pauses,
            sum(play_us) >= {LEAST_MINUTES} * 60e6 AS enough
        FROM mart_pace
        WHERE {WHERE}
        GROUP BY {named}() HAVING count(*) > 0
        ORDER BY {named}rounds
        """,
        selection,
    )


def pace_audit(db: Warehouse, by: str = "dealer", selection: Selection = EVERYTHING) -> pl.DataFrame:
    """Return each value's pace compared with the floor's own pace for its games and hours.

    Expected rounds are the floor's for the same game and hour of the clock, by the time played; so a dealer of slow games or
    quiet hours is not called slow. Columns: the value, `rounds`, `expected_rounds`, `index` (100 = as expected), `play_hours`,
    `rounds_per_hour`, `enough`. Slowest first.
    """
    columns = columns_of(by, [each for each in BY_PACE if each != "property"])
    named = ", ".join(columns)
    return frame(
        db,
        f"""
        WITH chosen AS (SELECT * FROM mart_pace WHERE {WHERE}),

        usual AS (
            SELECT game, hour, sum(rounds) / nullif(sum(play_us), 0)::DOUBLE AS rounds_per_us
            FROM mart_pace
            WHERE ($first::DATE IS NULL OR gaming_day >= $first::DATE) AND ($last::DATE IS NULL OR gaming_day <=
            $last::DATE) GROUP BY game, hour
        )

        SELECT
            {named},
            sum(rounds)::BIGINT AS rounds,
            sum(play_us * rounds_per_us) AS expected_rounds,
            100 * sum(rounds) / nullif(sum(play_us * rounds_per_us), 0) AS index,
            sum(play_us) / 3.6e9::DOUBLE AS play_hours,
            sum(rounds) * 3.6e9::DOUBLE / nullif(sum(play_us), 0) AS rounds_per_hour,
            sum(play_us) >= {LEAST_MINUTES} * 60e6 AS enough
        FROM chosen INNER JOIN usual USING (game, hour)
        GROUP BY {named}
        ORDER BY index, {named}
        """,
        selection,
    )


def average_wagers(db: Warehouse, by: str = "game", selection: Selection = EVERYTHING) -> pl.DataFrame:
    """Return the average of each wager of the house's games, a row for each value and wager.

    Columns: the value, `wager`, `wagers` (settled, with a stake), `handle_cents`, `average_cents` (None without wagers).
    """
    columns = [each for each in columns_of(by, (*BY_PACE, "wager")) if each != "wager"]
    named = "".join(f"{column}, " for column in columns)
    return frame(
        db,
        f"""
        SELECT
            {named}wager,
            sum(house_wagers)::BIGINT AS wagers,
            sum(handle_cents)::BIGINT AS handle_cents,
            sum(handle_cents) / nullif(sum(house_wagers), 0)::DOUBLE AS average_cents
        FROM mart_hold_wager
        WHERE house_wagers > 0 AND {WHERE}
        GROUP BY {named}wager
        ORDER BY {named}wager
        """,
        selection,
    )


def side_wager_take_up(db: Warehouse, by: str = "game", selection: Selection = EVERYTHING) -> pl.DataFrame:
    """Return how often each side wager was made, per base wager (or ante) of the same value, if it was offered.

    The base wagers are those of table days that offer the paytable, by the filed rules or because somebody made the wager.
    Columns: the value, `wager`, `paytable`, `wagers`, `base_wagers`, `take_up_percent` (may pass 100 if several can be made at a
    seat), `average_cents`, `handle_cents`.
    """
    columns = columns_of(by, BY_PACE)
    named = "".join(f"{column}, " for column in columns)
    filed = _offered(db)
    return frame(
        db,
        f"""
        WITH chosen AS (SELECT * FROM mart_hold_wager WHERE {WHERE}),

        filed AS (
            SELECT unnest($digests::VARCHAR[]) AS rules_digest, unnest($wagers::VARCHAR[]) AS wager,
                unnest($paytables::VARCHAR[]) AS paytable
        ),

        offered AS (
            SELECT r.stream, r.gaming_day, r.game, f.wager, f.paytable
            FROM (SELECT DISTINCT stream, gaming_day, game, rules_digest FROM fct_rounds WHERE {WHERE}) AS r
            INNER JOIN filed AS f USING (rules_digest)
            UNION
            SELECT stream, gaming_day, game, wager, paytable FROM chosen
        ),

        base AS (
            SELECT {"".join(f"c.{column}, " for column in columns)}o.wager, o.paytable, sum(c.wagers)::BIGINT AS base_wagers
            FROM chosen AS c INNER JOIN offered AS o USING (stream, gaming_day, game)
            WHERE list_contains($base, c.wager) GROUP BY ALL
        ),

        side AS (
            SELECT {named}wager, paytable, sum(wagers)::BIGINT AS wagers,
                sum(handle_cents + patron_banked_cents)::BIGINT AS handle_cents
            FROM chosen
            WHERE NOT list_contains($base, wager) AND NOT list_contains($following, wager) AND NOT wager LIKE '%envy'
            GROUP BY ALL
            HAVING sum(handle_cents + patron_banked_cents) > 0
        )

        SELECT
            {named}wager, paytable, wagers, base_wagers,
            100.0::DOUBLE * wagers / nullif(base_wagers, 0) AS take_up_percent,
            handle_cents / nullif(wagers, 0)::DOUBLE AS average_cents,
            handle_cents
        FROM side LEFT JOIN base USING ({named}wager, paytable)
        ORDER BY {named}wager, paytable
        """,
        selection,
        base=list(first_wagers()),
        following=[*dependent_wagers(), *companion_wagers()],
        digests=[digest for digest, _, _ in filed],
        wagers=[wager for _, wager, _ in filed],
        paytables=[paytable for _, _, paytable in filed],
    )


def _offered(db: Warehouse) -> list[tuple[str, str, str]]:
    """Return the digest, wager and paytable of each offered wager of the filed submissions; a refused one offers none."""
    found = []
    for digest, toml in db.sql("SELECT DISTINCT digest, toml FROM fct_filings ORDER BY digest").fetchall():
        with contextlib.suppress(RulesRefused):
            offers = parse_submission(toml).offers.values()
            found += [(digest, each.wager, each.paytable.name if each.paytable else "") for each in offers]
    return found
