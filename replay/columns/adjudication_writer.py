"""Rounds that screening upheld, said as the single path says them: adjudications made from columns.

The law of this file: it decides nothing. What was due stands in the columns; here it gets its paytable, line and section.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import pyarrow as pa

from games.player_dealer import COVERED, action_seat, from_action
from games.rulebook.rulebook import Rulebook
from games.settlement.wagers import Outcome
from replay.columns.game_row_schemas import BEHIND, FIRST_BEHIND, ROW_SCHEMAS
from replay.columns.kernels.dj_wild import EQUAL, FOLDED
from replay.columns.kernels.fortune_asia import FOUL_IN_FRONT
from replay.columns.kernels.judged import Judged
from replay.columns.kernels.over_under import SURRENDERED
from replay.columns.kernels.player_dealer import IN_PART, NOT_AT_ALL
from replay.columns.kernels.sevens import ALL_PUSH, FOUL, LOSE, TIE, WIN
from replay.columns.row_schemas import ENVY_WAGERS, SEATS, RowSchema, numbers_of
from replay.findings import Adjudication, Settlement, to_bytes
from replay.run.engine import engine
from replay.run.stream_worker import Result
from replay.settlement.stakes import ENVY

SAID: Final = ("stream", "round_no", "rules", "gaming_day", "shift", "dealer", "opened_at_us", "closed_at_us", "first_seq",
                "last_seq", *(f"bettor_{seat}" for seat in range(1, SEATS + 2)), "behind", "bank", "start_count")  # fmt: skip
"""The columns of which adjudications are made; some games do not have all of them."""

Ends = Mapping[int, tuple[Outcome, str]]


class Words(NamedTuple):
    """How a game says what its wagers came to: outcomes that no paytable has, by line, with their sections; and otherwise the
    sections by which a wager is paid, and by which it loses. `uncovered`: the section by which something stays with the patron
    that the player-dealer's wager does not cover."""

    outcomes: Mapping[str, Ends]
    sections: Mapping[str, tuple[str, str]]
    uncovered: str = ""


_BASE: Final[Ends] = {
    WIN: (Outcome.WIN, "12(a)"),
    LOSE: (Outcome.LOSE, "11(f)(1)"),
    TIE: (Outcome.TIE, "11(f)(2)"),
    FOUL: (Outcome.FOUL, "11(f)(1)(iii)"),
    ALL_PUSH: (Outcome.ACE_HIGH_PUSH, "11(f)(2)(iii)"),
}
_EVEN: Final[Ends] = {
    WIN: (Outcome.WIN, "12(a)"),
    LOSE: (Outcome.LOSE, "687a.11(e)(3)"),
    TIE: (Outcome.TIE, "687a.11(e)(2)"),
    FOLDED: (Outcome.FOLDED, "687a.11(b)"),
}
_TOTALS: Final[Ends] = {
    WIN: (Outcome.WIN, "686a.8(a)"),
    LOSE: (Outcome.LOSE, "686a.7(j)"),
    TIE: (Outcome.TIE, "686a.7(j)"),
    SURRENDERED: (Outcome.SURRENDERED, "686a.7(g)(3)"),
}
_BONUSES: Final = {"fortune_bonus": ("12(c)", "11(h)(2)(i)(A)"), "progressive": ("12(d)", "11(h)(3)(i)(A)")}
OUTCOME_NAMES: Final[Mapping[str, Words]] = {
    "face_up_pai_gow": Words({"base": _BASE}, {**_BONUSES, "ace_high_bonus": ("12(b)", "11(h)(1)(i)(A)")}),
    "player_dealer": Words(
        {"base": _BASE, "backline": _BASE},
        {"ace_high_bonus": ("12(b)", "11(h)(1)(i)(A)"), "fortune_bonus": _BONUSES["fortune_bonus"]},
        COVERED,
    ),
    "pai_gow_poker": Words(
        {"base": {**_BASE, WIN: (Outcome.WIN, "11(f)(3)"), ALL_PUSH: (Outcome.TIGER_9_PUSH, "645c.1(e)(1)")}},
        {
            **_BONUSES,
            "tiger_9": ("645c.1(g)", "645c.1(e)(2)"),
            "sum": ("645c.2(g)(1)", "645c.2(e)(1)"),
            "match": ("645c.2(g)(2)", "645c.2(e)(2)"),
            "beat_it": ("645c.2(g)(3)", "645c.2(e)(3)"),
        },
    ),
    "fortune_asia": Words(
        {
            "base": {
                WIN: (Outcome.WIN, "12(a)"),
                LOSE: (Outcome.LOSE, "659a.11(f)(1)(i)"),
                FOUL: (Outcome.FOUL, "659a.11(f)(1)(iii)"),
                FOUL_IN_FRONT: (Outcome.FOUL, "659a.11(f)(1)(iv)"),
            },
        },
        {**_BONUSES, "insurance": ("659a.12(c)", "659a.11(h)(2)(i)")},
    ),
    "over_under": Words({"ante": _TOTALS, "over": _TOTALS, "under": _TOTALS}, {"bonus": ("686a.8(b)", "686a.7(k)")}),
    "dj_wild": Words(
        {
            "ante": _EVEN,
            "raise": _EVEN,
            "blind": {0: _EVEN[LOSE], EQUAL: _EVEN[TIE], FOLDED: _EVEN[FOLDED]},
            "progressive": {FOLDED: (Outcome.FOLDED, "687a.11(b)(3)")},
            "bad_beat": {FOLDED: (Outcome.FOLDED, "687a.11(b)(2)")},
        },
        {
            "blind": ("687a.12(b)", ""),
            "progressive": ("12(d)", "11(h)(3)(i)(A)"),
            "trips": ("687a.12(d)", "687a.11(f)(2)(i)"),
            "bad_beat": ("687a.12(e)", "687a.11(f)(3)(i)"),
        },
    ),
}
"""The words of every game that is screened."""
_ENVY_SECTION: Final = {"fortune_bonus": "11(h)(2)(ii)", "progressive": "12(d)"}

