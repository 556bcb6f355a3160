"""The stakes of a round: the amounts at stake in time, wager by wager (58 Pa. Code §§ 688a.7, 688a.8(b))."""

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, takewhile
from math import inf
from operator import attrgetter
from typing import assert_never

import msgspec

from events.vocabulary import model
from replay.fold.derived import derived, derived_by_rules
from replay.fold.recorded_event import RecordedEvent, in_order
from replay.fold.round import Question, Round
from replay.fold.wager_keys import Key, key_in
from rulebook.catalogue import GAMES
from rulebook.chapters.chapter_form import Closes
from rulebook.chapters.citation import Citation
from rulebook.chapters.money import show_money
from rulebook.chapters.rulebook import Rulebook

GIVEN_BACK = "given back in time"
"""The question about a return in a round whose order was not seen: whether it was a withdrawal (D1360)."""

IN_ONE_LINE = "whether it came before the additional cards is not on record"

ENVY = {"fortune_bonus": "fortune_envy", "progressive": "progressive_envy"}
"""Wager → the Envy Bonus that comes with it."""
ENVY_OF = {envy: wager for wager, envy in ENVY.items()}
ENVY_SECTION = {"fortune_bonus": "11(h)(2)(ii)", "progressive": "12(d)"}


_seq = attrgetter("seq")

SHAKER_SECTION = "645c.2(f)"
"""All wagers are placed before the shaker is used."""


OVERDRAWN = "more was withdrawn than was placed, by the record"


class Stake(msgspec.Struct):
    """One wager at one box: cents at stake in time, added or withdrawn too late, returned as late, and the facts.

    `was_late`: part of it was moved after its time, even if that was refused or returned. `cents_by_patron`: amounts placed and
    not withdrawn in time, refused or returned as late. `doubt`: why the amount at stake in time is unknown; else empty.
    `questions`: the open questions, each answered in a reading.
    """

    seat: int
    wager: str
    number: int | None
    bettor: str
    in_time_cents: int = 0
    late_cents: int = 0
    late_back_cents: int = 0
    was_late: bool = False
    cents_by_patron: dict[str, int] = {}
    doubt: str = ""
    questions: list[Question] = []
    facts: list[RecordedEvent] = []

    @property
    def on_layout_cents(self) -> int:
        """The final amount on the layout."""
        return self.in_time_cents + self.late_cents

    @property
    def is_overdrawn(self) -> bool:
        """Whether more was withdrawn than the record shows as placed, so that what was at stake is unknown (D1433)."""
        return self.on_layout_cents < 0

    def add_of(self, patron: str, cents: int) -> None:
        """Add to a patron's placed amount; negative cents are returned."""
        self.cents_by_patron[patron] = self.cents_by_patron.get(patron, 0) + cents

    def leave_open(self, question: Question, doubt: str) -> None:
        """Record an open question of the record, and the reason."""
        self.questions.append(question)
        self.doubt = self.doubt or doubt


@derived_by_rules
def stakes(round_: Round, book: Rulebook) -> dict[Key, Stake]:
    """Return the wagers of the round by key, in the order placed.

    A wager moved after its time is over (see `closing`) is late; a late wager that was refused does not count, one returned as
    late is settled by that. A wager belongs to the first to place it among the patrons with a final stake in it.
    """
    by_key: dict[Key, Stake] = {}
    moves: dict[Key, _Moves] = {}
    no_more_bets = closing(round_, "activation" if bets_close_with_the_dice(round_, book) else "no_more_bets", 0)
    for fact in (*round_.of(model.WagerPlaced), *round_.of(model.WagerRemoved)):
        event, key = fact.payload, key_in(fact.payload)
        stake = by_key.get(key)
        if stake is None:
            stake = by_key[key] = Stake(event.seat, event.wager, key[2], event.bettor)
        if isinstance(event, model.WagerRemoved):
            moved = moves.get(key) or moves.setdefault(key, _Moves(stake.facts))  # what is placed comes first
            if not _was_there(round_, stake, fact, moved):
                continue
            moved.withdraw(fact)
        _move_wager(round_, book, stake, fact, no_more_bets)
    for stake in by_key.values():
        stake.facts.sort(key=_seq)
    for fact in (*round_.of(model.WagerReturned), *round_.of(model.WagerRefused)):
        stake = by_key.get(key_in(fact.payload))
        if stake is not None:
            _give_back(round_, book, stake, fact)
    for stake in by_key.values():
        if stake.is_overdrawn:
            stake.doubt = stake.doubt or OVERDRAWN
        if len(stake.cents_by_patron) > 1:
            bettors = (bettor for bettor, cents in stake.cents_by_patron.items() if cents > 0)
            stake.bettor = next(bettors, stake.bettor)
    return by_key


