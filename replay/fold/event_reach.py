"""The reach of an event: only the open round, or also the fold itself and later rounds."""

from collections.abc import Mapping, Sequence
from typing import Literal

from events.vocabulary import model
from events.vocabulary.model import ChapterPublished, Event
from replay.fold.all_wagers_returned import all_wagers_returned
from replay.fold.corrections import Replacements
from replay.fold.lost_state import end_in_the_shoe, lose
from replay.fold.meters_after import meters_after, unrecorded_payments
from replay.fold.phases import COLUMN, LEDGER_EVENTS, OF_DECKS, SAME, STRAY, TABLE, Phase
from replay.fold.player_dealer_wager import player_dealer_wager, take_position
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round, from_the_shoe
from replay.fold.shoe_state import LEAVES_THE_SHOE, cards_of
from replay.fold.stub_counts import bans_deck, has_wrong_deck, uncounted
from replay.fold.table_state import CHANGES, Change, TableState

MARKS = frozenset(
    {model.RoundOpened, model.RoundClosed, model.RulesFiled, model.ChapterPublished, model.IntakeRefused, model.EventCorrected}
)
"""Events that the fold itself goes by."""

REACHES_FURTHER = frozenset(CHANGES) | LEDGER_EVENTS | MARKS
"""Events that count beyond the facts of their round: correcting one of them means folding the stream again."""

OF_THE_TABLE = (
    LEDGER_EVENTS
    | MARKS - {model.RoundClosed}
    | frozenset(OF_DECKS) - {model.ForeignCardFound}
    | {model.TableOpened, model.GamingDayOpened, model.ShiftChanged, model.DealerTappedIn, model.DiceReceived, model.DiceRemoved}
)
"""Events of the table, its equipment and its accounting: they count from when they arrive, whichever round they name."""

PlainFacts = Mapping[type[Event], Change | Literal[False]]
"""Event types that are no more than facts of the open round, each with how it changes the table (false: it does not)."""

PLAIN_FACTS_DEALT: tuple[PlainFacts, ...] = tuple(
    {type_: CHANGES.get(type_, False) for type_ in TABLE if TABLE[type_][column] is SAME and type_ not in LEDGER_EVENTS | MARKS}
    for column in COLUMN.values()
)
"""The plain facts of a round from its first card on, by the column of the phase: `SAME` in the phase table, and not in the
table's accounting, which is kept apart from its rounds."""

PLAIN_FACTS: tuple[PlainFacts, ...] = tuple(
    {type_: change for type_, change in types.items() if type_ is not model.CardsDealt} for types in PLAIN_FACTS_DEALT
)
"""The same before the first card: a card dealt may be the first."""

NO_PLAIN_FACTS: PlainFacts = {}
"""Where no round is open, every event is more than a fact of it."""


def is_of_a_round(type_: type[Event], round_no: int | None) -> bool:
    """Return whether an event concerns a round without naming it."""
    return round_no is None and TABLE[type_][COLUMN[Phase.BETWEEN]] is STRAY


def lies_behind(opening: RecordedEvent, number: int | None, latest: Round | None) -> bool:
    """Return whether an opening comes late: after the opening of a round with a higher number."""
    if latest is None or not opening.is_late:
        return False
    if number is None:
        return opening.source == latest.opened.source and opening.source_seq < latest.opened.source_seq
    return number < latest.round_no


def carryover(round_: Round) -> tuple[object, ...]:
    """Return a round's effects on later ones: dealt or void, its dealer, its stub, what it did to shoe and meter."""
    counted = bool(round_.of(model.StubCounted))
    dealt, void = round_.first_card is not None, (all_wagers_returned(round_), round_.voided is not None)
    dealer = player_dealer_wager(round_) if len(round_.of(model.PlayerDealerWagered)) > 1 else None
    meters = tuple(unrecorded_payments(round_))
    left = dealt, void, counted, has_wrong_deck(round_), dealer.payload if dealer is not None else None, meters
    return left if round_.before.shoe is None else (*left, from_the_shoe(round_))


def late_by_round(late: Replacements, corrected: Replacements) -> dict[int, list[tuple[int, Event]]]:
    """Return round → its late and corrected events with their numbers, in the order of the log."""
    rounds: dict[int, list[tuple[int, Event]]] = {}
    for seq, counts in sorted({**late, **corrected}.items()):
        if counts is not None and counts[0] is not None:
            rounds.setdefault(counts[0], []).append((seq, counts[1]))
    return rounds


def with_late(ended: Round, late: Sequence[tuple[int, Event]]) -> Round:
    """Return a round with the later events that concern it, as later rounds are judged by it (D1123).

    A card whose validity depends on its place (after a shuffle in the round, or next to a copy found face up) is left out.
    """
    last, first, facts = ended.last_seq, ended.first_card, list[RecordedEvent]()
    shuffles = [fact.seq for fact in ended.of(model.CardsShuffled) if fact.payload.deck == ended.deck]
    reshuffled = any(first is None or seq > first.seq for seq in shuffles)
    on_time = {fact.seq for fact in ended.facts}
    for seq, payload in late:
        if seq in on_time or payload.KIND in MARKS:
            continue
        if isinstance(payload, model.CoverCardReached) and reshuffled:
            continue
        if isinstance(payload, LEAVES_THE_SHOE):
            others = LEAVES_THE_SHOE if isinstance(payload, model.CardFoundFaceUp) else (model.CardFoundFaceUp,)
            near = {card for fact in ended.in_order(*others) for card in cards_of(fact.payload)}
            if ended.before.shoe is not None and (reshuffled or not near.isdisjoint(cards_of(payload))):
                continue
            seq = min(seq, last)
        facts.append(RecordedEvent(seq, ended.opened.at_us, ended.opened.source, payload))
    return ended.made_of([*ended.facts, *facts]) if facts else ended


def carry_over(state: TableState, ended: Round, late: Sequence[tuple[int, Event]]) -> TableState | None:
    """Apply a round, with its late events, to the table; return the table as if it had lost nothing, None if that is the same."""
    whole = with_late(ended, late)
    if ended.first_card is None and whole.first_card is not None:
        state.dealt_from(ended.deck)
    take_position(state, whole)
    state.round_over(ended.deck, whole.last_card)
    state.last_voided = all_wagers_returned(whole)
    state.rounds_uncounted = uncounted(whole)
    meters_after(state, ended, whole)
    if_whole = end_in_the_shoe(state, whole)
    lose(state, ended.lost_by)
    ban_deck(state, whole)
    return if_whole


def ban_deck(state: TableState, ended: Round) -> None:
    """Record whether a round bans its deck from the table."""
    if ended.deck in state.decks:
        state.decks[ended.deck].banned_by = bans_deck(ended)


class PublishedEditions:
    """The amendments published in a table's stream, since the fold began on a gaming day.

    `reach_behind`: one of them applies to days at or before the beginning of the fold.
    """

    def __init__(self, begins_on: str) -> None:
        self.texts: list[str] = []
        self.reach_behind = False
        self._begins_on = begins_on

    def take(self, edition: ChapterPublished, state: TableState, is_in_round: bool) -> bool:
        """Add an amendment; return whether rounds of its days were already opened without it."""
        self.texts.append(edition.toml)
        day = edition.effective_gaming_day
        self.reach_behind |= day <= self._begins_on
        is_late = day <= state.gaming_day and edition.toml not in state.editions
        return is_late and (is_in_round or state.last_round_no > 0)
