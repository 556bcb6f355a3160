"""The hands: each position's cards, their setting, whether it follows the house way, and the order.

58 Pa. Code §§ 688a.7(f), 688a.11(a)-(c), (e), 688a.13(h). `Hands` gives every reading of unread cards and every accepted setting
of the dealer, so that the settlement can find what depends on them (D26).
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Any

import msgspec

from events.vocabulary import model
from replay.findings import name
from replay.fold.derived import derived, derived_by_rules, derived_of_each
from replay.fold.player_dealer_wager import player_dealer_wager
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from rulebook.cards.cards import CODE, DECK, JOKER, READ, TEXT
from rulebook.catalogue import GAMES
from rulebook.chapters.filed_way import is_set_by, settings_of
from rulebook.chapters.rulebook import Rulebook
from rulebook.layout import NO_HAND, Hand
from rulebook.settlement.pai_gow import Position

MAX_READINGS = 20_000
"""Where the unread cards of a hand can be more than this many, or those of a round all together, none of them is tried out."""


class SetHand(msgspec.Struct, frozen=True):
    """Set hands of a position: the cards (an unread card is None), and the facts that show them."""

    high: tuple[int | None, ...]
    low: tuple[int | None, ...]
    medium: tuple[int | None, ...]
    facts: tuple[RecordedEvent, ...]

    @property
    def cards(self) -> tuple[int | None, ...]:
        """All cards of the hands."""
        return (*self.high, *self.medium, *self.low)


@derived
def set_hands(round_: Round) -> dict[Position, SetHand]:
    """Return the valid hands of each position, with the facts of all settings there.

    They are as last set (or reset); a player's hands, if set before the reveal, as they lay at it (§ 688a.11(e), D249, D371).
    """
    made: dict[Position, list[RecordedEvent]] = {}
    for fact in round_.in_order(model.HandSet, model.HandReset):
        made.setdefault(fact.payload.position, []).append(fact)
    return {position: _as_revealed(round_, position, facts) for position, facts in made.items()}


def _as_revealed(round_: Round, position: Position, facts: Sequence[RecordedEvent]) -> SetHand:
    """Return the valid setting among all at a position; without cards if the clocks leave it open."""
    counts = facts[-1].payload
    shown = round_.of(model.HandRevealed) if len(facts) > 1 and position != dealer_position(round_) else ()
    reveal = next((fact for fact in shown if fact.payload.position == position), None) if shown else None
    if reveal is not None:
        before = [fact for fact in facts if round_.certainly_before(fact, reveal)]
        laid = {cards_by_hand(fact.payload) for fact in facts if isinstance(fact.payload, model.HandSet)}
        is_open = len(laid) > 1 and not round_.order_seen
        if is_open or any(round_.certainly_before(fact, reveal) is None for fact in facts):
            return SetHand((None,) * len(counts.high), (None,) * len(counts.low), (None,) * len(counts.medium), tuple(facts))
        counts = before[-1].payload if before else counts
    medium = _codes(counts.medium) if counts.medium else ()
    return SetHand(_codes(counts.high), _codes(counts.low), medium, tuple(facts))


def cards_by_hand(event: model.HandSet) -> tuple[frozenset[str | None], ...]:
    """Return which cards were set into which hand."""
    return frozenset(event.high), frozenset(event.medium), frozenset(event.low)


def _codes(cards: Sequence[str | None]) -> tuple[int | None, ...]:
    return tuple(map(READ.__getitem__, cards))


def foreign_cards(round_: Round, book: Rulebook, position: Position) -> list[int]:
    """Return the cards of a set hand that were not dealt to its position, if both are on record."""
    set_hand, dealt = set_hands(round_).get(position), round_.hands().get(position)
    if set_hand is None or dealt is None or is_as_dealt(round_, book, position):
        return []
    unread = sum(1 for card in dealt if card is None)
    held = [card for card in set_hand.cards if card is not None]
    foreign = [card for card in held if card not in dealt]
    repeated = [card for card in set(held) if held.count(card) > max(1, dealt.count(card))]
    return repeated + foreign[unread:] if len(foreign) > unread else repeated


def foreign_in_words(round_: Round, foreign: Sequence[int], at: Position) -> str:
    """Return foreign cards of a hand in words, each with the other position that it was dealt to, if that is on record."""
    named = []
    for card in sorted(set(foreign)):
        owners = [position for position, cards in round_.hands().items() if card in cards]
        dealt = " and ".join(name(position) for position in owners)
        named.append(f"{TEXT[card]}{' twice' if at in owners else f' (dealt to {dealt})' if dealt else ''}")
    return ", ".join(named)


def in_two_hands(round_: Round, book: Rulebook, position: Position) -> list[int]:
    """Return the cards that were first read at the setting of the position's hands, and that another hand has too (D351)."""
    if book.chapter.numbers.get("copies", 1) > 1:
        return []
    own = _read_when_set(round_, position)
    if not own:
        return []
    others = {card for at, cards in round_.hands().items() if at != position for card in cards if card is not None}
    for at in set_hands(round_):
        if at != position:
            others.update(_read_when_set(round_, at))
    return [card for card in own if card in others]


