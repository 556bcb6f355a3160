"""Adjudications of rounds that screening upheld, written from columns as event replay writes them.

The law of this file: it decides nothing and is pure. What was due stands in the columns; here a wager gets its paytable, its
line and its section.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import pyarrow as pa

from games.rulebook.rulebook import Rulebook
from games.settlement.wagers import Outcome
from replay.columns.catalogue import columns_of, games_in_columns
from replay.columns.game_columns import GameColumns, Row
from replay.columns.kernels.screening_result import COVERED_IN_PART, NOT_COVERED, ScreeningResult
from replay.columns.row_schemas import ENVY_WAGERS, SEATS, RowSchema, numbers_of
from replay.findings import Adjudication, Settlement, to_bytes
from replay.run.engine import engine
from replay.run.stream_worker import Result
from replay.settlement.stakes import ENVY

_IN_EVERY_GAME: Final = (
    "stream",
    "round_no",
    "rules",
    "gaming_day",
    "shift",
    "dealer",
    "opened_at_us",
    "closed_at_us",
    "first_seq",
    "last_seq",
    *(f"bettor_{seat}" for seat in range(1, SEATS + 1)),
)
_ENVY_SECTION: Final = {"fortune_bonus": "11(h)(2)(ii)", "progressive": "12(d)"}

LineName = tuple[str, str, str]
"""What the line of a settlement is called, its section, and its paytable."""


def adjudication_columns() -> tuple[str, ...]:
    """Return the columns of which adjudications are made; no game has all of them."""
    further = (name for game in games_in_columns() for name in game.adjudication_columns)
    return tuple(dict.fromkeys((*_IN_EVERY_GAME, *further)))


class AdjudicationWriter:
    """Writes the adjudications of rounds that were upheld in columns; `books`: the rules in force by digest."""

    def __init__(self, books: Mapping[str, Rulebook]) -> None:
        self._books = books
        self._lines: dict[tuple[str, str, int], LineName] = {}
        self._orders: dict[str, list[int]] = {}

    def adjudications(self, batch: pa.RecordBatch, result: ScreeningResult, upheld: list[int]) -> Iterator[Result]:
        """Yield the adjudications of the rows of a batch that are upheld (their places), in this order."""
        columns = batch.select([name for name in adjudication_columns() if name in batch.schema.names])
        rows = columns.take(pa.array(upheld, pa.int64())).to_pylist()
        arrays = (numbers_of(batch, "staked"), result.due, result.lines, result.envy, result.envy_due, result.envy_to)
        for row, *numbers in zip(rows, *(array[upheld].tolist() for array in arrays), strict=True):
            yield self._adjudication(row, *numbers)

    def _adjudication(
        self,
        row: Row,
        staked: list[int],
        due: list[int],
        lines: list[int],
        envy: list[int],
        envy_due: list[int],
        envy_to: list[int],
    ) -> Result:
        book = self._books[row["rules"]]
        game = columns_of(book.game)
        assert game is not None, "only rounds of a game in the catalogue are upheld in columns"
        wagers = self._wagers(book, game, row, staked, due, lines)
        adjudication = Adjudication(
            stream=row["stream"],
            round_no=row["round_no"],
            revision=1,
            supersedes=None,
            as_of={row["stream"]: row["last_seq"]},
            engine=engine(),
            rules_digest=book.digest,
            submission=book.name,
            game=book.game,
            chapter=book.chapter.key,
            gaming_day=row["gaming_day"],
            shift=row["shift"],
            dealer=row["dealer"],
            opened_at_us=row["opened_at_us"],
            closed_at_us=row["closed_at_us"],
            first_seq=row["first_seq"],
            last_seq=row["last_seq"],
            verdict="UPHELD",
            undetermined=(),
            findings=(),
            withdrawn=(),
            settlements=(*wagers, *_envy_bonuses(book, game, row, envy, envy_due, envy_to)),
        )
        return "adjudications", f"{adjudication.stream}#{adjudication.round_no}", to_bytes(adjudication)

    def _wagers(
        self, book: Rulebook, game: GameColumns, row: Row, staked: list[int], due: list[int], lines: list[int]
    ) -> list[Settlement]:
        """Return the settlements of all wagers, by seat, then in the order of the settlements of a box."""
        slots, order, settlements = game.schema.slots, self._order(game), []
        for seat in range(1, game.schema.seats + 1):
            for number in order if row[f"bettor_{seat}"] else ():
                place, slot = (seat - 1) * len(slots) + number, slots[number]
                if not staked[place]:
                    continue
                line, cite, paytable = self._line(book, game, slot.wager, lines[place])
                settlements.append(
                    Settlement(
                        seat=seat,
                        wager=slot.wager,
                        number=slot.number,
                        bettor=game.bettor_of(row, seat, number),
                        paytable=paytable,
                        staked_cents=staked[place],
                        due_cents=due[place],
                        done_cents=due[place],
                        by_slip_cents=0,
                        line=line,
                        cite=cite,
                    )
                )
        if len(set(slots)) < len(slots):  # several patrons on one wager of a seat: settlements go by their names
            settlements.sort(key=lambda made: (made.seat, made.wager != slots[0].wager, made.wager, made.bettor))
        return settlements

    def _order(self, game: GameColumns) -> list[int]:
        if game.name not in self._orders:
            self._orders[game.name] = settlement_order(game.schema)
        return self._orders[game.name]

    def _line(self, book: Rulebook, game: GameColumns, wager: str, line: int) -> LineName:
        key = book.digest, wager, line
        if key not in self._lines:
            self._lines[key] = _name_line(book, game, wager, line)
        return self._lines[key]


def settlement_order(schema: RowSchema) -> list[int]:
    """Return the slots of a box in the order in which settlements name them: the first wager, then by name and number."""
    first = schema.slots[0].wager
    return sorted(
        range(len(schema.slots)),
        key=lambda at: (schema.wagers[at] != first, schema.wagers[at], schema.slots[at].number or 0),
    )


def _envy_bonuses(
    book: Rulebook, game: GameColumns, row: Row, envy: list[int], due: list[int], to: list[int]
) -> Iterator[Settlement]:
    if not any(to):
        return
    seats = game.schema.seats
    order = game.envy_order(row, seats)
    for seat in range(1, seats + 1):
        for which, wager in enumerate(ENVY_WAGERS):
            paytable = book.offers[wager].paytable if wager in book.offers else None
            hands = [hand for hand in order if to[which * seats + hand - 1] >> (seat - 1) & 1]
            if paytable is None or not hands:
                continue
            cents = sum(due[which * seats + hand - 1] for hand in hands)
            names = [paytable.lines[envy[which * seats + hand - 1] - 1].hand for hand in hands]
            yield Settlement(
                seat=seat,
                wager=ENVY[wager],
                number=None,
                bettor=row[f"bettor_{seat}"],
                paytable=paytable.name,
                staked_cents=0,
                due_cents=cents,
                done_cents=cents,
                by_slip_cents=0,
                line=" ".join(f"{name}@{hand}" for name, hand in zip(names, hands, strict=True)),
                cite=str(book.cite(_ENVY_SECTION[wager])),
            )


def _name_line(book: Rulebook, game: GameColumns, wager: str, line: int) -> LineName:
    """Return what the line number of a wager is called, with its section and its paytable."""
    outcomes, paytable = game.outcomes.outcomes.get(wager, {}), book.offers[wager].paytable
    if game.outcomes.uncovered and line >= COVERED_IN_PART:
        by_hands = line % COVERED_IN_PART
        outcome, _, name = _name_line(book, game, wager, by_hands)
        if line >= NOT_COVERED and (not by_hands or by_hands in outcomes):
            outcome = str(Outcome.UNCOVERED)
        return outcome, str(book.cite(game.outcomes.uncovered)), name
    name = paytable.name if paytable is not None else ""
    if line in outcomes:
        outcome, section = outcomes[line]
        return str(outcome), str(book.cite(section)), name
    paid, lost = game.outcomes.sections[wager]
    if not line:
        return str(Outcome.LOSE), str(book.cite(lost)), name
    return paytable.lines[line - 1].hand if paytable is not None else wager, str(book.cite(paid)), name