def _move_wager(round_: Round, book: Rulebook, stake: Stake, fact: RecordedEvent, no_more_bets: RecordedEvent | None) -> None:
    """Add placed amounts to a stake, and subtract withdrawn ones: in time, too late, or unknown (§ 688a.7(c)).

    A wager unknown to the chapter has no time limit (WAGER-LIMIT finds it). Where the order was not seen, all are in time (D902).
    """
    event, sign = fact.payload, 1 if isinstance(fact.payload, model.WagerPlaced) else -1
    rule_ = book.chapter.wagers.get(stake.wager)
    closes = "no_more_bets" if rule_ is None or (sign < 0 and rule_.closes == "reveal") else rule_.closes
    closed = None if rule_ is None else no_more_bets
    if closes != "no_more_bets":
        closed = closing(round_, closes, event.seat)
    in_time = True if closed is None or not round_.order_seen else round_.certainly_before(fact, closed)
    until = '"no more bets"' if rule_ is None or rule_.closes == "no_more_bets" else "the end of its time"
    doubt = f"the clocks contradict the order of the wager and {until}"
    if in_time is False and closes == "further_cards" and _is_in_one_line(round_, closed):
        in_time, doubt = None, IN_ONE_LINE
    if in_time is None:
        question = "in time", fact.seq
        in_time = round_.answers.get(question)
        if in_time is None:
            stake.leave_open(question, doubt)
    cents = sign * event.amount_cents
    if in_time is False:
        stake.late_cents += cents
        stake.was_late = True
    else:
        stake.in_time_cents += cents
    if sign > 0 or in_time is not False:
        stake.add_of(event.bettor, cents)
    stake.facts.append(fact)


def as_if_placed(round_: Round, book: Rulebook) -> Round | None:
    """Return the round as if overdrawn wagers were placed, and the least was left of them; None if there are none (D1433)."""
    facts = {fact.seq: fact for fact in round_.facts}
    for stake in stakes(round_, book).values():
        if stake.is_overdrawn:
            last = next(fact for fact in reversed(stake.facts) if isinstance(fact.payload, model.WagerRemoved))
            event, offer = last.payload, book.offers.get(stake.wager)
            cents = max(1, event.amount_cents - stake.on_layout_cents + (offer.min_cents if offer is not None else 0))
            placed = model.fact(
                model.WagerPlaced,
                amount_cents=cents,
                bettor=event.bettor,
                form="chips",
                number=event.number,
                seat=event.seat,
                wager=event.wager,
            )
            facts[last.seq] = msgspec.structs.replace(last, payload=placed)
    return None if list(facts.values()) == round_.facts else round_.made_of(list(facts.values()))


class _Moves:
    """The placed and withdrawn amounts of a wager, added up once: a round may have thousands."""

    def __init__(self, placed: Iterable[RecordedEvent]) -> None:
        facts = in_order(placed)
        self._seqs = [fact.seq for fact in facts]
        self._cents: list[int] = list(accumulate((fact.payload.amount_cents for fact in facts), initial=0))
        self._withdrawn: list[RecordedEvent] = []
        self._withdrawn_cents = self._last = 0

    def withdraw(self, fact: RecordedEvent) -> None:
        """Record a withdrawal."""
        self._withdrawn.append(fact)
        self._withdrawn_cents += fact.payload.amount_cents
        self._last = max(self._last, fact.seq)

    def lying_cents(self, fact: RecordedEvent) -> int:
        """Return the amount on the layout before a fact."""
        withdrawn: int = self._withdrawn_cents
        if self._last > fact.seq:  # a withdrawal that came late has its place before it
            withdrawn = sum(each.payload.amount_cents for each in self._withdrawn if each.seq < fact.seq)
        return self._cents[bisect_left(self._seqs, fact.seq)] - withdrawn

    def are_before(self, fact: RecordedEvent) -> bool:
        """Return whether everything was moved before a fact."""
        return self._last < fact.seq and (not self._seqs or self._seqs[-1] < fact.seq)