Ending = tuple[str, str, str]
"""What a wager's line is called, the section, and the paytable."""


def in_order(form: RowSchema) -> list[int]:
    """Return the wagers of a box as settlements name them."""
    base = form.slots[0].wager
    return sorted(
        range(len(form.slots)),
        key=lambda place: (form.wagers[place] != base, form.wagers[place], form.slots[place].number or 0),
    )


_IN_ORDER: Final = {game: in_order(form) for game, form in ROW_SCHEMAS.items()}


class Upheld:
    """Makes the adjudications of rounds that were upheld in columns."""

    def __init__(self, books: Mapping[str, Rulebook]) -> None:
        self._books = books
        self._endings: dict[tuple[str, str, int], Ending] = {}

    def adjudications(self, batch: pa.RecordBatch, judged: Judged, upheld: list[int]) -> Iterator[Result]:
        """Yield the adjudications of the rows of a batch that are upheld."""
        said = batch.select([name for name in SAID if name in batch.schema.names])
        rows = said.take(pa.array(upheld, pa.int64())).to_pylist()
        columns = (numbers_of(batch, "staked"), judged.due, judged.lines, judged.envy, judged.envy_due, judged.envy_to)
        for row, *money in zip(rows, *(each[upheld].tolist() for each in columns), strict=True):
            yield self._result(row, *money)

    def _result(
        self,
        row: dict[str, Any],
        staked: list[int],
        due: list[int],
        lines: list[int],
        envy: list[int],
        envy_due: list[int],
        envy_to: list[int],
    ) -> Result:
        book = self._books[row["rules"]]
        wagers = [*self._wagers(book, row, staked, due, lines)]
        if row.get("behind"):  # they stand in the order in which they came, and settlements name them by their names
            wagers.sort(key=lambda each: (each.seat, each.wager != "base", each.wager, each.bettor))
        settlements = [*wagers, *self._envy(book, row, envy, envy_due, envy_to)]
        said = Adjudication(
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
            settlements=tuple(settlements),
        )
        return "adjudications", f"{said.stream}#{said.round_no}", to_bytes(said)

    def _wagers(
        self, book: Rulebook, row: dict[str, Any], staked: list[int], due: list[int], lines: list[int]
    ) -> Iterator[Settlement]:
        form, order = ROW_SCHEMAS[book.game], _IN_ORDER[book.game]
        slots = form.slots
        for seat in range(1, form.seats + 1):
            bettor = row[f"bettor_{seat}"]
            for at in order if bettor else ():
                place, slot = (seat - 1) * len(slots) + at, slots[at]
                if staked[place]:
                    line, cite, paytable = self._ending(book, slot.wager, lines[place])
                    who = bettor if slot.wager != "backline" else row["behind"][(seat - 1) * BEHIND + at - FIRST_BEHIND]
                    yield Settlement(
                        seat=seat,
                        wager=slot.wager,
                        number=slot.number,
                        bettor=who,
                        paytable=paytable,
                        staked_cents=staked[place],
                        due_cents=due[place],
                        done_cents=due[place],
                        by_slip_cents=0,
                        line=line,
                        cite=cite,
                    )

    def _ending(self, book: Rulebook, wager: str, line: int) -> Ending:
        key = book.digest, wager, line
        if key not in self._endings:
            self._endings[key] = _ending(book, wager, line)
        return self._endings[key]

    def _envy(
        self, book: Rulebook, row: dict[str, Any], envy: list[int], due: list[int], to: list[int]
    ) -> Iterator[Settlement]:
        if not any(to):
            return
        seats, turns = ROW_SCHEMAS[book.game].seats, _turns(ROW_SCHEMAS[book.game], row)
        for seat in range(1, seats + 1):
            for which, wager in enumerate(ENVY_WAGERS):
                paytable = book.offers[wager].paytable if wager in book.offers else None
                hands = [hand for hand in turns if to[which * seats + hand - 1] >> (seat - 1) & 1]
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


def _turns(form: RowSchema, row: Mapping[str, Any]) -> list[int]:
    """The seats in the order in which an Envy Bonus names their hands: from the highest down, or from the action on."""
    if "bank" not in row:
        return list(range(form.seats, 0, -1))
    action = action_seat(row["start_count"], row["bank"])
    return sorted(range(1, form.seats + 1), key=lambda seat: from_action(seat, action))


def _ending(book: Rulebook, wager: str, line: int) -> Ending:
    words, paytable = OUTCOME_NAMES[book.game], book.offers[wager].paytable
    if words.uncovered and line >= IN_PART:
        of_the_hands = line % IN_PART
        said, _, name = _ending(book, wager, of_the_hands)
        loses_or_wins_alike = not of_the_hands or of_the_hands in words.outcomes.get(wager, {})
        if line >= NOT_AT_ALL and loses_or_wins_alike:
            said = str(Outcome.UNCOVERED)
        return said, str(book.cite(words.uncovered)), name
    name = paytable.name if paytable is not None else ""
    outcomes = words.outcomes.get(wager, {})
    if line in outcomes:
        outcome, section = outcomes[line]
        return str(outcome), str(book.cite(section)), name
    paid, lost = words.sections[wager]
    if not line:
        return str(Outcome.LOSE), str(book.cite(lost)), name
    return paytable.lines[line - 1].hand if paytable is not None else wager, str(book.cite(paid)), name
