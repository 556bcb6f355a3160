"""The owner of an exposed card; an undelivered card is its receiver's (58 Pa. Code §§ 688a.13(d), 659a.13(d), (e))."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import takewhile
from operator import attrgetter

from events.vocabulary import model
from replay.fold.all_wagers_returned import seats_returned_as_void
from replay.fold.derived import derived
from replay.fold.recorded_event import RecordedEvent, in_order
from replay.fold.round import Question, Round
from rulebook.cards.cards import CODE
from rulebook.chapters.rulebook import Rulebook
from rulebook.settlement.pai_gow import Position

WHOSE = "a card was exposed before it was dealt, and whose it became is not on record"
PLAYED_OUT = "the hand was looked at, set or revealed after a card of it was exposed, and its wagers went back as void"


def owner_of(round_: Round, exposed: RecordedEvent) -> Position | None:
    """Return the position whose card was exposed (of a stack, the one it was dealt to); None if not on record."""
    whose = exposed.payload.whose
    if whose != "stack":
        position: Position = whose
        return position
    card = exposed.payload.card
    if card is None:
        return None
    return next((position for position, cards in round_.hands().items() if CODE[card] in cards), None)


def may_be_of(round_: Round, book: Rulebook, exposed: RecordedEvent, position: Position) -> bool:
    """Say whether a card of the stack that is in no hand on record may be a position's: it was not read, or that hand was not."""
    card = exposed.payload.card
    if owner_of(round_, exposed) is not None or any(card in fact.payload.cards for fact in round_.of(model.CardsDealt) if card):
        return False
    held = round_.hands().get(position, ())
    return card is None or None in held or len(held) < book.chapter.numbers["cards_per_hand"]


def dealer_turned_over(round_: Round) -> RecordedEvent | None:
    """Return the event that turned over the dealer's face-down cards (revealed or set), or None. Cards dealt face up are
    exposed from the start (D521).
    """
    turned = [fact for fact in round_.in_order(model.HandRevealed, model.HandSet) if fact.payload.position == "dealer"]
    return turned[0] if turned else None


def dealer_cards_seen(round_: Round) -> list[tuple[RecordedEvent, bool | None]]:
    """Return the events that showed a card of the dealer, and whether each came before the cards were turned over.

    None if the clocks contradict that order.
    """
    turned = dealer_turned_over(round_)
    seen = [fact for fact in round_.of(model.CardExposed) if owner_of(round_, fact) == "dealer"]
    seen += [fact for fact in round_.of(model.CardsDealt) if fact.payload.to == "dealer" and fact.payload.face_up]
    return [(fact, True if turned is None else round_.certainly_before(fact, turned)) for fact in in_order(seen)]


def may_be_of_the_dealer(round_: Round, book: Rulebook) -> list[RecordedEvent]:
    """Return the cards of the stack, exposed before the dealer's were turned over, that may have become the dealer's."""
    turned = dealer_turned_over(round_)
    return [
        fact
        for fact in round_.of(model.CardExposed)
        if fact.payload.by != "player"
        and (turned is None or round_.certainly_before(fact, turned) is not False)
        and may_be_of(round_, book, fact, "dealer")
    ]


def elected_by_return(round_: Round, book: Rulebook) -> frozenset[int]:
    """Return the seats whose hand was voided without an election on record: a card of it was exposed, and all its wagers went
    back as void.

    "The player may void the hand" (§ 688a.13(d), D501). A card seen after the hands were revealed does not count, nor does a seat
    that has an election on record. The owner of a card of the stack may be open (D515): then a reading assumes one.
    """
    returned = _returned_after_exposure(round_, book)
    return frozenset(seat for seat, question in returned if question is None or round_.answers.get(question, False))


def open_elections(round_: Round, book: Rulebook) -> dict[Question, int]:
    """Return the open questions about a seat whose wagers were all returned as void.

    Whether a card of the stack that was exposed became its own, and whether the player voided a hand that was played on (D548).
    """
    returned = _returned_after_exposure(round_, book)
    certain = {seat for seat, question in returned if question is None}
    return {
        question: seat
        for seat, question in returned
        if question is not None and seat not in certain and question not in round_.answers
    }


