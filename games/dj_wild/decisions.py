"""DJ Wild Stud Poker: the players' decisions, and their effect on the settlement (Annex A, rulemaking 125-223).

§§ 687a.1, 687a.7(d)(1), 687a.11(b)-(d). Only the facts of a round; the game's other files find the faults in them.
"""

from collections.abc import Sequence
from typing import Literal, cast

import msgspec

from events.vocabulary import model
from games.dj_wild.settle import lines
from replay.fold.derived import derived_by_rules, derived_of_each
from replay.fold.recorded_event import RecordedEvent, distinct_by, in_order
from replay.fold.round import Round
from replay.fold.wager_keys import Key, key_in
from replay.settlement.hand_readings import readings
from replay.settlement.payouts import flows, moves
from replay.settlement.stakes import stacks_at_stake, stakes
from replay.settlement.table_layout import abandoned_wagers, progressive_wins, side_card
from replay.settlement.voids import is_void
from rulebook.cards.wild_ranking import Deuces
from rulebook.chapters.rulebook import Rulebook
from rulebook.layout import Decision
from rulebook.settlement.wagers import offered

BASE = ("ante", "blind", "raise")
"""The wagers that are won and lost by the hand."""


class Decided(msgspec.Struct, frozen=True):
    """A player's decision, the fact that states or shows it (a Raise Wager), and the fact that placed that wager, if any."""

    decision: Literal["raise", "fold"]
    fact: RecordedEvent
    placed: RecordedEvent | None = None

    @property
    def moment(self) -> RecordedEvent:
        """When the decision was carried out: a raise when its wager was placed, if that is on record (§ 687a.13(d))."""
        return self.placed or self.fact


@derived_by_rules
def decisions(round_: Round, book: Rulebook) -> dict[int, Decided | None]:
    """Return each seat's first decision; None if a raise and a fold contradict each other, or it was not a decision.

    A player's second statement or wager after the dealer's hand was turned over decides nothing (D733).
    """
    found: dict[int, Decided | None] = {}
    wagers = (stake for stake in stakes(round_, book).values() if stake.wager == "raise")
    raised = in_order(fact for stake in wagers for fact in stacks_at_stake(stake))
    placed = {fact.payload.seat: fact for fact in reversed(raised)}
    for fact in in_order([*round_.of(model.DecisionMade), *raised]):
        event = fact.payload
        folded = isinstance(event, model.DecisionMade) and event.decision == "fold"
        decided = Decided("fold", fact) if folded else Decided("raise", fact, placed.get(event.seat))
        first = found.setdefault(event.seat, decided)
        if _is_too_late(round_, first, fact):
            continue
        if first is not None and first.decision != decided.decision:
            found[event.seat] = None
    found.update((fact.payload.seat, None) for fact in round_.of(model.Surrendered))
    return found


def _is_too_late(round_: Round, first: Decided | None, later: RecordedEvent) -> bool:
    """Return whether a player decided, then the dealer's hand was turned over, and then something else was said or placed."""
    dealer = turned(round_)
    if dealer is None or first is None or round_.certainly_before(dealer, later) is not True:
        return False
    return round_.certainly_before(first.moment, dealer) is True


@derived_by_rules
def in_play(round_: Round, book: Rulebook) -> list[int]:
    """Return the seats with an Ante Wager."""
    base = book.chapter.base
    return sorted({each.seat for each in stakes(round_, book).values() if each.wager == base and each.in_time_cents > 0})


@derived_by_rules
def of_players(round_: Round, book: Rulebook) -> list[Decided]:
    """Return the decisions of those who play: if the wagers are on record, of seats with an Ante Wager."""
    playing = in_play(round_, book)
    return [each for seat, each in decisions(round_, book).items() if each is not None and (not playing or seat in playing)]


def turned(round_: Round) -> RecordedEvent | None:
    """Return the fact that the dealer's hand was turned over."""
    return next((fact for fact in round_.of(model.HandRevealed) if fact.payload.position == "dealer"), None)