def _read_when_set(round_: Round, position: Position) -> list[int]:
    """Return the cards of set hands that were unread when dealt."""
    set_hand, dealt = set_hands(round_).get(position), round_.hands().get(position)
    if set_hand is None or (dealt is not None and None not in dealt):
        return []
    return [card for card in set_hand.cards if card is not None and card not in (dealt or ())]


def exposed_cards(round_: Round, position: Position) -> frozenset[int]:
    """Return the exposed cards of a position if some of its cards were not read."""
    if None not in round_.hands().get(position, ()):
        return frozenset()
    seen = [fact.payload.card for fact in round_.of(model.CardExposed) if fact.payload.whose == position]
    return frozenset(CODE[card] for card in seen if card is not None)


@derived_of_each
def is_as_dealt(round_: Round, book: Rulebook, position: Position) -> bool:
    """Whether a position was dealt a full hand, all of it read, and its hands were set from exactly these cards."""
    set_hand, dealt = set_hands(round_).get(position), round_.hands().get(position, [])
    laid, cards = set_hand.cards if set_hand is not None else (), set(dealt)
    same = len(dealt) == len(cards) == len(laid) == book.chapter.numbers["cards_per_hand"]
    return same and None not in cards and cards == set(laid)


@derived_of_each
def readings(round_: Round, book: Rulebook, position: Position) -> list[Hand]:
    """Return every reading of what a position holds and how it was set; `[NO_HAND]` when the record does not tell.

    An unread card can be any that is not known to be elsewhere; a card that was dealt unread but read when the hands
    were set is known, and so is one that was exposed. Hands set with foreign cards count as not known, and so does a hand
    with one card twice (D281), or with a card read only when it was set that lies in another hand too (D351).
    """
    if is_as_dealt(round_, book, position):
        return [_as_set(round_, position)]
    held = _readings(round_, book, position)
    if foreign_cards(round_, book, position):
        held = [msgspec.structs.replace(hand, disputed=True) for hand in held]
    return held


def _as_set(round_: Round, position: Position) -> Hand:
    """Return the hand of a position whose cards were all read and set as dealt."""
    every_card_read: Any = set_hands(round_)[position]
    cards: Any = tuple(round_.hands()[position])
    return Hand(cards, every_card_read.high, every_card_read.low, every_card_read.medium or None)


def _readings(round_: Round, book: Rulebook, position: Position) -> list[Hand]:
    """Read the hand of a position in four steps: its cards, their setting, what is certain, and each unread card in turn."""
    set_hand = set_hands(round_).get(position)
    dealt = _cards_on_record(round_, position)
    if dealt is None or repeated_cards(dealt, book) or in_two_hands(round_, book, position):
        return [NO_HAND]
    if set_hand is not None and not _is_setting_known(round_, book, position, set_hand):
        set_hand = None
    if None not in dealt:
        return [_with_every_card_read(dealt, set_hand, book.chapter.numbers["cards_per_hand"])]
    return _with_unread_cards(round_, book, position, dealt, set_hand) or [NO_HAND]


def _cards_on_record(round_: Round, position: Position) -> list[int | None] | None:
    """Return the cards of a position: as dealt, the unread ones as read when they were set; as set if no deal is on record."""
    set_hand, dealt = set_hands(round_).get(position), round_.hands().get(position)
    if set_hand is None:
        return dealt
    if dealt is None:
        return list(set_hand.cards)
    if None not in dealt:
        return dealt
    cards = list(dealt)
    for card in set_hand.cards:
        if card is not None and card not in dealt and None in cards:
            cards[cards.index(None)] = card
    return cards