def _was_there(round_: Round, stake: Stake, removed: RecordedEvent, moves: _Moves) -> bool:
    """Return whether a withdrawn amount was on the layout; if it is on record only later, that is open (D559)."""
    if not round_.order_seen or moves.are_before(removed) or moves.lying_cents(removed) >= removed.payload.amount_cents:
        return True
    question: Question = ("withdrawn of it", removed.seq)
    if question not in round_.answers:
        stake.leave_open(question, f"{show_money(removed.payload.amount_cents)} was withdrawn before it was placed")
    return round_.answers.get(question, True)


def _give_back(round_: Round, book: Rulebook, stake: Stake, fact: RecordedEvent) -> None:
    """Subtract refused amounts and late returns from a stake, up to its late part."""
    event = fact.payload
    if isinstance(event, model.WagerRefused) and _refused_in_time(round_, book, stake, fact):
        return
    if not round_.order_seen and event.reason == "late":
        back = min(max(0, stake.in_time_cents - _moved(round_)[key_in(event)].settled_cents), event.amount_cents)
        stake.in_time_cents, stake.late_cents, stake.was_late = stake.in_time_cents - back, back, True
    question: Question = (GIVEN_BACK, fact.seq)
    if question not in round_.answers and _may_be_withdrawn(round_, book, stake, fact):
        stake.leave_open(question, f"whether {show_money(event.amount_cents)} was given back in time is not on record")
    if event.reason in ("late", "refused") and stake.late_cents > 0:
        back = min(stake.late_cents, event.amount_cents)
        stake.late_cents -= back
        stake.late_back_cents += back if isinstance(event, model.WagerReturned) else 0
        stake.add_of(event.bettor, -back)
        insort(stake.facts, fact, key=_seq)


class _Moved(msgspec.Struct):
    """The movements of a wager: cents returned, cents returned in time or with a payment, and the first collection."""

    returned_cents: int = 0
    settled_cents: int = 0
    is_paid: bool = False
    taken_seq: float = inf


@derived
def _moved(round_: Round) -> Mapping[Key, _Moved]:
    """Return what was done with each wager, added up once: a round may have thousands of moves."""
    found: defaultdict[Key, _Moved] = defaultdict(_Moved)
    for fact in round_.in_order(model.WagerTaken, model.WagerPaid, model.WagerReturned):
        moved, event = found[key_in(fact.payload)], fact.payload
        match event:
            case model.WagerTaken():
                moved.taken_seq = min(moved.taken_seq, fact.seq)
            case model.WagerPaid(stake_cents=cents):
                moved.settled_cents += cents
                moved.is_paid = True
            case model.WagerReturned(amount_cents=cents, reason=reason):
                moved.returned_cents += cents
                moved.settled_cents += cents if reason != "late" else 0
    return found


def _may_be_withdrawn(round_: Round, book: Rulebook, stake: Stake, returned: RecordedEvent) -> bool:
    """Return whether what was returned in a round without order may have been given back in time, and not at stake (D1360).

    It went back for another reason than a push; or it is a part of its wager, or an over or under wager whose player decided
    otherwise as well (§ 686a.7(g)).
    """
    event, rule_ = returned.payload, book.chapter.wagers.get(stake.wager)
    if round_.order_seen or not isinstance(event, model.WagerReturned) or event.reason not in ("push", "other"):
        return False
    if rule_ is None or rule_.closes == "reveal" or GAMES[book.game].patron_banked:
        return False
    moved = _moved(round_)[key_in(event)]
    if moved.taken_seq < returned.seq or (moved.is_paid and moved.returned_cents >= stake.in_time_cents):
        return False  # it puts back what was collected, or is the stake of a wager that was paid
    if event.reason == "other" or moved.returned_cents < stake.in_time_cents:
        return True
    return rule_.closes == "further_cards" and any(
        fact.payload.seat == stake.seat and _is_another_decision(book, stake, fact.payload)
        for fact in round_.in_order(model.DecisionMade, model.Surrendered, model.WagerTaken, model.WagerPlaced)
    )


