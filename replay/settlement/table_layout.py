"""The table at the settlement of a round, from its facts: the input of a game's settlement (`rulebook.layout`)."""

from collections.abc import Mapping, Sequence
from math import inf

from events.vocabulary import model
from replay.fold.all_wagers_returned import seats_returned_as_void
from replay.fold.derived import derived, derived_by_rules
from replay.fold.recorded_event import RecordedEvent, in_order
from replay.fold.round import Round
from replay.fold.wager_keys import key_in
from replay.settlement.exposures import elected_by_return
from replay.settlement.game_terms import terms_of
from replay.settlement.payouts import WagerFlow, flows
from replay.settlement.stakes import Stake, progressive_accepted, stakes
from replay.settlement.surrenders import standing_surrenders
from rulebook.cards.cards import JOKER, READ
from rulebook.chapters.rulebook import Rulebook
from rulebook.layout import NO_METER, BettingBox, Dice, FurtherWager, Hand, MeterAtSettlement, TableLayout

OTHERS = frozenset({"match", "backline"})
"""Wagers that one seat can have several times."""


def layout_of(round_: Round, book: Rulebook, staked: Sequence[Stake], dealer: Hand, held: Mapping[int, Hand]) -> TableLayout:
    """Return the table of one reading: the dealer's hand and those of the seats with a stake."""
    layout = TableLayout(
        boxes=boxes(round_, book, staked, held),
        dealer=dealer,
        side=side_card(round_),
        sides=possible_side_cards(round_),
        side_in_hand=_lies_beside_joker(round_),
        dice=dice(round_),
        meter=meter_at_settlement(round_, book),
    )
    complete = terms_of(book.game).complete_layout
    return complete(round_, book, layout) if complete is not None else layout


def boxes(round_: Round, book: Rulebook, staked: Sequence[Stake], held: Mapping[int, Hand]) -> list[BettingBox]:
    """Return the betting positions with a stake: their hands and stakes."""
    voided = voided_seats(round_, book)
    given_up = {fact.payload.seat for fact in standing_surrenders(round_, book)}
    collected = _collected(round_, book) if given_up else frozenset()
    abandoned = abandoned_wagers(round_)
    by_seat: dict[int, dict[str, int]] = {}
    others: dict[int, tuple[FurtherWager, ...]] = {}
    bettor: dict[int, str] = {}
    for stake in staked:
        placed = by_seat.setdefault(stake.seat, {})
        if stake.wager in OTHERS:
            each = FurtherWager(stake.wager, stake.bettor, stake.number, stake.in_time_cents)
            others[stake.seat] = (*others.get(stake.seat, ()), each)
        else:
            placed[stake.wager] = stake.in_time_cents
            bettor.setdefault(stake.seat, stake.bettor)
    return [
        BettingBox(
            seat,
            bettor.get(seat, ""),
            held[seat],
            placed,
            others.get(seat, ()),
            surrendered=seat in given_up,
            voided=seat in voided,
            abandoned=seat in abandoned,
            collected=seat in collected,
            settled=tuple(sorted(frozenset(placed) - abandoned[seat])) if seat in abandoned else (),
        )
        for seat, placed in by_seat.items()
    ]


def _collected(round_: Round, book: Rulebook) -> frozenset[int]:
    """Return the seats whose base wager was taken as surrendered, or after a surrender, and not returned (§ 688a.11(d))."""
    announced: dict[int, int] = {}
    for fact in standing_surrenders(round_, book):
        announced.setdefault(fact.payload.seat, fact.seq)
    base = {seat: flow for (seat, wager, *_), flow in flows(round_).items() if wager == book.chapter.base}
    return frozenset(
        seat
        for seat, seq in announced.items()
        if seat in base and _is_collected(in_order(base[seat].facts), seq, round_.order_seen)
    )


def _is_collected(moves: Sequence[RecordedEvent], announced: int, order_seen: bool) -> bool:
    """Return whether a base wager was collected as surrendered and no part of it returned since."""
    if not order_seen:  # then it was announced at the latest when the wager was taken for it
        given_up = (fact.seq for fact in moves if getattr(fact.payload, "reason", "") == "surrendered")
        announced = max(announced, next(given_up, announced))
    taken = next(
        (
            fact.seq
            for fact in moves
            if isinstance(fact.payload, model.WagerTaken) and (fact.seq >= announced or fact.payload.reason == "surrendered")
        ),
        None,
    )
    if taken is None:
        return False
    given = [fact for fact in moves if not isinstance(fact.payload, model.WagerTaken)]
    return not any(fact.seq > min(taken, announced) for fact in given if getattr(fact.payload, "reason", "") != "late")


