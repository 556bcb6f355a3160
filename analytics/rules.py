"""The rules at each table: submissions and their history, the return of each wager, and of other paytables.

Invariant: a submission is in force here if it is in a replay; returns are those of `theory.theory`.
"""

from collections.abc import Mapping
from datetime import date

import msgspec
import polars as pl

from analytics.hold import against_theory
from analytics.theory.catalogue import RETURNS
from analytics.theory.expectation import expected_of
from analytics.theory.theory import Return, of_chapter, return_of
from analytics.warehouse.selection import published_editions
from analytics.warehouse.warehouse import Warehouse
from rulebook.chapters.chapters import chapter_edition
from rulebook.chapters.known_editions import KnownEdition, known_editions
from rulebook.chapters.money import show_money
from rulebook.chapters.paytables import PayLine, Paytable
from rulebook.chapters.rulebook import Rulebook, RulesRefused, WagerOffer, parse_submission


class FiledSubmission(msgspec.Struct, frozen=True, kw_only=True):
    """A submission as filed for a table. It judged `rounds` from `first_day` to `last_day` (None: none).

    `day`: the gaming day whose editions apply to it, the last day on which it is or was in force. `published`: the texts of the
    property's amendments. `readings`: by wager, a setting that settles it differently from theory (D421). `state`: `in force`,
    `to come` (its day has not come), `replaced`, or `never used` (replaced before its day, or refused).
    """

    table_id: str
    seq: int
    submission: str
    digest: str
    effective_gaming_day: date
    toml: str
    rounds: int
    first_day: date | None
    last_day: date | None
    state: str
    day: date
    published: tuple[str, ...]
    readings: dict[str, str]


class OfferedWager(msgspec.Struct, frozen=True, kw_only=True):
    """A wager of a submission with its limits and its return; None if that is unknown.

    `reading`: a filed setting that settles it differently from theory, else empty. `together`: the wagers that theory combines
    with it, the first of them with the figures of all.
    """

    wager: str
    paytable: str
    min_cents: int
    max_cents: int
    figures: Return | None
    reading: str = ""
    together: tuple[str, ...] = ()
    lines: "tuple[FiledLine, ...]" = ()


class FiledLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a filed paytable: its payout in words, and its frequency (None: not computed separately)."""

    hand: str
    pays: str
    envy_cents: int
    chance: float | None


class ReadSubmission(msgspec.Struct, frozen=True, kw_only=True):
    """A submission as read: its game, edition (`pa-688a#2`) and title, its wagers, and the other paytables of each."""

    game: str
    chapter: str
    title: str
    offered: list[OfferedWager]
    other_paytables: dict[str, list[str]]


def editions(db: Warehouse) -> list[KnownEdition]:
    """Return the editions of all chapters, the property's own too, and the amendments not held here."""
    return known_editions(published_editions(db))


class WhatIf(msgspec.Struct, frozen=True, kw_only=True):
    """The return of a handle with another paytable, in percent of the handle; of a Progressive, with what its meter pays.

    `other_cents` is the house win on the other paytable. In 95 of 100 such periods, luck moves it by at most `below_cents`
    downward and `above_cents` upward; None if unknown.
    """

    wager: str
    paytable: str
    wagers: int
    handle_cents: int
    advantage_percent: float
    other_paytable: str
    other_advantage_percent: float
    below_cents: int | None = None
    above_cents: int | None = None

    @property
    def theoretical_cents(self) -> int:
        """The theoretical win of the house."""
        return round(self.handle_cents * self.advantage_percent / 100)

    @property
    def other_cents(self) -> int:
        """The theoretical win with the other paytable."""
        return round(self.handle_cents * self.other_advantage_percent / 100)


