"""A search for a round in words, for the page and the command line: the meaning of the sentence, the details that match a
round, and those that do not.

Invariant: if no round fits, the answer says so; a near match is labeled as such and shows its differences.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta, tzinfo

import msgspec

from analytics.search import disputes
from analytics.search.disputes import Candidate, Complaint, Remembered, Sorted
from analytics.search.remembered import CardSeen, TimeTyped, part_of_day
from analytics.search.sentence import ParsedSentence, read_sentence
from analytics.search.vocabulary import WEEKDAYS
from analytics.warehouse import floor_data
from analytics.warehouse.warehouse import Warehouse
from replay.narrative.names import (
    RANKS,
    SUITS,
    amount,
    cards_short,
    day_words,
    listed,
    minute_words,
    plural,
    table_name,
    wager_name,
)

MIDNIGHT = 360

COMPLAINT_WORDS: Mapping[Complaint, str] = {"short": "paid too little", "over": "paid too much", "wrong": "paid wrong"}
"""A patron's complaint, in words."""


class RoundSearch(msgspec.Struct, frozen=True, kw_only=True):
    """The parsed sentence, and the rounds that match it exactly or nearly."""

    said: ParsedSentence
    remembered: Remembered
    rounds: Sorted


def search(db: Warehouse, text: str, today: date) -> RoundSearch:
    """Return a sentence's meaning and matches; `today` is the present gaming day. Raises the warehouse's errors."""
    said = read(db, text, today)
    remembered = remembered_of(said)
    found = [] if said.is_empty else disputes.find(db, remembered, limit=disputes.LOOKED_AT)
    return RoundSearch(said=said, remembered=remembered, rounds=disputes.sort_out(found, remembered))


def read(db: Warehouse, text: str, today: date) -> ParsedSentence:
    """Return the meaning of a sentence; if it names neither table nor day, it is the newest gaming day, with a note."""
    days = floor_data.gaming_days(db)
    said = read_sentence(
        text,
        tables=floor_data.tables(db),
        days=days,
        wagers=disputes.wagers(db),
        today=today,
        currency=floor_data.property_facts(db).currency,
    )
    if said.is_empty or not days or said.table is not None or said.day is not None:
        return said
    return msgspec.structs.replace(said, day=days[0], notes=(*said.notes, "no day was named: this is the newest one"))


def remembered_of(said: ParsedSentence) -> Remembered:
    """Return a sentence's meaning in the form of the search."""
    return Remembered(
        table=said.table,
        gaming_day=said.day,
        time=said.time,
        seat=said.seat,
        wager=said.wager,
        amount_cents=said.amount_cents,
        paid_cents=said.paid_cents,
        hand=said.hand,
        complaint=said.complaint,
        round_no=said.round_no,
        cards=said.seen,
    )


def understood(said: Remembered, currency: str) -> list[str]:
    """Return the search terms in words."""
    parts = []
    if said.table is not None:
        parts.append(f"table {table_name(said.table)}")
    if said.round_no is not None:
        parts.append(f"round {said.round_no:,}")
    if said.gaming_day is not None:
        parts.append(f"gaming day {day_words(said.gaming_day)}")
    if said.time is not None:
        parts.append(_time(said.time, said.gaming_day))
    if said.seat is not None:
        parts.append(f"seat {said.seat}")
    if said.wager is not None:
        parts.append(wager_name(said.wager))
    if said.amount_cents is not None:
        parts.append(amount(said.amount_cents, currency))
    if said.paid_cents is not None:
        parts.append(f"{amount(said.paid_cents, currency)} paid")
    if said.hand is not None:
        parts.append(said.hand)
    if said.complaint is not None:
        parts.append(COMPLAINT_WORDS[said.complaint])
    if said.cards:
        parts.append("cards " + ", ".join(card_said(card) for card in said.cards))
    return parts


def _time(time: TimeTyped, day: date | None) -> str:
    if part := part_of_day(time):
        return part
    hour, minute = divmod(time.minutes, 60)
    words = f"around {hour:02d}:{minute:02d}" + (f" or {(hour + 12) % 24:02d}:{minute:02d}" if time.either_half else "")
    after = day is not None and not time.either_half and time.minutes < MIDNIGHT
    return f"{words} in the morning of {day_words(day + timedelta(days=1))}" if after and day is not None else words


def card_said(card: CardSeen) -> str:
    """Return in words which card the search looks for.

    >>> card_said(CardSeen("A", "s")), card_said(CardSeen("K", "")), card_said(CardSeen("", "h"))
    ('A♠', 'a king', 'one of hearts')
    """
    if card.code:
        return cards_short([card.code])
    return f"a{'n' if card.rank in 'A8' else ''} {RANKS[card.rank]}" if card.rank else f"one of {SUITS[card.suit]}"


def agreement(found: Candidate, said: Remembered, currency: str) -> list[tuple[bool, str]]:
    """Return each search term and whether the round agrees with it, in words."""
    parts: list[tuple[bool, str]] = []
    if said.cards:
        parts.append(_cards_agree(found, said))
    if found.minutes_off is not None:
        fits = found.minutes_off <= disputes.FIT_MINUTES
        parts.append((fits, "at that time" if found.minutes_off == 0 else f"{apart(found.minutes_off)} off"))
    if found.seat_played is not None:
        parts.append((found.seat_played, f"seat {said.seat} {'played' if found.seat_played else 'had no wager'}"))
    at = "" if said.seat is None else f" at seat {said.seat}"
    if said.wager is not None and found.wager_played is not None:
        parts.append((found.wager_played, f"{'' if found.wager_played else 'no '}{wager_name(said.wager)}{at}"))
    if said.amount_cents is not None and found.amount_seen is not None:
        parts.append((found.amount_seen, f"{'' if found.amount_seen else 'no '}{amount(said.amount_cents, currency)}{at}"))
    if said.paid_cents is not None and found.paid_seen is not None:
        paid = amount(said.paid_cents, currency)
        parts.append((found.paid_seen, f"{paid} {'' if found.paid_seen else 'not '}paid{at}"))
    if said.hand is not None and found.hand_seen is not None:
        parts.append((found.hand_seen, f"{'' if found.hand_seen else 'no '}{said.hand}{at}"))
    if said.complaint is not None:
        words = COMPLAINT_WORDS[said.complaint]
        parts.append((found.is_wrong, f"{words}{at}" if found.is_wrong else f"not {words}{at}, by the record"))
    return parts


