"""Find the round that a patron remembers: by table, gaming day, time, seat and cards, the likeliest first.

Invariant: memory errs. Only table, gaming day and number exclude rounds; time, seat, wager, amount and cards put them in order,
and each answer states what agrees and what does not. A round with any disagreement does not fit, but may nearly fit.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
import polars as pl

from analytics.search.remembered import CardSeen, TimeTyped
from analytics.warehouse.floor_data import property_facts
from analytics.warehouse.warehouse import Warehouse

Complaint = Literal["short", "over", "wrong"]
"""A patron's complaint: paid too little, paid too much, or paid wrong without further detail."""

HANDS: Mapping[str, str] = {
    "both ace high": "^both_ace_high",
    "dealer ace high": "^(both_ace_high|dealer_ace_high|ace_high_push)",
    "five aces": "^five_(aces|of_a_kind)",
    "royal flush": "royal_flush",
    "royal match": "royal_match",
    "straight flush": "straight_flush",
    "four of a kind": "four_of_a_kind",
    "full house": "full_house",
    "flush": "^(natural_)?flush",
    "straight": "^(natural_)?straight(_with_wild)?$",
    "three of a kind": "^(natural_)?three_of_a_kind(_with_wild)?$",
    "three pairs": "three_pair",
}
"""Hand as people call it → the lines of bonus paytables that it makes (a regular expression)."""

LOOKED_AT = 400
"""Rounds that the cards are compared with one by one, the likeliest by table, time and card ranks."""

FIT_MINUTES = 45
"""A round within this many minutes of the time remembered fits it; people say "around nine"."""
NEAR_MINUTES = 120
"""A time within this many minutes nearly fits."""

MINUTE_US = 60_000_000


class Remembered(msgspec.Struct, frozen=True, kw_only=True):
    """The patron's memory (None or empty: not remembered); `paid_cents` is their account, `hand` one of `sentence.HANDS`."""

    table: str | None = None
    gaming_day: date | None = None
    time: TimeTyped | None = None
    seat: int | None = None
    wager: str | None = None
    amount_cents: int | None = None
    paid_cents: int | None = None
    hand: str | None = None
    complaint: Complaint | None = None
    round_no: int | None = None
    cards: Sequence[CardSeen] = ()

    @property
    def says_little(self) -> bool:
        """Whether only table and gaming day are remembered."""
        told = (self.time, self.seat, self.wager, self.amount_cents, self.paid_cents, self.hand, self.complaint, self.round_no)
        return not self.cards and all(each is None for each in told)


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A round that the patron may mean. `cards_at` is the position whose hand agrees best, in `matched` cards.

    `minutes_off` is the distance of the remembered time from the round (0 within it); None without a time. `seat_played` says
    whether the remembered seat had a wager, `wager_played` whether it had the remembered wager, `amount_seen` whether the amount
    was staked, due, won, lost or short (of the wager, at the seat), `paid_seen` whether it was paid, `hand_seen` whether the hand
    was made there; None if not remembered. `is_wrong`: there is a finding with wrong money in the direction of the complaint, or
    in either without one.
    """

    stream: str
    table_id: str
    round_no: int
    gaming_day: date
    opened_at_us: int
    closed_at_us: int
    game: str
    verdict: str
    findings: int
    minutes_off: int | None
    seat_played: bool | None
    wager_played: bool | None
    amount_seen: bool | None
    paid_seen: bool | None = None
    hand_seen: bool | None = None
    is_wrong: bool = False
    cards_at: str | None
    hand: tuple[str, ...]
    matched: int
    score: float


def find(db: Warehouse, statement: Remembered, limit: int = 12) -> list[Candidate]:
    """Return the rounds that agree best with the memory, best first; empty if neither table nor day is known."""
    if statement.table is None and statement.gaming_day is None:
        return []
    rows = _rounds(db, statement)
    hands = _hands(db, rows) if statement.cards else {}
    candidates = [_candidate(row, hands.get((row["stream"], row["round_no"]), {}), statement) for row in rows]
    return sorted(candidates, key=lambda c: (-c.score, c.opened_at_us, c.table_id))[:limit]


def wagers(db: Warehouse) -> list[str]:
    """Return the wagers that were played, sorted."""
    rows = db.sql("SELECT DISTINCT wager FROM fct_wagers WHERE wager IS NOT NULL ORDER BY wager").fetchall()
    return [wager for (wager,) in rows]


class Sorted(msgspec.Struct, frozen=True, kw_only=True):
    """The rounds that fit the memory, and those that nearly do, each best first."""

    fits: tuple[Candidate, ...]
    nearly: tuple[Candidate, ...]


def sort_out(found: Sequence[Candidate], statement: Remembered) -> Sorted:
    """Separate rounds that agree in everything from those that nearly do; leave out the rest.

    A round nearly fits if it disagrees in one thing and was played within `NEAR_MINUTES` or has all of two or more remembered
    cards.
    """
    fits = tuple(each for each in found if not disagreements(each, statement))
    if fits:
        return Sorted(fits=fits, nearly=())
    return Sorted(fits=(), nearly=tuple(each for each in found if _nearly(each, statement)))


def disagreements(found: Candidate, statement: Remembered) -> list[str]:
    """Return a round's disagreements with the memory: `cards`, `time`, `seat`, `wager`, `amount`, `paid`, `hand`."""
    parts = {
        "cards": bool(statement.cards) and (found.matched < len(statement.cards) or _elsewhere(found, statement)),
        "time": found.minutes_off is not None and found.minutes_off > FIT_MINUTES,
        "seat": found.seat_played is False,
        "wager": found.wager_played is False and found.seat_played is not False,
        "amount": found.amount_seen is False and found.seat_played is not False,
        "paid": found.paid_seen is False and found.seat_played is not False,
        "hand": found.hand_seen is False and found.seat_played is not False,
    }
    return [name for name, differs in parts.items() if differs]