def _with_every_card_read(dealt: Sequence[int | None], set_hand: SetHand | None, count: int) -> Hand:
    """Return the one reading of cards that were all read; a card not read when it was set is the remaining one."""
    if set_hand is None or None not in set_hand.cards:
        return _hand(dealt, set_hand, (), count)
    left = [card for card in dealt if card is not None and card not in set_hand.cards]
    if len(left) != set_hand.cards.count(None) or len(set(left)) > 1:
        return _hand(dealt, None, (), count)
    return _hand(dealt, set_hand, left, count)


def _with_unread_cards(
    round_: Round, book: Rulebook, position: Position, dealt: Sequence[int | None], set_hand: SetHand | None
) -> list[Hand]:
    """Return a reading for each way in which the unread cards of a hand can lie; none if these are too many to try."""
    copies, count = book.chapter.numbers.get("copies", 1), book.chapter.numbers["cards_per_hand"]
    jokers = book.chapter.numbers.get("jokers", 1)
    elsewhere = _cards_elsewhere(round_, position, dealt, copies)
    candidates = [c for c in DECK if elsewhere.count(c) < copies and (c != JOKER or jokers)]
    places = _places(set_hand, dealt.count(None))
    if ways(len(candidates), places, copies) * round_.share > MAX_READINGS:
        return []
    shown, hands = exposed_cards(round_, position), []
    if copies == 1 and set_hand is None and len(dealt) == count:
        read = [card for card in dealt if card is not None]
        every = (Hand((*read, *chosen)) for chosen in combinations(candidates, *places))
        return [hand for hand in every if shown.issubset(hand.cards or ())] if shown else list(every)
    for chosen in _choices(candidates, places, copies):
        filling = iter(chosen)
        cards = [card if card is not None else next(filling) for card in dealt]
        if not shown.issubset(cards):
            continue
        if copies == 1 or all(elsewhere.count(card) + chosen.count(card) <= copies for card in chosen):
            hands.append(_hand(cards, set_hand, chosen, count))
    return hands


def _cards_elsewhere(round_: Round, position: Position, dealt: Sequence[int | None], copies: int) -> list[int]:
    """Return each place where a card is on record: in a hand, next to the hands, or seen in another's hand."""
    cards = [card for hand in round_.hands().values() for card in hand if card is not None]
    beside = [fact for fact in round_.of(model.CardsDealt) if fact.payload.to in ("burn", "side")]
    cards += [CODE[card] for fact in beside for card in fact.payload.cards if card is not None]
    cards += [card for card in dealt if card is not None and card not in cards]
    if copies == 1:
        cards += [CODE[fact.payload.card] for fact in round_.found_face_up if fact.payload.card is not None]
        cards += [card for at in round_.hands() if at != position for card in exposed_cards(round_, at)]
    return cards


def repeated_cards(cards: Sequence[int | None], book: Rulebook) -> list[int]:
    """Return the cards that occur twice in one hand of a single deck: either copy may have been misread."""
    if book.chapter.numbers.get("copies", 1) > 1:
        return []
    read = [card for card in cards if card is not None]
    return sorted({card for card in read if read.count(card) > 1})


def _places(set_hand: SetHand | None, missing: int) -> tuple[int, ...]:
    """Return how many unread cards are in each place: in each set hand, and in no recorded hand."""
    if set_hand is None:
        return (missing,)
    unread = tuple(part.count(None) for part in (set_hand.high, set_hand.medium, set_hand.low))
    beside = missing - sum(unread)
    return (*unread, beside) if beside >= 0 else (missing,)


def ways(candidates: int, places: Sequence[int], copies: int = 1) -> int:
    """Return the number of ways to put cards in some places, in any order within each.

    >>> ways(7, (3,)), ways(7, (2, 0, 1)), ways(52, (2,), copies=6)
    (35, 105, 1378)
    """
    if copies > 1:
        return comb(candidates + sum(places) - 1, sum(places))
    found = 1
    for place in places:
        found *= comb(candidates, place)
        candidates -= place
    return found


def _choices(candidates: Sequence[int], places: Sequence[int], copies: int) -> Iterator[tuple[int, ...]]:
    """Yield these ways, the cards of the first place first. With several decks no hands are set: there is one place."""
    if copies > 1:
        yield from combinations_with_replacement(candidates, sum(places))
    elif not places:
        yield ()
    else:
        for here in combinations(candidates, places[0]):
            rest = [card for card in candidates if card not in here]
            for others in _choices(rest, places[1:], copies):
                yield (*here, *others)


