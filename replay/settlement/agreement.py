"""What several readings of the record have in common: which hands lie together, and what is due in all of them (D26)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import prod

import msgspec

from games.layout import NO_HAND, Hand
from games.settlement.wagers import Due, Outcome
from replay.fold.wager_keys import Key, key_in
from replay.settlement.hand_readings import MAX_READINGS

Held = Mapping[int, Sequence[Hand]]
"""Every reading of the hand of each seat."""
Settle = Callable[[Hand, dict[int, Hand]], list[Due]]
"""What is due with a dealer's hand and those of the seats."""


def due_in_all(dealers: Sequence[Hand], held: Held, settle: Settle, single_deck: bool) -> list[Due]:
    """Return what is due under all readings of the hands; where they are too many together, hand by hand (D279, D346).

    What is due with all but one of the open hands unknown is due whatever they are.
    """
    if len(dealers) * prod(len(each) for each in held.values()) <= MAX_READINGS:
        return agreed(_outcomes(dealers, held, settle, single_deck))
    closed: Held = {seat: each if len(each) == 1 else [NO_HAND] for seat, each in held.items()}
    found = agreed(_outcomes(dealers, closed, settle, single_deck))
    left = MAX_READINGS
    for seat, each in sorted(held.items(), key=lambda item: len(item[1])):
        left -= len(dealers) * len(each)
        if len(each) == 1 or left < 0:
            continue
        by_place = {_place(due): due for due in agreed(_outcomes(dealers, {**closed, seat: each}, settle, single_deck))}
        known = [due if due.net_cents is not None else by_place.get(_place(due)) for due in found]
        found = [due for due in known if due is not None]
    return found


def _outcomes(dealers: Sequence[Hand], held: Held, settle: Settle, single_deck: bool) -> Iterator[list[Due]]:
    """Settle each combination of readings; of a single deck no unread card is one that another reading has too (D281, D346)."""
    several_open = sum(len(each) > 1 for each in (dealers, *held.values())) > 1
    together = list(_together(dealers, held)) if single_deck and several_open else []
    for dealer, *each in together or product(dealers, *held.values()):
        yield settle(dealer, dict(zip(held, each, strict=True)))


def _together(dealers: Sequence[Hand], held: Held) -> Iterator[tuple[Hand, ...]]:
    """The combinations in which no card that was not read lies twice; those that were read lie as they do."""
    of_each = [dealers, *held.values()]
    read = [frozenset.intersection(*(frozenset(hand.cards or ()) for hand in hands)) for hands in of_each]
    for combination in product(*of_each):
        taken = Counter(card for hand in combination for card in hand.cards or ())
        if all(
            taken[card] == 1
            for hand, known in zip(combination, read, strict=True)
            for card in hand.cards or ()
            if card not in known
        ):
            yield combination


def agreed(outcomes: Iterable[list[Due]]) -> list[Due]:
    """Merge the dues of several readings, one after the other: what all agree on stands, the rest is unknown.

    An amount that differs may still be a win, a share of the meter or a part in cash in all of them.
    """
    found: defaultdict[tuple[Key, int | None], dict[tuple[object, ...], Due]] = defaultdict(dict)
    in_so_many: Counter[tuple[Key, int | None]] = Counter()
    tried = 0
    for outcome in outcomes:
        tried += 1
        for due in outcome:
            place = _place(due)
            in_so_many[place] += 1
            result = due.net_cents, due.share_bp, due.cash_cents, due.outcome, due.range_cents
            found[place].setdefault(result, due)
    return [_merged(list(dues.values()), in_so_many[place] == tried) for place, dues in found.items()]


def _place(due: Due) -> tuple[Key, int | None]:
    return key_in(due), due.for_position


def _merged(dues: Sequence[Due], in_all: bool) -> Due:
    """Merge what one wager is due in several readings; in one without it nothing is due, and nothing lost."""
    first = dues[0]
    if {(due.net_cents, due.share_bp) for due in dues} == {(first.net_cents, first.share_bp)} and (
        in_all or first.net_cents == 0
    ):
        return first if _end_alike(dues) else msgspec.structs.replace(first, outcome=Outcome.UNKNOWN, line="")
    shares = {(due.share_bp, due.cash_cents) for due in dues}
    share_bp, cash_cents = (first.share_bp, first.cash_cents) if in_all and len(shares) == 1 else (0, 0)
    wins = in_all and all(due.outcome is Outcome.WIN or due.share_bp for due in dues)
    return msgspec.structs.replace(
        first,
        net_cents=None,
        winnings_cents=0,
        share_bp=share_bp,
        cash_cents=cash_cents,
        slip_cents=0,
        uncapped_cents=0,
        outcome=Outcome.WIN if wins else Outcome.UNKNOWN,
        line="",
        range_cents=_range(dues, in_all),
    )


def _end_alike(dues: Sequence[Due]) -> bool:
    """Say whether dues of the same amount end in a void in all readings, or in none: a void is another finding."""
    return len({due.outcome is Outcome.VOID for due in dues}) == 1


def _range(dues: Sequence[Due], in_all: bool) -> tuple[int, int] | None:
    """Return the least and the most that a wager is due in any reading; null where that is not known of one of them."""
    ranges = [due.range_cents if due.net_cents is None else (due.net_cents, due.net_cents) for due in dues]
    known = [each for each in ranges if each is not None]
    if len(known) < len(ranges):
        return None
    nothing = [] if in_all else [(0, 0)]
    return min(least for least, _ in (*known, *nothing)), max(most for _, most in (*known, *nothing))