def _elsewhere(found: Candidate, statement: Remembered) -> bool:
    return statement.seat is not None and found.cards_at != str(statement.seat)


def _nearly(found: Candidate, statement: Remembered) -> bool:
    differs = disagreements(found, statement)
    others = (statement.time, statement.seat, statement.wager, statement.amount_cents, statement.paid_cents, statement.hand)
    remembered = [*others, statement.cards or None]
    if found.minutes_off is not None and found.minutes_off > NEAR_MINUTES:
        return found.matched == len(statement.cards) >= 2
    if len(differs) != 1:
        return False
    if differs == ["cards"]:
        return found.matched > 0
    return differs == ["time"] or sum(each is not None for each in remembered) > 1


def hand_agrees(hand: Sequence[str], cards: Sequence[CardSeen]) -> int:
    """Return how many remembered cards are in a hand; each card of the hand counts once, whole cards before ranks.

    >>> hand_agrees(("As", "Kd", "Kh"), (CardSeen("A", "s"), CardSeen("K", ""), CardSeen("K", ""), CardSeen("", "h")))
    3
    """
    left, agreed = list(hand), 0
    for card in sorted(cards, key=lambda c: (not c.code, not c.rank)):
        hit = next((held for held in left if _agrees(held, card)), None)
        if hit is not None:
            left.remove(hit)
            agreed += 1
    return agreed


def _agrees(card_held: str, card: CardSeen) -> bool:
    if card.code:
        return card_held == card.code
    return card_held[0] == card.rank if card.rank else card_held[1:] == card.suit