def filings(db: Warehouse) -> list[FiledSubmission]:
    """Return every filed submission by table, newest first."""
    rows: pl.DataFrame = db.sql(
        """
        WITH latest AS (SELECT stream, max(last_day) AS day FROM mart_rules GROUP BY stream)

        SELECT f.table_id, f.seq, f.submission, f.digest, f.effective_gaming_day, f.toml, coalesce(u.rounds, 0) AS rounds,
            u.first_day, u.last_day, l.day AS today
        FROM fct_filings AS f
        LEFT JOIN mart_rules AS u ON f.stream = u.stream AND f.digest = u.rules_digest
        LEFT JOIN latest AS l ON f.stream = l.stream
        ORDER BY f.table_id, f.seq DESC
        """
    ).pl()
    readings: dict[str, dict[str, str]] = {}
    for digest, wager, reading in db.execute("SELECT digest, wager, reading FROM fct_readings").fetchall():
        readings.setdefault(digest, {})[wager] = reading
    filings: list[FiledSubmission] = []
    published = published_editions(db)
    in_force: set[str] = set()
    for row in rows.iter_rows(named=True):
        today, table = row.pop("today"), row["table_id"]
        if today is not None and row["effective_gaming_day"] > today:
            state = "to come"
        elif table not in in_force and _holds(row["toml"]):
            in_force.add(table)
            state = "in force"
        else:
            state = "replaced" if row["rounds"] else "never used"
        last = today if state == "in force" else row["last_day"]
        day = max(row["effective_gaming_day"], last or row["effective_gaming_day"])
        filings.append(
            FiledSubmission(**row, state=state, day=day, published=published, readings=readings.get(row["digest"], {}))
        )
    return filings


def _holds(toml: str) -> bool:
    """Return whether a submission was accepted and its chapter was ever in force (D14)."""
    try:
        return parse_submission(toml).chapter.in_force
    except RulesRefused:
        return False


def read_filing(filing: FiledSubmission) -> ReadSubmission | str:
    """Return a filing, read by the edition of its day."""
    return read(filing.toml, filing.readings, str(filing.day), filing.published)


def read(toml: str, readings: Mapping[str, str], day: str = "", published: tuple[str, ...] = ()) -> ReadSubmission | str:
    """Return a submission, read with its filing's `readings` and editions, with each wager's return; or why it was refused."""
    try:
        book = parse_submission(toml, day=day, published=published)
    except RulesRefused as error:
        return str(error)
    known = {(each.wager, each.paytable): each for each in of_chapter(book.chapter)}
    offered = [_offered(book, offer, known, readings.get(offer.wager, "")) for offer in book.offers.values()]
    other_paytables = {
        each.wager: [name for name in book.chapter.wagers[each.wager].paytables if name != each.paytable]
        for each in offered
        if each.paytable and each.wager in book.chapter.wagers and not each.reading
    }
    return ReadSubmission(
        game=book.game,
        chapter=book.chapter.edition_key,
        title=book.chapter.title,
        offered=offered,
        other_paytables={wager: names for wager, names in other_paytables.items() if names},
    )


def _offered(
    book: Rulebook, offer: WagerOffer, returns_by_paytable: Mapping[tuple[str, str], Return], reading: str
) -> OfferedWager:
    together = counted_together(book.game)
    return OfferedWager(
        wager=offer.wager,
        paytable=_name(offer),
        min_cents=offer.min_cents,
        max_cents=offer.max_cents,
        figures=None if reading else return_of(book, offer, returns_by_paytable),
        reading=reading,
        together=together if offer.wager in together else (),
        lines=_lines(offer, None if reading else returns_by_paytable.get((offer.wager, _name(offer)))),
    )


def _lines(offer: WagerOffer, figures: Return | None) -> tuple[FiledLine, ...]:
    if offer.paytable is None:
        return ()
    counted = {} if figures is None else figures.lines
    return tuple(
        FiledLine(
            hand=line.hand,
            pays=pays(line, offer.paytable),
            envy_cents=line.envy_cents,
            chance=counted[line.hand] / figures.total if figures is not None and line.hand in counted else None,
        )
        for line in offer.paytable.lines
    )


