"""Rounds that screening upheld, said as the single path says them: adjudications made from columns.

The law of this file: it decides nothing. What was due stands in the columns; here it gets its paytable, line and section.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import pyarrow as pa

from games.rulebook import Rulebook
from games.wagers import Outcome
from replay.engine import engine
from replay.findings import Adjudication, Settlement, to_bytes
from replay.kernels.face_up import ACE_HIGH_PUSH, FOUL, LOSE, TIE, WIN, Judged
from replay.round_columns import ENVY_WAGERS, SEATS, WAGERS, numbers_of
from replay.settlement import ENVY
from replay.stream import Result

SAID: Final = ("stream", "round_no", "rules", "gaming_day", "shift", "dealer", "opened_at_us", "closed_at_us", "first_seq",
                "last_seq", *(f"bettor_{seat}" for seat in range(1, SEATS + 1)))  # fmt: skip
_BASE: Final = {
    WIN: (Outcome.WIN, "12(a)"), LOSE: (Outcome.LOSE, "11(f)(1)"), TIE: (Outcome.TIE, "11(f)(2)"),
    FOUL: (Outcome.FOUL, "11(f)(1)(iii)"), ACE_HIGH_PUSH: (Outcome.ACE_HIGH_PUSH, "11(f)(2)(iii)"),
}  # fmt: skip
_SECTIONS: Final = {
    "ace_high_bonus": ("12(b)", "11(h)(1)(i)(A)"), "fortune_bonus": ("12(c)", "11(h)(2)(i)(A)"),
    "progressive": ("12(d)", "11(h)(3)(i)(A)"),
}  # fmt: skip
"""The sections by which a wager is paid, and by which it loses."""
_ENVY_SECTION: Final = {"fortune_bonus": "11(h)(2)(ii)", "progressive": "12(d)"}
_IN_ORDER: Final = sorted(range(len(WAGERS)), key=lambda place: (WAGERS[place] != "base", WAGERS[place]))
"""The wagers of a box as settlements name them."""

Ending = tuple[str, str, str]
"""What a wager's line is called, the section, and the paytable."""


class Upheld:
    """Makes the adjudications of rounds that were upheld in columns."""

    def __init__(self, books: Mapping[str, Rulebook]) -> None:
        self._books = books
        self._endings: dict[tuple[str, int, int], Ending] = {}

    def adjudications(self, batch: pa.RecordBatch, judged: Judged, upheld: list[int]) -> Iterator[Result]:
        """Yield the adjudications of the rows of a batch that are upheld."""
        rows = batch.select(SAID).take(pa.array(upheld, pa.int64())).to_pylist()
        columns = (numbers_of(batch, "staked"), judged.due, judged.lines, judged.envy, judged.envy_due, judged.envy_to)
        for row, *money in zip(rows, *(each[upheld].tolist() for each in columns), strict=True):
            yield self._result(row, *money)

    def _result(self, row: dict[str, Any], staked: list[int], due: list[int], lines: list[int], envy: list[int],
                envy_due: list[int], envy_to: list[int]) -> Result:  # fmt: skip
        book = self._books[row["rules"]]
        settlements = [*self._wagers(book, row, staked, due, lines), *self._envy(book, row, envy, envy_due, envy_to)]
        said = Adjudication(
            stream=row["stream"], round_no=row["round_no"], revision=1, supersedes=None,
            as_of={row["stream"]: row["last_seq"]}, engine=engine(), rules_digest=book.digest, submission=book.name,
            game=book.game, chapter=book.chapter.key, gaming_day=row["gaming_day"], shift=row["shift"], dealer=row["dealer"],
            opened_at_us=row["opened_at_us"], closed_at_us=row["closed_at_us"], first_seq=row["first_seq"],
            last_seq=row["last_seq"], verdict="UPHELD", undetermined=(), findings=(), withdrawn=(),
            settlements=tuple(settlements),
        )  # fmt: skip
        return "adjudications", f"{said.stream}#{said.round_no}", to_bytes(said)

    def _wagers(self, book: Rulebook, row: dict[str, Any], staked: list[int], due: list[int], lines: list[int]
                ) -> Iterator[Settlement]:  # fmt: skip
        for seat in range(1, SEATS + 1):
            bettor = row[f"bettor_{seat}"]
            for wager in _IN_ORDER if bettor else ():
                place = seat * len(WAGERS) - len(WAGERS) + wager
                if staked[place]:
                    line, cite, paytable = self._ending(book, wager, lines[place])
                    yield Settlement(
                        seat=seat, wager=WAGERS[wager], number=None, bettor=bettor, paytable=paytable,
                        staked_cents=staked[place], due_cents=due[place], done_cents=due[place], by_slip_cents=0, line=line,
                        cite=cite,
                    )  # fmt: skip

    def _ending(self, book: Rulebook, wager: int, line: int) -> Ending:
        key = book.digest, wager, line
        if key not in self._endings:
            self._endings[key] = _ending(book, WAGERS[wager], line)
        return self._endings[key]

    def _envy(self, book: Rulebook, row: dict[str, Any], envy: list[int], due: list[int], to: list[int]
              ) -> Iterator[Settlement]:  # fmt: skip
        if not any(to):
            return
        for seat in range(1, SEATS + 1):
            for which, wager in enumerate(ENVY_WAGERS):
                paytable = book.offers[wager].paytable if wager in book.offers else None
                hands = [hand for hand in range(SEATS, 0, -1) if to[which * SEATS + hand - 1] >> (seat - 1) & 1]
                if paytable is None or not hands:
                    continue
                cents = sum(due[which * SEATS + hand - 1] for hand in hands)
                names = [paytable.lines[envy[which * SEATS + hand - 1] - 1].hand for hand in hands]
                yield Settlement(
                    seat=seat, wager=ENVY[wager], number=None, bettor=row[f"bettor_{seat}"], paytable=paytable.name,
                    staked_cents=0, due_cents=cents, done_cents=cents, by_slip_cents=0,
                    line=" ".join(f"{name}@{hand}" for name, hand in zip(names, hands, strict=True)),
                    cite=str(book.cite(_ENVY_SECTION[wager])),
                )  # fmt: skip


def _ending(book: Rulebook, wager: str, line: int) -> Ending:
    if wager == "base":
        outcome, section = _BASE[line]
        return str(outcome), str(book.cite(section)), ""
    paytable = book.offers[wager].paytable
    assert paytable is not None, f"{wager} was paid without a paytable"
    paid, lost = _SECTIONS[wager]
    if line:
        return paytable.lines[line - 1].hand, str(book.cite(paid)), paytable.name
    return str(Outcome.LOSE), str(book.cite(lost)), paytable.name
