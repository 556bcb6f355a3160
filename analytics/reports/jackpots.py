"""Jackpots and tax forms: wins by the W-2G test, slips with their validation, and cash by patron's token and gaming day.

Invariant: a threshold is that of the gaming day (`filing`), and a patron is a token. The cage and its cash are not in the record,
and the report says so: it has part of the content of a form, never the whole.
"""

from collections.abc import Iterator
from datetime import date
from typing import Any, Final

import polars as pl

from analytics.reports.round_documents import cash_wagers, corrected_buyers, slips
from analytics.reports.sources import Sources, table_of
from analytics.warehouse.loading import schema_of
from desk.report.content import Report, ReportingRule, ReportTable
from desk.report.single_events import buyers
from replay.settlement.stakes import ENVY

NAME, TITLE = "jackpots", "Jackpots, tax forms and cash"
RULES: Final = (
    ReportingRule(cite="Instructions for Forms W-2G and 5754", role="answers", asks="which wins of the tables need a form"),
    ReportingRule(cite="58 Pa. Code § 605a.7", role="helps", asks="payouts by slip, with who validated them"),
    ReportingRule(
        cite="31 CFR §§ 1021.311, 1021.410", role="helps", asks="cash above the limit by patron and gaming day; tables only"
    ),
)

HOUSE, PLAYER_DEALER = "the house", "the player-dealer (a patron)"
"""Who paid a win."""


def jackpots(sources: Sources) -> Report:
    """Return the report."""
    documents = slips(sources)
    tables = [_forms(sources, documents), _slips(documents), _cash(sources)]
    limits = [
        "The cage is not ours: cash paid and taken there, front money, checks and other floors are in no figure of this report. "
        "Add them by patron and gaming day before you decide on a currency transaction report.",
        "The record has tokens, not people: two tokens of one patron are two here. The key to the tokens is with the property.",
        "Each wager is tested by itself; identical wagers that are to be taken together are not recognized.",
        "Withholding is not worked out.",
        "If the wager reduces the winnings, it does so in the test of 300 times too. Form W-2G tells the winner that the payout "
        "is tested: so read, a payout of 300 times a wager needs a form that is not listed here, unless the property files "
        "`w2g_reduced_by_wager = false`. The minimum of 2026 is that of draft instructions.",
    ]
    return sources.report(NAME, TITLE, rules=RULES, tables=tables, limits=limits)


# ------------------------------------------------------------------------------------------------------------- the W-2G test


def _forms(sources: Sources, documents: pl.DataFrame) -> ReportTable:
    """Return the wins that need a form, with the figures of the test; marked if the house paid and must make the form (D872)."""
    slip_of = {(each["stream"], each["round_no"], each["seat"], each["wager"]): each for each in documents.iter_rows(named=True)}
    rows, currency = [], sources.facts.currency
    for win in _wins(sources).iter_rows(named=True):
        form = _tested(sources, win, currency)
        if form is not None:
            slip = slip_of.get((win["stream"], win["round_no"], win["seat"], win["wager"]), {})
            by_player_dealer = win["patron_banked"] and not slip
            paid_by = {"paid_by": PLAYER_DEALER if by_player_dealer else HOUSE}
            rows.append(form | paid_by | {"slip": slip.get("slip"), "validated_by": slip.get("validated_by")})
    return table_of(
        "w-2g",
        "Wins that need a Form W-2G",
        pl.DataFrame(rows, schema=_FORM),
        note="An Envy Bonus is tested against the wager that carries it. Who pays makes out the form: what a player-dealer paid "
        "is no payment of the house; it is listed and not shaded (D872).",
        marked=tuple(at for at, row in enumerate(rows) if row["paid_by"] == HOUSE),
    )


_FORM: Final = schema_of(
    "gaming_day DATE, table_id VARCHAR, round_no BIGINT, seat BIGINT, patron VARCHAR, wager VARCHAR, line VARCHAR, "
    "wagered_cents BIGINT, winnings_cents BIGINT, times_wager DOUBLE, section VARCHAR, paid_by VARCHAR, slip VARCHAR, "
    "validated_by VARCHAR"
)