def is_set_whole(set_hand: SetHand, book: Rulebook) -> bool:
    """Whether the record has all cards of hands that were set, or one hand that is too large in any case.

    Seven cards in hands of other sizes are foul; with cards missing, the hands may have been right (D26, D245).
    """
    return _is_too_large(set_hand, book) or len(set_hand.cards) >= book.chapter.numbers["cards_per_hand"]


def _is_too_large(set_hand: SetHand, book: Rulebook) -> bool:
    """Return whether one of the hands has more cards than it may have, which is foul whatever they are (D246)."""
    parts = {"high": set_hand.high, "medium": set_hand.medium, "low": set_hand.low}
    sizes = GAMES[book.game].hands
    return any(len(cards) > sizes.get(part, 0) for part, cards in parts.items())


def _is_setting_known(round_: Round, book: Rulebook, position: Position, set_hand: SetHand) -> bool:
    """Return whether it is known how hands were set: whole, and of the cards dealt; a player's too large hand is foul anyway."""
    if not foreign_cards(round_, book, position):
        return is_set_whole(set_hand, book)
    all_read = None not in set_hand.cards and None not in round_.hands().get(position, ())
    return all_read and position != dealer_position(round_) and _is_too_large(set_hand, book)


def _hand(dealt: Sequence[int | None], set_hand: SetHand | None, chosen: Sequence[int], count: int) -> Hand:
    """Make a reading: the cards, and the hands with the chosen cards in the places that were not read, in order."""
    cards = tuple(card for card in dealt if card is not None)
    if len(cards) != count:
        return NO_HAND
    if set_hand is None:
        return Hand(cards)
    left = list(chosen)
    if sum(1 for card in set_hand.cards if card is None) > len(left):
        return Hand(cards)
    high, medium, low = (
        tuple(card if card is not None else left.pop(0) for card in part)
        for part in (set_hand.high, set_hand.medium, set_hand.low)
    )
    return Hand(cards, high, low, medium or None)


@derived_by_rules
def dealer_readings(round_: Round, book: Rulebook) -> list[Hand]:
    """Return every reading of the dealer's hands as they count: as set if that is by the house way, else as the house way sets
    them.

    Hands against the house way are reset and the round completed (§ 688a.13(h)); if the house way accepts several
    settings, each is a reading. If no house way binds, the hands count as they were set; those of a player-dealer that were
    set again when a player had set count as they were set before and after that (D548).
    """
    way = book.house_way
    found: list[Hand] = []
    if again := set_again(round_):
        found += readings(round_.reading({}, again[1:]), book, dealer_position(round_))
    for hand in readings(round_, book, dealer_position(round_)):
        if (
            hand.cards is None
            or way is None
            or not book.has("13(h)")
            or (hand.high is not None and is_by_house_way(round_, book, hand))
        ):
            found.append(hand)
        else:
            found += settings_of(way, hand.cards)
    return found


@derived
def dealer_position(round_: Round) -> Position:
    """Return the position whose hands the others play against: the dealer, in California the player-dealer's seat."""
    bank = player_dealer_wager(round_)
    return "dealer" if bank is None else int(bank.payload.seat)


@derived_of_each
def is_by_house_way(round_: Round, book: Rulebook, hand: Hand) -> bool:
    """Whether hands as set are ones that the house way, if one is filed, accepts for the cards held."""
    way, set_cards = book.house_way, (*(hand.high or ()), *(hand.medium or ()), *(hand.low or ()))
    return way is not None and sorted(set_cards) == sorted(hand.cards or ()) and is_set_by(way, hand)


@derived
def set_again(round_: Round) -> Sequence[RecordedEvent]:
    """Return a player-dealer's settings before any player's and after one; empty if they did not change."""
    own = dealer_position(round_)
    placed = round_.in_order(model.HandSet, model.HandReset) if own != "dealer" else ()
    players = next((fact for fact in placed if fact.payload.position != own), None)
    settings = [fact for fact in placed if fact.payload.position == own]
    before = [fact for fact in settings if players is not None and fact.seq < players.seq]
    after = settings[len(before) :]
    if not before or not after or cards_by_hand(before[-1].payload) == cards_by_hand(after[-1].payload):
        return ()
    return (before[-1], *after)


def dealer_set(round_: Round) -> RecordedEvent | None:
    """Return the event in which the dealer's hands were first set, or None."""
    return next((fact for fact in round_.of(model.HandSet) if fact.payload.position == "dealer"), None)