def _is_another_decision(book: Rulebook, stake: Stake, event: model.Event) -> bool:
    """Return whether a player said or did something other than to place this wager of the play."""
    match event:
        case model.DecisionMade(decision=decision):
            return decision != stake.wager
        case model.WagerPlaced(wager=wager) if wager != stake.wager:
            rule_ = book.chapter.wagers.get(wager)
            return rule_ is not None and rule_.closes == "further_cards"
        case model.WagerTaken(reason=reason):
            return reason == "surrendered"
    return isinstance(event, model.Surrendered)


def stacks_at_stake(stake: Stake) -> list[RecordedEvent]:
    """Return a wager's stacks in order, less refused ones: a refusal takes back the last stacks, each whole."""
    stacks: list[RecordedEvent] = []
    for fact in in_order(stake.facts):
        match fact.payload:
            case model.WagerPlaced():
                stacks.append(fact)
            case model.WagerRefused(amount_cents=cents):
                while stacks and stacks[-1].payload.amount_cents <= cents:
                    cents -= stacks.pop().payload.amount_cents
    return stacks


def _is_in_one_line(round_: Round, closed: RecordedEvent | None) -> bool:
    """Return whether one event states several first cards of a seat, and the record does not cover the order of the deal."""
    if closed is None or round_.covers("deal"):
        return False
    return closed is next(fact for fact in round_.of(model.CardsDealt) if fact.payload.to == closed.payload.to)


def _refused_in_time(round_: Round, book: Rulebook, stake: Stake, refused: RecordedEvent) -> bool:
    """Return whether a refusal came before the end of the wager's time, and is not of a late wager (§ 688a.7(c)).

    It takes back the last stack or stacks, if their amount matches. A withdrawal right before or after it concerns the same
    chips. If the amount does not match, it may be part of a stack, or chips never placed: then the amount at stake is unknown
    (D388).
    """
    event, closed = refused.payload, end_of_time(round_, book, stake)
    if closed is not None and closed.seq < refused.seq:
        return False
    moves, at = stake.facts, bisect_left(stake.facts, refused.seq, key=_seq)
    beside = [each.payload for each in moves[max(at - 1, 0) : at + 1] if isinstance(each.payload, model.WagerRemoved)]
    if event.amount_cents in [each.amount_cents for each in beside]:
        return True
    before = (moves[place].payload for place in range(at - 1, -1, -1))
    stacks = takewhile(lambda move: isinstance(move, model.WagerPlaced), before)
    question: Question = ("refused of it", refused.seq)
    sums = takewhile(lambda cents: cents <= event.amount_cents, accumulate(stack.amount_cents for stack in stacks))
    is_of_stack = event.amount_cents in sums
    if not round_.order_seen:
        is_of_stack = is_of_stack or any(each.payload.amount_cents == event.amount_cents for each in moves)
    if is_of_stack or round_.answers.get(question):
        cents = min(event.amount_cents, stake.in_time_cents)
        stake.in_time_cents -= cents
        stake.add_of(event.bettor, -cents)
        insort(moves, refused, key=_seq)
    elif question not in round_.answers:
        stake.leave_open(question, f"{show_money(event.amount_cents)} was refused, which is not what was placed last")
    return True


def end_of_time(round_: Round, book: Rulebook, stake: Stake) -> RecordedEvent | None:
    """Return the fact that ended the time for a wager, or None if none is on record."""
    rule_ = book.chapter.wagers.get(stake.wager)
    closes = rule_.closes if rule_ is not None else "no_more_bets"
    with_dice = closes == "no_more_bets" and bets_close_with_the_dice(round_, book)
    return closing(round_, "activation" if with_dice else closes, stake.seat)


def withdrawal_closes(round_: Round, book: Rulebook, wager: str, seat: int) -> RecordedEvent | None:
    """Return the fact that ended a wager's withdrawal, or `None` if none is on record or the chapter sets no limit.

    For a Raise Wager it is "no more bets": the wager may be made later but not taken back (687a.7(c), D286).
    """
    rule_ = book.chapter.wagers.get(wager)
    if rule_ is None:
        return None
    closes = "no_more_bets" if rule_.closes == "reveal" else rule_.closes
    with_dice = closes == "no_more_bets" and bets_close_with_the_dice(round_, book)
    return closing(round_, "activation" if with_dice else closes, seat)


