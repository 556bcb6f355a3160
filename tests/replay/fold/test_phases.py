"""The phase table: literal, complete, and for the key events as worked out by hand."""

import pytest

from events.vocabulary import model
from events.vocabulary.model import REGISTRY, Event
from replay.fold.phases import COLUMN, PHASES, TABLE, Move, Phase

STRAY, SAME = Move.STRAY, Move.SAME
NEXT = {type_: dict(zip(PHASES, row, strict=True)) for type_, row in TABLE.items()}
OPENED = tuple(phase for phase in PHASES if phase is not Phase.BETWEEN)


def test_every_registered_event_has_a_row_with_a_column_for_every_phase() -> None:
    assert {cls for cls in REGISTRY.values() if cls is cls.KIND} <= TABLE.keys()
    assert {len(row) for row in TABLE.values()} == {len(Phase)}
    assert list(COLUMN) == list(Phase)
    assert list(COLUMN.values()) == [0, 1, 2, 3, 4, 5, 6]


# What an event does in each phase: between rounds, betting, no more bets, dealing, setting, settling, voided.
EXPECTED: dict[type[Event], tuple[Phase | Move, ...]] = {
    model.RoundOpened: (Phase.BETTING,) * 7,
    model.WagerPlaced: (STRAY, SAME, SAME, SAME, SAME, SAME, SAME),
    model.NoMoreBets: (STRAY, Phase.NO_MORE_BETS, SAME, SAME, SAME, SAME, SAME),
    model.CardsDealt: (STRAY, Phase.DEALING, Phase.DEALING, SAME, SAME, SAME, SAME),
    model.HandSet: (STRAY, Phase.SETTING, Phase.SETTING, Phase.SETTING, SAME, SAME, SAME),
    model.WagerPaid: (STRAY, *(Phase.SETTLING,) * 4, SAME, SAME),
    model.WagerTaken: (STRAY, *(Phase.SETTLING,) * 4, SAME, SAME),
    model.WagerReturned: (STRAY, SAME, SAME, Phase.SETTLING, Phase.SETTLING, SAME, SAME),
    model.RoundVoided: (STRAY, *(Phase.VOIDED,) * 5, SAME),
    model.RoundClosed: (STRAY, *(Phase.BETWEEN,) * 6),
    model.CardsShuffled: (SAME,) * 7,
    model.FillReceived: (SAME,) * 7,
    model.MeterAdvanced: (STRAY,) * 7,
}


@pytest.mark.parametrize("type_", EXPECTED, ids=lambda cls: cls.TYPE)
def test_moves_of_the_key_events(type_: type[Event]) -> None:
    assert TABLE[type_] == EXPECTED[type_]


def test_a_wager_returned_before_the_deal_settles_nothing() -> None:
    """A late or refused wager goes back before the first card; that is no settlement (§ 688a.7(c))."""
    assert [TABLE[model.WagerReturned][COLUMN[phase]] for phase in (Phase.BETTING, Phase.NO_MORE_BETS)] == [SAME, SAME]


def test_only_a_round_leaves_the_time_between_rounds() -> None:
    assert {cls.TYPE for cls, moves in NEXT.items() if isinstance(moves[Phase.BETWEEN], Phase)} == {"round_opened"}


def test_nothing_but_closing_ends_a_round_and_nothing_undoes_a_void() -> None:
    ending = {cls for cls, moves in NEXT.items() for phase in OPENED if moves[phase] is Phase.BETWEEN}
    assert ending == {model.RoundClosed}
    leaving = {cls for cls, moves in NEXT.items() if isinstance(moves[Phase.VOIDED], Phase)}
    assert leaving == {model.RoundClosed, model.RoundOpened}


def test_the_meters_own_events_and_a_reviews_belong_to_no_table() -> None:
    not_here = {cls.TYPE for cls, moves in NEXT.items() if set(moves.values()) == {STRAY}}
    of_reviews = tuple(f"events.vocabulary.{name}_events" for name in ("review", "case", "observation"))
    review = {cls.TYPE for cls in REGISTRY.values() if cls.__module__ in of_reviews}
    assert len(review) == 30
    assert not_here == {"meter_set", "meter_advanced", "meter_reset"} | review