def pays(line: PayLine, paytable: Paytable) -> str:
    """Return the payout of a line in words, its amounts as `readable` reads them.

    >>> from rulebook.chapters.chapters import chapter
    >>> table = chapter("pa", "688a").paytable("progressive", "1")
    >>> [pays(line, table) for line in table.lines[:3]]
    ['100 % of the meter', '10 % of the meter', '500.00 for 1.00']
    """
    if line.push:
        return "push"
    if line.odds is not None:
        return str(line.odds).replace(":", " to ")
    parts = []
    if line.amount_cents:
        of = f" for {show_money(paytable.wager_cents)}" if paytable.wager_cents else ""
        parts.append(show_money(line.amount_cents) + of)
    if line.meter_bp:
        parts.append(f"{line.meter_bp / 100:g} % of the meter")
    return " and ".join(parts) or "–"


def _name(offer: WagerOffer) -> str:
    return offer.paytable.name if offer.paytable is not None else ""


def counted_together(game: str) -> tuple[str, ...]:
    """Return the wagers of a game that theory combines, the starting one first; empty if it is alone.

    >>> counted_together("over_under"), counted_together("fortune_asia")
    (('ante', 'over', 'under'), ())
    """
    record = RETURNS.get(game)
    return record.combined if record is not None and len(record.combined) > 1 else ()


def handles(db: Warehouse, chapter: str) -> dict[tuple[str, str], tuple[int, int]]:
    """Return (wager, paytable) → the house's settled wagers and their handle, of those settled by theory's reading (D421)."""
    rows = db.execute(
        """
        SELECT wager, coalesce(paytable, ''), sum(house_wagers)::BIGINT, sum(handle_cents)::BIGINT FROM mart_hold_wager
        WHERE chapter = ? AND theory_wager = wager GROUP BY ALL HAVING sum(handle_cents) > 0
        """,
        [chapter],
    ).fetchall()
    return {(wager, paytable): (wagers, handle) for wager, paytable, wagers, handle in rows}


def what_if_anywhere(db: Warehouse, submission: ReadSubmission, wager: str, other_paytable: str) -> list[WhatIf]:
    """Return `what_if` of each other paytable that any table of the chapter had for the wager."""
    made = sorted(paytable for of, paytable in handles(db, submission.chapter) if of == wager and paytable != other_paytable)
    answers = (what_if(db, submission, wager, other_paytable, paytable) for paytable in made)
    return [answer for answer in answers if answer is not None]


def what_if(
    db: Warehouse, submission: ReadSubmission, wager: str, other_paytable: str, paytable: str | None = None
) -> WhatIf | None:
    """Return the return on another paytable of the wagers made on a submission's; None if unknown.

    With `paytable`, the wagers are those made on that one. They are the wagers of all tables of the edition that had it. The
    figure is an expectation for the same wagers; patrons who see another paytable may wager differently.
    """
    published = published_editions(db)
    edition = chapter_edition(submission.chapter, published)
    known = {} if edition is None else {(each.wager, each.paytable): each for each in of_chapter(edition)}
    if paytable is None:
        paytable = next((each.paytable for each in submission.offered if each.wager == wager and not each.reading), "")
    now, then = known.get((wager, paytable)), known.get((wager, other_paytable))
    handle = handles(db, submission.chapter).get((wager, paytable))
    if now is None or then is None or handle is None:
        return None
    below, above = _reach(db, submission, wager, paytable, other_paytable)
    return WhatIf(
        wager=wager,
        paytable=paytable,
        wagers=handle[0],
        handle_cents=handle[1],
        advantage_percent=now.house_advantage_percent,
        other_paytable=other_paytable,
        other_advantage_percent=then.house_advantage_percent,
        below_cents=below,
        above_cents=above,
    )


def _reach(db: Warehouse, submission: ReadSubmission, wager: str, made: str, other: str) -> tuple[int | None, int | None]:
    """Return the reach of luck below and above the mean house win of these wagers on another paytable (95 %), in cents."""
    published = published_editions(db)
    filed, then = (expected_of(submission.chapter, wager, paytable, published) for paytable in (made, other))
    band = None if filed is None or then is None else against_theory.band_on(db, submission.game, filed, then)
    return (None, None) if band is None else (round(band.expected - band.low_95), round(band.high_95 - band.expected))