@derived
def side_cards(round_: Round) -> tuple[int | None, ...]:
    """Return the cards that were placed as the side card, each once; None for one that was not read."""
    placed = (card for fact in round_.of(model.CardsDealt) if fact.payload.to == "side" for card in fact.payload.cards)
    return tuple(dict.fromkeys(READ[card] for card in placed))


def side_card(round_: Round) -> int | None:
    """Return the side card, or None if it is not on record, or several were placed (D671)."""
    cards = _readable_side_cards(round_)
    return cards[0] if len(cards) == 1 else None


def possible_side_cards(round_: Round) -> tuple[int, ...]:
    """Return the possible side cards, if several were placed and all are on record."""
    cards = _readable_side_cards(round_)
    return cards if len(cards) > 1 else ()


@derived
def _readable_side_cards(round_: Round) -> tuple[int, ...]:
    """Return the cards placed as the side card; empty if one was unread, or by the record is next to the joker (D281)."""
    cards = tuple(card for card in side_cards(round_) if card is not None)
    return () if _lies_beside_joker(round_) or None in side_cards(round_) else cards


def _lies_beside_joker(round_: Round) -> bool:
    return any(
        JOKER in hand and card in hand for hand in round_.hands().values() for card in side_cards(round_) if card is not None
    )


def dice(round_: Round) -> Dice | None:
    """Return the dice of the valid roll, or None; if two valid rolls differ, the dice count as unread."""
    rolls = [fact.payload for fact in round_.of(model.DiceRolled) if fact.payload.lie == "flat"]
    if not rolls:
        return None
    same = all((each.dice, each.colours) == (rolls[-1].dice, rolls[-1].colours) for each in rolls)
    return Dice(tuple(rolls[-1].dice) if same else (None, None, None), tuple(rolls[-1].colours) if rolls[-1].colours else None)


def meter_at_settlement(round_: Round, book: Rulebook) -> MeterAtSettlement:
    """Return the progressive meter before the first winner, and of a linked one the reading at each winner's turn."""
    if "progressive" not in book.offers:
        return NO_METER
    won = progressive_wins(round_, book)
    if book.linked_meter:
        return MeterAtSettlement(by_turn={fact.payload.seat: fact.payload.reading_centicents for fact in won})
    accepted = progressive_accepted(round_, book)
    if accepted and all_accepted_on_record(round_, book):
        return MeterAtSettlement(reading=accepted[-1].payload.reading_centicents)
    if won:
        return MeterAtSettlement(reading=_first_won(won).payload.reading_centicents)
    return NO_METER


def all_accepted_on_record(round_: Round, book: Rulebook) -> bool:
    """Return whether each progressive wager that may have advanced the meter is on record as accepted (D561).

    The system counts them when it locks; if it has no count, each wager at a box may have been accepted.
    """
    seats = {fact.payload.seat for fact in progressive_accepted(round_, book)}
    locked = round_.last(model.ProgressiveLocked)
    if locked is not None:
        counted: int = locked.payload.accepted
        return counted <= len(seats)
    at_boxes = {stake.seat for stake in stakes(round_, book).values() if stake.wager == "progressive" and stake.in_time_cents}
    return at_boxes <= seats


def _first_won(won: Sequence[RecordedEvent]) -> RecordedEvent:
    """Return the winner whose meter reading is not after another's payout; if unclear, the first on record (D316)."""
    left = {fact.payload.after_centicents for fact in won}
    distinct_by = [fact for fact in won if fact.payload.reading_centicents not in left]
    return distinct_by[0] if len(distinct_by) == 1 else won[0]


def progressive_wins(round_: Round, book: Rulebook) -> Sequence[RecordedEvent]:
    """Return the controller's records of the progressive meter's winners."""
    won = round_.of(model.ProgressiveWon)
    return won if book.mystery_meter is None else [f for f in won if f.payload.meter != book.mystery_meter]


