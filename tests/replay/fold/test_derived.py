"""What is worked out of a round is kept with it: once for the same rules, and only until the round changes."""

from collections.abc import Callable
from typing import NamedTuple

import msgspec
import pytest

from replay.fold.derived import derived, derived_by_rules, derived_of_each
from replay.fold.record_faults import RecordFault
from replay.fold.round import Round
from replay.fold.table_fold import TableFold
from replay.settlement.settlement import dues
from rulebook.chapters.rulebook import Rulebook, parse_submission
from tests.replay.tables import PAID, Table, rules_text

BOOK = parse_submission(rules_text("pa-688a ace_high_bonus=1"))
OTHER = parse_submission(rules_text("pa-688a ace_high_bonus=2"))


class Asked(NamedTuple):
    """Facts that note how often they are worked out."""

    count: list[object]
    alone: Callable[[Round], int]
    by_rules: Callable[[Round, Rulebook], str]
    of_each: Callable[[Round, Rulebook, int], int]


@pytest.fixture
def asked() -> Asked:
    count: list[object] = []

    @derived
    def alone(round_: Round) -> int:
        count.append("alone")
        return len(round_.facts)

    @derived_by_rules
    def by_rules(round_: Round, book: Rulebook) -> str:
        count.append(book.digest)
        return f"{book.digest} {len(round_.facts)}"

    @derived_of_each
    def of_each(round_: Round, book: Rulebook, seat: int) -> int:
        count.append((book.digest, seat))
        return seat * len(round_.facts)

    return Asked(count, alone, by_rules, of_each)


def played(text: str = PAID) -> Round:
    table = Table()
    table.play(1, text)
    (round_,) = table.fold()
    return round_


def test_a_fact_is_worked_out_once(asked: Asked) -> None:
    round_ = played()
    for _ in range(3):
        assert asked.alone(round_) == len(round_.facts)
        assert asked.by_rules(round_, BOOK) == f"{BOOK.digest} {len(round_.facts)}"
        assert [asked.of_each(round_, BOOK, seat) for seat in (1, 2)] == [len(round_.facts), 2 * len(round_.facts)]
    assert asked.count == ["alone", BOOK.digest, (BOOK.digest, 1), (BOOK.digest, 2)]


def test_a_fact_that_is_null_is_worked_out_once_too() -> None:
    count = []

    @derived
    def nothing(round_: Round) -> None:
        count.append(round_)

    round_ = played()
    assert (nothing(round_), nothing(round_)) == (None, None)
    assert len(count) == 1


def test_other_rules_are_asked_anew(asked: Asked) -> None:
    round_ = played()
    assert asked.by_rules(round_, BOOK) != asked.by_rules(round_, OTHER)
    assert (asked.of_each(round_, BOOK, 1), asked.of_each(round_, OTHER, 1)) == (len(round_.facts),) * 2
    assert asked.count == [BOOK.digest, OTHER.digest, (BOOK.digest, 1), (OTHER.digest, 1)]


def test_what_is_due_under_one_paytable_is_not_said_of_another() -> None:
    round_ = played(PAID.replace("base 25.00", "base 25.00 ace_high_bonus 5.00", 1))
    assert {due.paytable for due in dues(round_, BOOK) if due.wager == "ace_high_bonus"} == {"1"}
    assert {due.paytable for due in dues(round_, OTHER) if due.wager == "ace_high_bonus"} == {"2"}


def test_another_round_has_its_own(asked: Asked) -> None:
    one, other = played(), played()
    assert asked.alone(one) == asked.alone(other)
    assert asked.count == ["alone", "alone"]


CHANGES: dict[str, Callable[[Round], object]] = {
    "a fact more": lambda round_: round_.add(msgspec.structs.replace(round_.facts[-1], seq=99)),
    "a fact corrected": lambda round_: round_.replace(round_.facts[-2].seq, None),
    "an irregularity": lambda round_: round_.add_record_fault(RecordFault("clock", "shoe", 9, "runs back")),
    "its end": lambda round_: round_.end(None),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_the_round_is_seen(asked: Asked, change: str) -> None:
    round_ = played()
    asked.alone(round_)
    hands = round_.hands()
    CHANGES[change](round_)
    assert asked.alone(round_) == len(round_.facts)
    assert round_.hands() == hands
    assert round_.hands() is not hands
    assert asked.count == ["alone", "alone"]


def test_what_is_worked_out_of_an_open_round_does_not_outlive_its_next_fact(asked: Asked) -> None:
    """Whether facts are applied one by one or in a run."""
    table = Table()
    table.play(1, PAID)
    events = list(table.events())
    for run in (len(events), 1):
        fold, at = TableFold(table.stream), 0
        seen = []
        while at < len(events):
            taken, _ = fold.advance(events[at : at + run])
            at += taken
            if fold.open is not None:
                seen.append((asked.alone(fold.open), len(fold.open.facts)))
        assert len(seen) >= 3
        assert [one for one, _ in seen] == [other for _, other in seen]