def _returned_after_exposure(round_: Round, book: Rulebook) -> list[tuple[int, Question | None]]:
    """Return each seat whose wagers were all returned as void after an exposure, with the open question (None: its own card)."""
    if not round_.of(model.CardExposed) or not round_.of(model.WagerReturned) or not book.has("13(d)"):
        return []
    returned = seats_returned_as_void(round_) - {fact.payload.seat for fact in round_.of(model.HandElected)}
    return [
        (seat, question)
        for fact in round_.of(model.CardExposed)
        if fact.payload.by != "player"
        for seat, question in _seats_shown(round_, book, fact)
        if seat in returned and not is_over(round_, seat, fact)
    ]


def why_open(round_: Round, book: Rulebook, seat: int) -> str | None:
    """Say what is asked of a seat's exposed card, in words; None if nothing is."""
    asked = [question for question, of in open_elections(round_, book).items() if of == seat]
    if not asked:
        return None
    return PLAYED_OUT if asked[0] == _played_out(seat, asked[0][1]) else WHOSE


def _played_out(seat: int, seq: int) -> Question:
    return f"the hand of seat {seat} voided, though it was played on", seq


def _seats_shown(round_: Round, book: Rulebook, exposed: RecordedEvent) -> Iterator[tuple[int, Question | None]]:
    """Yield the seat whose card was exposed; for a card of the stack every seat that may have received it, as a question."""
    owner = owner_of(round_, exposed)
    if isinstance(owner, int):
        yield owner, _played_out(owner, exposed.seq) if is_played_on(round_, owner, exposed) else None
    for seat in {fact.payload.seat for fact in round_.of(model.WagerReturned)} if owner is None else ():
        if may_be_of(round_, book, exposed, seat):
            yield seat, (f"a card of seat {seat} exposed", exposed.seq)


def is_played_on(round_: Round, seat: int, exposed: RecordedEvent) -> bool:
    """Say whether a hand was looked at, set or revealed after a card of it was exposed and before its first wager went back."""
    returned, seen = _returns(round_).get(seat), looks(round_, seat)
    look = bisect_right(seen, exposed.seq, key=attrgetter("seq"))
    return look < len(seen) and (not returned or seen[look].seq < returned[0].seq)


def looks(round_: Round, seat: int) -> Sequence[RecordedEvent]:
    """Return the facts that show that someone has seen the cards of a seat, in order: they were looked at, set or revealed."""
    return _looks(round_).get(seat, ())


@derived
def _looks(round_: Round) -> dict[Position, list[RecordedEvent]]:
    return _by_place(round_, model.HandExamined, model.HandSet, model.HandReset, model.HandRevealed)


@derived
def _returns(round_: Round) -> dict[Position, list[RecordedEvent]]:
    return _by_place(round_, model.WagerReturned)


@derived
def _ends(round_: Round) -> dict[Position, list[RecordedEvent]]:
    return _by_place(round_, model.HandRevealed, model.WagerReturned)


def _by_place(round_: Round, *types: type[model.Event]) -> dict[Position, list[RecordedEvent]]:
    """Return the facts of these types, in order, by the seat or the position that they name: a round may have thousands."""
    found: defaultdict[Position, list[RecordedEvent]] = defaultdict(list)
    for fact in round_.in_order(*types):
        event = fact.payload
        found[event.seat if isinstance(event, model.HandExamined | model.WagerReturned) else event.position].append(fact)
    return dict(found)


def is_over(round_: Round, seat: int, exposed: RecordedEvent) -> bool:
    """Return whether the hand was certainly over when the card was exposed: revealed, or its wagers returned."""
    earlier = takewhile(lambda each: each.seq < exposed.seq, _ends(round_).get(seat, ()))
    return any(round_.certainly_before(each, exposed) for each in earlier)