def instants(day: date | None, at: TimeTyped | None, zone: str) -> list[int]:
    """Return the moments (UTC microseconds) of a time on a gaming day, past midnight and with the clock put back, too."""
    if day is None or at is None:
        return []
    try:
        local: Any = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        local = UTC
    minutes = {at.minutes, (at.minutes + 720) % 1440} if at.either_half else {at.minutes}
    instants = {
        int(datetime.combine(day + timedelta(days=days), time(m // 60, m % 60, fold=fold), local).timestamp() * 1_000_000)
        for days in (0, 1)
        for m in minutes
        for fold in (0, 1)
    }
    return sorted(instants)


def _moments(db: Warehouse, statement: Remembered) -> list[int]:
    """Return the moments that the remembered time can mean, on the remembered gaming day or any day of the table."""
    if statement.time is None:
        return []
    zone = property_facts(db).time_zone
    if statement.gaming_day is not None:
        return instants(statement.gaming_day, statement.time, zone)
    days = db.sql(
        "SELECT DISTINCT gaming_day FROM fct_rounds WHERE table_id = $table", params={"table": statement.table}
    ).fetchall()
    return sorted({moment for (day,) in days for moment in instants(day, statement.time, zone)})


def _rounds(db: Warehouse, statement: Remembered) -> list[dict[str, Any]]:
    """Return the rounds of the table and day, nearest in time and with most remembered ranks first."""
    return list(
        db.sql(
            """
            WITH near AS MATERIALIZED (
                SELECT
                    stream, table_id, round_no, gaming_day, opened_at_us, closed_at_us, game, verdict, findings,
                    list_min(list_transform(
                        $instants::BIGINT[],
                        lambda i: greatest(opened_at_us - i - $spread::BIGINT, i - closed_at_us - $spread::BIGINT, 0)
                    )) AS off_us
                FROM fct_rounds
                WHERE ($table::VARCHAR IS NULL OR table_id = $table)
                    AND ($day::DATE IS NULL OR gaming_day = $day)
                    AND ($round::BIGINT IS NULL OR round_no = $round)
            ),

            held AS (
                SELECT stream, round_no, max(len(list_intersect(cards, $codes::VARCHAR[]))) AS codes,
                    max(len(list_intersect(list_transform(cards, lambda c: c[1]), $ranks::VARCHAR[]))) AS ranks
                FROM fct_cards_seen SEMI JOIN near USING (stream, round_no)
                WHERE ($table::VARCHAR IS NULL OR stream = 'table/' || $table)
                    AND len($codes::VARCHAR[]) + len($ranks::VARCHAR[]) > 0
                GROUP BY stream, round_no
            ),

            played AS (
                SELECT stream, round_no, true AS seat_played,
                    bool_or(wager = $wager) AS wager_played,
                    bool_or(
                        ($wager::VARCHAR IS NULL OR wager = $wager)
                        AND $amount::BIGINT IN (
                            staked_cents, abs(due_cents), abs(done_cents), abs(difference_cents), staked_cents + due_cents,
                            staked_cents + done_cents
                        )
                    ) AS amount_seen,
                    bool_or(
                        ($wager::VARCHAR IS NULL OR wager = $wager)
                        AND $paid::BIGINT IN (done_cents, staked_cents + done_cents)
                    ) AS paid_seen,
                    bool_or(
                        ($wager::VARCHAR IS NULL OR wager = $wager) AND regexp_matches(line, $hand::VARCHAR)
                    ) AS hand_seen,
                    bool_or(
                        ($wager::VARCHAR IS NULL OR wager = $wager) AND CASE $complaint::VARCHAR
                            WHEN 'short' THEN difference_cents < 0
                            WHEN 'over' THEN difference_cents > 0
                            ELSE difference_cents <> 0
                        END
                    ) AS is_wrong
                FROM fct_wagers
                WHERE ($seat::INTEGER IS NULL OR seat = $seat)
                    AND ($table::VARCHAR IS NULL OR table_id = $table)
                    AND ($day::DATE IS NULL OR gaming_day = $day)
                GROUP BY stream, round_no
            )

            SELECT near.*, coalesce(seat_played, false) AS seat_played, coalesce(wager_played, false) AS wager_played,
                coalesce(amount_seen, false) AS amount_seen, coalesce(paid_seen, false) AS paid_seen,
                coalesce(hand_seen, false) AS hand_seen, coalesce(is_wrong, false) AS is_wrong
            FROM near
            LEFT JOIN held USING (stream, round_no)
            LEFT JOIN played USING (stream, round_no)
            ORDER BY
                coalesce(codes, 0) * 2 + coalesce(ranks, 0) + coalesce(amount_seen, false)::INTEGER * 3
                + coalesce(wager_played, false)::INTEGER + coalesce(paid_seen, false)::INTEGER * 3
                + coalesce(hand_seen, false)::INTEGER * 3 + coalesce(is_wrong, false)::INTEGER * 3
                - coalesce(off_us, 0) / 6e8 DESC, opened_at_us, table_id
            LIMIT $limit
            """,
            params={
                "table": statement.table,
                "day": statement.gaming_day,
                "seat": statement.seat,
                "wager": statement.wager,
                "amount": statement.amount_cents,
                "paid": statement.paid_cents,
                "hand": None if statement.hand is None else HANDS[statement.hand],
                "complaint": statement.complaint,
                "spread": 0 if statement.time is None else statement.time.spread * MINUTE_US,
                "round": statement.round_no,
                "instants": _moments(db, statement),
                "codes": [card.code for card in statement.cards if card.code],
                "ranks": sorted({card.rank for card in statement.cards if card.rank and not card.code}),
                "limit": LOOKED_AT,
            },
        )
        .pl()
        .iter_rows(named=True)
    )


def _hands(db: Warehouse, rows: Sequence[dict[str, Any]]) -> dict[tuple[str, int], dict[str, tuple[str, ...]]]:
    """The hands of these rounds: (stream, round) → position → cards."""
    keys = pl.DataFrame(
        {"stream": [row["stream"] for row in rows], "round_no": [row["round_no"] for row in rows]},
        schema={"stream": pl.String, "round_no": pl.Int64},
    ).to_arrow()
    db.register("looked_at", keys)
    try:
        hands: dict[tuple[str, int], dict[str, tuple[str, ...]]] = {}
        for stream, round_no, position, cards in db.sql(
            "SELECT stream, round_no, position, cards FROM fct_cards_seen INNER JOIN looked_at USING (stream, round_no)"
        ).fetchall():
            hands.setdefault((stream, round_no), {})[position] = tuple(cards)
        return hands
    finally:
        db.unregister("looked_at")


def _candidate(row: dict[str, Any], hands: dict[str, tuple[str, ...]], statement: Remembered) -> Candidate:
    """Return a round with its points.

    All cards give three points (a little less at another seat), the time one, seat and wager half each, each amount and the hand
    one and a half; wrong money as in the complaint gives the most.
    """
    own = None if statement.seat is None else str(statement.seat)
    at, matched = None, 0
    for position in sorted(hands, key=lambda p: (p != own, p)):
        agreed = hand_agrees(hands[position], statement.cards)
        if agreed > matched:
            at, matched = position, agreed
    minutes = None if row["off_us"] is None else round(row["off_us"] / MINUTE_US)
    score = 3.0 * matched / len(statement.cards) if statement.cards else 0.0
    if matched and own is not None and at != own:
        score *= 0.8
    if minutes is not None:
        score += 1 / (1 + minutes / 10)
    asked: dict[str, object] = {
        "seat_played": statement.seat,
        "wager_played": statement.wager,
        "amount_seen": statement.amount_cents,
    }
    asked |= {"paid_seen": statement.paid_cents, "hand_seen": statement.hand}
    agrees = {name: None if told is None else bool(row[name]) for name, told in asked.items()}
    wrong = (2.5 if statement.complaint else 0.5) if row["is_wrong"] else 0.0
    return Candidate(
        **{name: value for name, value in row.items() if name != "off_us"} | agrees,
        minutes_off=minutes,
        cards_at=at,
        hand=hands.get(at or "", ()),
        matched=matched,
        score=score
        + sum(0.5 for name in ("seat_played", "wager_played") if agrees[name])
        + sum(1.5 for name in ("amount_seen", "paid_seen", "hand_seen") if agrees[name])
        + wrong,
    )