def closing(round_: Round, closes: Closes, seat: int) -> RecordedEvent | None:
    """Return what ended the time for a wager of this kind at a seat ("no more bets", else the first card), or None."""
    match closes:
        case "no_more_bets":
            return round_.first(model.NoMoreBets) or round_.first_card
        case "first_card":
            at_all = round_.first(model.CardsDealt)
            piled = at_all is not None and str(at_all.payload.to).startswith("pile")
            return at_all if piled else round_.first_card
        case "activation":
            began = (closing(round_, "no_more_bets", seat), shaker_used(round_))
            return min((fact for fact in began if fact is not None), key=lambda fact: fact.seq, default=None)
        case "further_cards":
            return _further_cards(round_, seat)
        case "reveal":
            return next((f for f in round_.of(model.HandRevealed) if f.payload.position == "dealer"), None)
        case _:
            assert_never(closes)


def _further_cards(round_: Round, seat: int) -> RecordedEvent | None:
    """Return the fact that dealt a seat more than one card: the second deal to it, or a first one of several cards; or None."""
    deals = [fact for fact in round_.of(model.CardsDealt) if fact.payload.to == seat]
    at_once = [fact for fact in deals[:1] if len(fact.payload.cards) > 1]
    return next(iter((*at_once, *deals[1:])), None)


def shaker_used(round_: Round) -> RecordedEvent | None:
    """Return the fact that the shaker was activated or shaken, or at the latest that its dice were read; or None."""
    began = [round_.first(type_) for type_ in (model.ShakerActivated, model.ShakerShaken, model.DiceRolled)]
    return min((fact for fact in began if fact is not None), key=lambda fact: fact.seq, default=None)


_dice_close: dict[str, bool | None] = {}


def bets_close_with_the_dice(round_: Round, book: Rulebook) -> bool:
    """Return whether all wagers are placed before the shaker is used: if some are on the dice, or a player activates it.

    § 645c.2(f); without either the dice may come before "no more bets" (D28).
    """
    known = _dice_close.get(book.digest, False)
    if book.digest not in _dice_close:
        on_dice = [name for name, rule_ in book.chapter.wagers.items() if rule_.closes == "activation"]
        known = _dice_close[book.digest] = any(name in book.offers for name in on_dice) or (None if on_dice else False)
    return known if known is not None else round_.first(model.ShakerActivated) is not None


def late_section(book: Rulebook, wager: str) -> Citation:
    """Return the section that makes a wager of this kind late."""
    rule_ = book.chapter.wagers.get(wager)
    return rule_.closes_cite if rule_ is not None and rule_.closes_cite is not None else book.cite("7(c)")


def section_without_due(book: Rulebook, wager: str, stake: Stake | None) -> Citation:
    """Return why nothing is due: the section that closed wagering, or for a wager never placed, its own."""
    if stake is not None:
        return late_section(book, wager)
    rule_ = book.chapter.wagers.get(wager)
    return book.cite("11(f)") if rule_ is None or wager == book.chapter.base else rule_.cite


def late_section_of(round_: Round, book: Rulebook, stake: Stake) -> Citation:
    """Return the section that makes a wager late: § 645c.2(f) for any wager after the shaker was used."""
    shaken = shaker_used(round_) if bets_close_with_the_dice(round_, book) else None
    after_shaker = shaken is not None and any(fact.seq > shaken.seq for fact in stake.facts)
    return book.cite(SHAKER_SECTION) if after_shaker and book.has(SHAKER_SECTION) else late_section(book, stake.wager)


def progressive_accepted(round_: Round, book: Rulebook) -> Sequence[RecordedEvent]:
    """Return the wagers that the progressive meter accepted: not the contributions to a Must-Hit-By meter."""
    accepted = round_.of(model.ProgressiveAccepted)
    if book.mystery_meter is None:
        return accepted
    return [fact for fact in accepted if fact.payload.meter != book.mystery_meter]