def example(db: Warehouse, zone: tzinfo, currency: str) -> str:
    """Return an example complaint about the newest underpaid wager, in a patron's words, or an empty text."""
    rows = db.sql(
        """
        SELECT w.table_id, w.seat, w.wager, w.staked_cents, w.gaming_day, r.opened_at_us
        FROM fct_wagers AS w INNER JOIN fct_rounds AS r USING (stream, round_no)
        WHERE w.difference_cents < 0 AND w.staked_cents > 0
            AND w.gaming_day = (SELECT max(gaming_day) FROM fct_wagers WHERE difference_cents < 0 AND staked_cents > 0)
        ORDER BY r.opened_at_us DESC, w.seat LIMIT 1
        """
    ).fetchall()
    for table, seat, wager, staked_cents, day, opened_at_us in rows:
        at = datetime.fromtimestamp(opened_at_us / 1e6, zone)
        clock = f"{at.hour % 12 or 12}:{at.minute:02d} {'am' if at.hour < 12 else 'pm'}"
        stake = amount(staked_cents, currency).removesuffix(".00")
        return (
            f"seat {seat} at {table_name(table)}, {WEEKDAYS[day.weekday()].capitalize()} around {clock}, "
            f"{stake} on the {wager_name(wager)}, was paid short"
        )
    return ""


def _cards_agree(found: Candidate, said: Remembered) -> tuple[bool, str]:
    every = found.matched == len(said.cards)
    words = "all cards" if every and len(said.cards) > 1 else f"{found.matched} of {plural(len(said.cards), 'card')}"
    elsewhere = said.seat is not None and found.matched and found.cards_at != str(said.seat)
    where = f", but at {'the dealer' if found.cards_at == 'dealer' else f'seat {found.cards_at}'}" if elsewhere else ""
    return every and not elsewhere, words + where


def apart(minutes: int) -> str:
    """Return the distance of two times.

    >>> apart(1), apart(119), apart(700)
    ('1 minute', '119 minutes', '11 h 40 min')
    """
    return plural(minutes, "minute") if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"


def outcome(
    rounds: Sorted, remembered: Remembered, played: tuple[int, int] | None, zone: tzinfo, ignored: Sequence[str] = ()
) -> str:
    """Return the result in a sentence; `played` is the time from the first to the last round there (UTC microseconds).

    No round is called a match if words were ignored.
    """
    if rounds.fits and ignored:
        words = listed(f"“{word}”" for word in ignored)
        agree = plural(len(rounds.fits), "round agrees", "rounds agree")
        return f"{agree} with what was understood; {words} {'was' if len(ignored) == 1 else 'were'} ignored."
    if rounds.fits:
        return f"{plural(len(rounds.fits), 'round fits', 'rounds fit')}."
    if remembered.table is None and remembered.gaming_day is None:
        return "Name a table or a gaming day: without one there is nothing to search."
    if rounds.nearly:
        return f"No round fits. {plural(len(rounds.nearly), 'round nearly does', 'rounds nearly do')}."
    where = "" if remembered.table is None else f" at {table_name(remembered.table)}"
    on = "" if remembered.gaming_day is None else f" on gaming day {day_words(remembered.gaming_day)}"
    if played is None:
        return f"No round fits, and none was played{where}{on}."
    bounds = [datetime.fromtimestamp(at / 1e6, zone) for at in played]
    on_day = remembered.gaming_day is None
    between = "from " + " to ".join(minute_words(at) + (f" on {day_words(at)}" if on_day else "") for at in bounds)
    return f"No round fits, and none nearly does. Rounds were played{where}{on} {between}."


def played_between(db: Warehouse, remembered: Remembered) -> tuple[int, int] | None:
    """Return the beginning of the first and the end of the last round of the table and day; None if there are none."""
    bounds = db.sql(
        """
        SELECT min(opened_at_us), max(closed_at_us) FROM fct_rounds
        WHERE ($table::VARCHAR IS NULL OR table_id = $table) AND ($day::DATE IS NULL OR gaming_day = $day)
        """,
        params={"table": remembered.table, "day": remembered.gaming_day},
    ).pl()
    first, last = bounds.row(0)
    return None if first is None or last is None else (first, last)


def heading(found: Candidate) -> str:
    """Return the name of a found round."""
    return f"{table_name(found.table_id)} · Round {found.round_no:,}"


def seat_meant(found: Candidate, said: Remembered) -> int | None:
    """Return the seat to answer for: where the cards are, else the named seat."""
    if found.cards_at is not None and found.cards_at.isdecimal():
        return int(found.cards_at)
    return said.seat if found.seat_played else None


def shown(rounds: Sorted, most: int) -> Sequence[Candidate]:
    """Return the rounds to show, best first."""
    return (rounds.fits or rounds.nearly)[:most]