def _wins(sources: Sources) -> pl.DataFrame:
    """Return every settled wager of the period with winnings, with the stake of the test (None: not on record)."""
    return sources.rows(
        """
        SELECT
            w.stream, w.table_id, w.gaming_day, w.round_no, w.seat, w.bettor, w.wager, w.line, w.done_cents, w.patron_banked,
            coalesce(nullif(w.staked_cents, 0), c.carried_cents) AS wagered_cents
        FROM fct_wagers AS w
        LEFT JOIN (
            SELECT stream, round_no, seat, envy, max(staked_cents) AS carried_cents
            FROM fct_wagers
            INNER JOIN (SELECT unnest($carriers) AS wager, unnest($envies) AS envy) USING (wager)
            GROUP BY stream, round_no, seat, envy
        ) AS c ON w.stream = c.stream AND w.round_no = c.round_no AND w.seat = c.seat AND w.wager = c.envy
        WHERE w.gaming_day BETWEEN $first AND $last AND w.done_cents > 0
        ORDER BY w.gaming_day, w.table_id, w.round_no, w.seat, w.wager, w.line
        """,
        carriers=list(ENVY),
        envies=list(ENVY.values()),
    )


def _tested(sources: Sources, win: dict[str, Any], currency: str) -> dict[str, Any] | None:
    """Return the row of a win that needs a form; None for others. Without a recorded stake, the minimum decides."""
    filing, day = sources.filing, win["gaming_day"]
    wagered: int | None = win["wagered_cents"]
    winnings: int = win["done_cents"] + (0 if filing.w2g_reduced_by_wager else wagered or 0)
    least, times = (filing.threshold(name, day, currency) for name in ("w2g_minimum_cents", "w2g_times_wager"))
    if winnings < least.value or (wagered is not None and winnings < times.value * wagered):
        return None
    return {
        **{name: win[name] for name in ("gaming_day", "table_id", "round_no", "seat", "wager", "line")},
        "patron": win["bettor"],
        "wagered_cents": wagered,
        "winnings_cents": winnings,
        "times_wager": winnings / wagered if wagered else None,
        "section": least.cite,
    }


# ------------------------------------------------------------------------------------------------------------- slips and cash


def _slips(documents: pl.DataFrame) -> ReportTable:
    """Return every payout by slip with its validation; replay checks which ones the rules require."""
    columns = ("gaming_day", "table_id", "round_no", "seat", "wager", "slip", "slip_cents", "validated_by")
    return table_of("slips", "Payouts by slip", documents.select(columns))


def _cash(sources: Sources) -> ReportTable:
    """Return patrons' cash at the tables on a gaming day, if it exceeds that day's limit."""
    sums: dict[tuple[date, str], list[int]] = {}
    tables: dict[tuple[date, str], set[str]] = {}
    for day, patron, table, cents, kind in (*_buy_ins(sources), *cash_wagers(sources).iter_rows()):
        of = sums.setdefault((day, patron), [0, 0, 0])
        of[0 if kind == "buy_in" else 1] += cents
        of[2] += 1
        tables.setdefault((day, patron), set()).add(table)
    rows, currency = [], sources.facts.currency
    for (day, patron), (bought, wagered, times) in sorted(sums.items()):
        limit = sources.filing.threshold("cash_limit_cents", day, currency)
        if bought + wagered > limit.value:
            rows.append(
                (
                    day,
                    patron,
                    times,
                    ", ".join(sorted(tables[day, patron])),
                    bought,
                    wagered,
                    bought + wagered,
                    limit.value,
                    limit.cite,
                )
            )
    return table_of(
        "cash",
        "Cash above the limit, by patron and gaming day",
        pl.DataFrame(rows, schema=_CASH, orient="row"),
        note="Cash brought to all tables together; vouchers and markers are no cash. The cage's cash is not in it.",
        marked=tuple(range(len(rows))),
    )


_CASH: Final = schema_of(
    "gaming_day DATE, patron VARCHAR, transactions BIGINT, tables VARCHAR, bought_cents BIGINT, cash_wagered_cents BIGINT, "
    "cash_cents BIGINT, limit_cents BIGINT, section VARCHAR"
)


def _buy_ins(sources: Sources) -> Iterator[tuple[date, str, str, int, str]]:
    """Yield the cash buy-ins of the period: gaming day, patron's token, table, cents, and `buy_in`."""
    ledger = sources.rows(
        """
        SELECT stream, seq, gaming_day, table_id, amount_cents FROM stg_ledger
        WHERE kind = 'buy_in' AND reference = 'cash' AND gaming_day BETWEEN $first AND $last
        ORDER BY stream, seq
        """
    )
    corrected = corrected_buyers(sources)
    for (stream,), rows in ledger.group_by("stream", maintain_order=True):
        patrons = buyers(sources.desk.log, str(stream), rows["seq"].to_list())
        for _, seq, day, table, cents in rows.iter_rows():
            yield day, corrected.get((str(stream), seq)) or patrons[seq], table, cents, "buy_in"