@derived_of_each
def how_decided(round_: Round, book: Rulebook, seat: int) -> Decision | None:
    """Return whether a seat raised or folded, None if it is unknown.

    A fold is "not making Raise Wagers" (§ 687a.1): if the record covers the wagers and goes on past the decisions, a seat without
    a raise has folded, unless it has neither an ante nor cards (D368). A raise that was said but not placed, in a record that
    covers wagers, is neither (D355).
    """
    made = decisions(round_, book)
    decided = made.get(seat)
    if decided is not None and (decided.decision == "fold" or decided.placed is not None):
        return decided.decision
    shows = round_.covers("wagering") and past_decisions(round_, book)
    if seat not in made:
        played = seat in in_play(round_, book) or seat in round_.hands()
        return "fold" if shows and played else None
    return None if decided is None or shows else decided.decision


@derived_by_rules
def past_decisions(round_: Round, book: Rulebook) -> bool:
    """Return whether the record of a round that is not void goes on past the decisions."""
    if is_void(round_, book):
        return False
    settled = (fact for key, flow in flows(round_).items() if key[1] in BASE for fact in flow.facts)
    return (
        round_.closed is not None
        or turned(round_) is not None
        or any(getattr(fact.payload, "reason", "") not in ("late", "void") for fact in settled)
    )


def no_envy(round_: Round, book: Rulebook, seat: int, position: int) -> str | None:
    """Say why a folded hand brings no Envy Bonus, or a folded wager gets none, if folded hands do not qualify (D191). None if the
    hand earns no bonus in any case.
    """
    held, paytable = readings(round_, book, position), offered(book, "progressive")
    cards = held[0].cards if len(held) == 1 else None
    if book.settings["folded_progressive"] or paytable is None or cards is None:
        return None
    line = paytable.envy(lines(paytable, cards, side_card(round_), cast(Deuces, book.settings["progressive_deuces"])))
    if line is None:
        return None
    if how_decided(round_, book, position) == "fold":
        return f"its {line.hand.replace('_', ' ')} was folded, and folded hands do not qualify"
    if how_decided(round_, book, seat) == "fold":
        return f"seat {seat} folded, and folded hands get no Envy Bonus"
    return None


def settlement_turns(round_: Round, book: Rulebook) -> tuple[int, ...]:
    """Return the seats in the order of their payouts from the meter; without any, in the order of settlement."""
    won = progressive_wins(round_, book)
    if won:
        return tuple(dict.fromkeys(fact.payload.seat for fact in _as_served(won)))
    settled = [fact for fact in settling(round_, book) if getattr(fact.payload, "reason", "") != "void"]
    first: dict[int, int] = {}
    for wagers in (BASE, ("progressive",)):
        here = [fact for fact in settled if fact.payload.wager in wagers and fact.payload.seat not in first]
        first |= {fact.payload.seat: fact.seq for fact in reversed(here)}
    return tuple(sorted(first, key=lambda seat: first[seat]))


def _as_served(won: Sequence[RecordedEvent]) -> Sequence[RecordedEvent]:
    """Return the winners in the order of the meter's readings, else in the order of the record (D356)."""
    left, chain = list(distinct_by(won, "seat")), list[RecordedEvent]()
    while left:
        if chain:
            here = [fact for fact in left if fact.payload.reading_centicents == chain[-1].payload.after_centicents]
        else:
            here = [
                fact
                for fact in left
                if fact.payload.reading_centicents not in {e.payload.after_centicents for e in left if e is not fact}
            ]
        if len(here) != 1:
            return won
        chain += here
        left.remove(here[0])
    return chain


@derived_by_rules
def settling(round_: Round, book: Rulebook) -> list[RecordedEvent]:
    """Return the settlements made in turn: no forfeits, late returns or payments by slip.

    Forfeited wagers of a folded hand are collected when all have decided: if one was paid or returned instead, it had no turn,
    and the fault is in its money (D529). The wagers of a hand that may have been folded may have been forfeited.
    """
    decided = {*decisions(round_, book), *in_play(round_, book)}
    folded = {seat: how for seat in decided if (how := how_decided(round_, book, seat)) != "raise"}
    gone = abandoned_wagers(round_)
    forfeited: set[Key] = set()
    found = []
    for fact in moves(round_):
        event = fact.payload
        if event.seat in folded and event.wager != "trips":
            is_forfeit = folded[event.seat] == "fold" and event.wager != "progressive"
            if is_forfeit or isinstance(event, model.WagerTaken):
                forfeited.add(key_in(event))
        late = getattr(event, "reason", "") == "late" or getattr(event, "source", "") == "slip"
        if not (late or event.wager in gone.get(event.seat, ()) or key_in(event) in forfeited):
            found.append(fact)
    return found
