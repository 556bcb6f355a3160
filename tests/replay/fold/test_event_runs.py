"""The fold applies events one by one and in runs: the length of a run makes no difference."""

from hypothesis import given
from hypothesis import strategies as st

from events.vocabulary import model
from events.vocabulary.model import Event
from replay.fold.corrections import Replacements
from replay.fold.round import Round
from replay.fold.table_fold import TableFold
from replay.run.stream_worker import encode
from tests.replay.tables import Table

EVENTS = (
    model.RoundOpened(deck="d-1", observed=["settlement", "deal"]),
    model.WagerPlaced(seat=3, bettor="p-3", wager="base", number=None, amount_cents=2500, form="chips"),
    model.CardsDealt(to="burn", cards=["2c"], face_up=False),
    model.CardsDealt(to=3, cards=["Ks"], face_up=False),
    model.CardsShuffled(deck="d-1", method="manual", count=None),
    model.HandExamined(seat=3),
    model.PatronSeated(seat=3, patron="p-3"),
    model.BuyIn(seat=3, patron="p-3", amount_cents=10_000, form="cash"),
    model.StubCounted(count=4, exposed=0),
    model.WagerPaid(seat=3, bettor="p-3", wager="base", number=None, stake_cents=2500, winnings_cents=2500, source="inventory"),
    model.IntakeRefused(sha256="0" * 64, size=3, reason="not an event envelope"),
    model.RoundClosed(by="d-7"),
)
Moment = tuple[Event, int | None, int]
MOMENTS = st.tuples(st.sampled_from(EVENTS), st.sampled_from((None, 0, 0, 0, 1)), st.sampled_from((1, 1, 1, 1, 3, 0, -1, -2)))
"""An event; its round, counted back from the last opened; how far its device's counter steps."""


REPLACEMENTS = st.none() | st.dictionaries(st.integers(3, 30), st.none() | st.just((1, EVENTS[5])), max_size=3)


@given(st.lists(MOMENTS, min_size=12, max_size=40), st.integers(2, 50), REPLACEMENTS)
def test_events_in_runs_lead_to_what_they_lead_to_one_by_one(
    moments: list[Moment], length: int, replacements: Replacements | None
) -> None:
    table = reported(moments)
    assert fold_in_runs(table, length, replacements) == fold_in_runs(table, 1, replacements)


@given(st.lists(MOMENTS, min_size=12, max_size=40))
def test_a_plain_fact_leads_to_what_the_phase_table_says(moments: list[Moment]) -> None:
    """An event that its own payload replaces is applied by the phase table; else most are added as plain facts."""
    table = reported(moments)
    itself: Replacements = {event.seq: (event.round_no, event.payload) for event in table.events()}
    assert fold_in_runs(table, 50, {}) == fold_in_runs(table, 50, itself)


def reported(moments: list[Moment]) -> Table:
    table, opened, number = Table(), 0, 0
    for payload, back, step in [(EVENTS[0], 0, 1), *moments]:
        opened += isinstance(payload, model.RoundOpened)
        number = max(1, number + step)
        round_no = None if back is None else max(1, opened - back)
        table.say(payload, opened if isinstance(payload, model.RoundOpened) else round_no, source_seq=number)
    return table


def fold_in_runs(table: Table, length: int, replacements: Replacements | None) -> tuple[object, ...]:
    """Return the rounds and the state that a table's events lead to, in runs of at most this many."""
    events = list(table.events())
    fold, at, rounds = TableFold(table.stream), 0, []
    fold.replacements = replacements
    while at < len(events):
        start, (at, changed) = at, fold.advance(events[: at + length], at)
        assert start < at <= start + length
        rounds += [contents(round_) for round_ in changed]
    still_open = contents(fold.open) if fold.open is not None else None
    return rounds, still_open, fold.needs_refold, fold.missed_rounds, fold.phase, encode(fold.state)


def contents(round_: Round) -> tuple[object, ...]:
    faults = [(fault.kind, fault.detail, tuple(fault.missing)) for fault in round_.record_faults]
    facts = {kind: tuple(same) for kind, same in round_.by_type.items() if same}
    return (round_.round_no, tuple(round_.facts), facts, round_.first_card, faults, tuple(round_.strays), tuple(round_.refusals))