@derived_by_rules
def voided_seats(round_: Round, book: Rulebook) -> frozenset[int]:
    """Return the seats whose hand was voided, by election or by declaration (§ 688a.13(d)).

    All wagers of an exposed hand that go back as void are an election too (D501).

    A player who elected to play, and then looked at the cards, set them or had a wager settled, can void no more until another
    card is exposed (D339).
    """
    by_return = elected_by_return(round_, book)
    if not round_.of(model.HandElected) and not round_.of(model.RoundVoided):
        return by_return
    elected, playing, bound = set[int](), set[int](), set[int | str]()
    ends = (model.HandExamined, model.HandSet, model.WagerTaken, model.WagerPaid, model.WagerReturned)
    for fact in round_.in_order(model.HandElected, model.CardExposed, *ends) if round_.of(model.HandElected) else ():
        match fact.payload:
            case model.HandElected(seat=seat, election="void"):
                elected |= {seat} - (playing & bound)
            case model.HandElected(seat=seat):
                playing.add(seat)
            case model.CardExposed(whose=whose, by="dealer" | "device"):
                playing = {seat for seat in playing if whose not in (seat, "stack")}
            case model.HandExamined(seat=seat) | model.HandSet(position=seat):
                bound.add(seat)
            case model.WagerTaken(wager=wager, seat=seat) | model.WagerPaid(wager=wager, seat=seat) if wager != "progressive":
                bound.add(seat)
            case model.WagerReturned(seat=seat, reason=reason) if reason not in ("late", "void"):
                bound.add(seat)
    if not round_.order_seen:  # of two elections, the one that the settlement followed
        elected -= playing - seats_returned_as_void(round_)
    declared = {fact.payload.scope for fact in round_.of(model.RoundVoided) if fact.payload.scope != "round"}
    return frozenset(elected | declared) | by_return


@derived
def abandoned_wagers(round_: Round) -> dict[int, frozenset[str]]:
    """Return the abandoned wagers by seat: reported so, or taken as abandoned when a patron left (§ 688a.7(b), D284).

    A wager settled before is not one of them (D338): taken before its patron left, or paid or returned before it was reported
    abandoned. If only a collection's reason reports it, a wager paid at any time is not one of them.
    """
    abandoned_at: dict[int, float] = {}
    for fact in round_.of(model.WagerAbandoned):
        abandoned_at.setdefault(fact.payload.seat, fact.seq)
    taken = [fact.payload for fact in round_.of(model.WagerTaken) if fact.payload.reason == "abandoned"]
    if not abandoned_at and not taken:
        return {}
    left = leaving(round_)
    for event in taken:
        if event.seat in left or event.bettor in left:
            abandoned_at.setdefault(event.seat, inf)
    found: dict[int, set[str]] = {}
    for fact in round_.of(model.WagerPlaced) if abandoned_at else ():
        event, flow = fact.payload, flows(round_).get(key_in(fact.payload), WagerFlow())
        until = abandoned_at.get(event.seat)
        if until is not None:
            gone = left.get(event.seat, left.get(event.bettor, until))
            if not any(_is_settled_before(move, gone, until) for move in flow.facts):
                found.setdefault(event.seat, set()).add(event.wager)
    return {seat: frozenset(wagers) for seat, wagers in found.items()}


def _is_settled_before(move: RecordedEvent, left: float, abandoned: float) -> bool:
    """Return whether a wager was taken before its patron left, or paid or returned before it was reported abandoned.

    A progressive wager is collected before the deal: that settles nothing.
    """
    match move.payload:
        case model.WagerTaken(reason=reason, wager=wager):
            return reason != "abandoned" and wager != "progressive" and move.seq < left
        case model.WagerReturned(reason=reason) if reason in ("late", "uncovered"):
            return False
        case _:
            return move.seq < abandoned


def sitting(round_: Round) -> frozenset[str]:
    """Return who sits at the table at the end of the round, by the record."""
    sits = dict(round_.before.patrons)
    for fact in round_.in_order(model.PatronSeated, model.PatronLeft):
        if isinstance(fact.payload, model.PatronSeated):
            sits[fact.payload.seat] = fact.payload.patron
        else:
            sits.pop(fact.payload.seat, None)
    return frozenset(sits.values())


def leaving(round_: Round) -> dict[int | str, int]:
    """Return when a seat was left in the round, and when a patron who now has no other seat left."""
    if not round_.of(model.PatronLeft):
        return {}
    sits = sitting(round_)
    found: dict[int | str, int] = {}
    for fact in round_.of(model.PatronLeft):
        found.setdefault(fact.payload.seat, fact.seq)
        if fact.payload.patron not in sits:
            found.setdefault(fact.payload.patron, fact.seq)
    return found
