"""Compares two records of one round: the cards, the wagers, the settlement. It does not decide which is right.

Only facts in both records are compared: a person enters what they saw, and claims nothing else. A card unread in one of them is
not a difference, nor is a wager in one of them that was refused or withdrawn altogether.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from events.vocabulary import model
from events.vocabulary.model import Event
from replay.findings import name
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Position, Round
from replay.fold.wager_keys import Key, key_in
from replay.settlement.payouts import flows
from rulebook.cards.cards import TEXT
from rulebook.chapters.money import show_money


class RecordDifference(msgspec.Struct, frozen=True, kw_only=True):
    """A difference of two records: its seat and wager, the other's content, this one's content, and its events."""

    seat: int | None
    wager: str | None
    other: str
    entered: str
    evidence: tuple[int, ...]


class RecordComparison(msgspec.Struct, frozen=True, kw_only=True):
    """How many cards and amounts both records state, how many are the same, and the differences."""

    cards: int
    cards_alike: int
    amounts: int
    amounts_alike: int
    differences: tuple[RecordDifference, ...]


def compared(entered: Round, other: Round) -> RecordComparison:
    """Compare the entry of a round with another record of it."""
    differences: list[RecordDifference] = []
    cards = cards_alike = amounts = amounts_alike = 0
    theirs = other.hands()
    for position, hand in entered.hands().items():
        if position not in theirs:
            continue
        alike, total = _alike(hand, theirs[position])
        cards, cards_alike = cards + total, cards_alike + alike
        if alike < total:
            differences.append(_of_cards(position, hand, theirs[position], entered))
    for what, read in (("wagered", _wagered), ("settled", _settled)):
        said, known = read(entered), read(other)
        for key, (cents, words, facts) in said.items():
            if key not in known and (what == "settled" or not known or not any(cents)):
                continue
            amounts += 1
            stated = known[key][0] if key in known else None
            if stated == cents:
                amounts_alike += 1
                continue
            theirs_words = known[key][1] if key in known else f"nothing {what}"
            evidence = tuple(fact.seq for fact in facts)
            differences.append(RecordDifference(seat=key[0], wager=key[1], other=theirs_words, entered=words, evidence=evidence))
    return RecordComparison(
        cards=cards, cards_alike=cards_alike, amounts=amounts, amounts_alike=amounts_alike, differences=tuple(differences)
    )


def _alike(hand: Sequence[int | None], other: Sequence[int | None]) -> tuple[int, int]:
    """Return how many cards two hands have in common, and how many can be compared: an unread card matches any.

    >>> _alike([1, 2, None], [2, 1, 3]), _alike([1, 2], [1, 3]), _alike([1, 2], [1, 2, 3])
    ((3, 3), (1, 2), (2, 3))
    """
    known, others = (Counter(card for card in hand if card is not None), Counter(card for card in other if card is not None))
    common = (known & others).total()
    unread = len(hand) - known.total(), len(other) - others.total()
    left, lacking = known.total() - common, others.total() - common
    common += min(left, unread[1]) + min(lacking, unread[0])
    total = max(len(hand), len(other))
    return min(common + min(max(unread[0] - lacking, 0), max(unread[1] - left, 0)), total), total


def _of_cards(position: Position, hand: Sequence[int | None], other: Sequence[int | None], entered: Round) -> RecordDifference:
    facts = [fact for fact in entered.of(model.CardsDealt) if fact.payload.to == position]
    return RecordDifference(
        seat=position if isinstance(position, int) else None,
        wager=None,
        other=f"{name(position)}: {_shown(other)}",
        entered=f"{name(position)}: {_shown(hand)}",
        evidence=tuple(fact.seq for fact in facts),
    )


def _shown(cards: Sequence[int | None]) -> str:
    return " ".join("?" if card is None else TEXT[card] for card in cards)


Amounts = Mapping[Key, tuple[tuple[int, ...], str, Sequence[RecordedEvent]]]
"""Wager → amounts in cents, the same in words, and the facts that state them."""

_SIGNS: tuple[tuple[type[Event], int], ...] = ((model.WagerPlaced, 1), (model.WagerRemoved, -1), (model.WagerRefused, -1))


def _wagered(round_: Round) -> Amounts:
    cents, facts = Counter[Key](), dict[Key, list[RecordedEvent]]()
    for type_, sign in _SIGNS:
        for fact in round_.of(type_):
            key = key_in(fact.payload)
            cents[key] += sign * fact.payload.amount_cents
            facts.setdefault(key, []).append(fact)
    return {key: ((cents[key],), f"{show_money(cents[key])} wagered", facts[key]) for key in facts}


def _settled(round_: Round) -> Amounts:
    return {
        key: (
            (flow.taken_cents, flow.winnings_cents, flow.stake_back_cents),
            ", ".join(_settlement_words(flow.taken_cents, flow.winnings_cents, flow.stake_back_cents)),
            flow.facts,
        )
        for key, flow in flows(round_).items()
    }


def _settlement_words(taken: int, winnings: int, back: int) -> Iterator[str]:
    if taken:
        yield f"{show_money(taken)} taken"
    if winnings or not (taken or back):
        yield f"{show_money(winnings)} paid"
    if back:
        yield f"{show_money(back)} of the stake returned"
