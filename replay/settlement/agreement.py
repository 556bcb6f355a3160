"""The common part of several readings of the record: which hands are possible together, and what is due in all of them (D26)."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from math import prod

import msgspec

from replay.fold.wager_keys import Key, key_in
from rulebook.layout import NO_HAND, Hand
from rulebook.settlement.wagers import Due, Outcome

Settle = Callable[[Hand, dict[int, Hand]], list[Due]]
"""What is due with a dealer's hand and those of the seats."""
Groups = Sequence[Sequence[Hand]]
"""The readings of a hand, those together that are settled in the same way."""

MOST_SETTLED = 1_500
"""The limit of combinations to settle if a game says which hands settle in the same way: some tenth of a second."""


MOST_TRIED = 50
"""Of hands with the same settlement, this many combinations are tried to find one that holds no card twice."""


def due_in_all(dealers: Groups, held: Mapping[int, Groups], settle: Settle, single_deck: bool, most: int) -> list[Due]:
    """Return what is due under all readings of the hands; if the combinations are too many, hand by hand (D279, D346).

    Hand by hand, only one open hand is tried and the others count as unknown, so an amount due does not depend on them. Of
    several equivalent hands only one is settled; `most` limits the number of combinations.
    """
    if len(dealers) * prod(len(each) for each in held.values()) <= most:
        return agreed(_outcomes(dealers, held, settle, single_deck))
    closed = {seat: each if is_known(each) else [[NO_HAND]] for seat, each in held.items()}
    left = most - len(dealers)
    found = agreed(_outcomes(dealers if left >= 0 else [[NO_HAND]], closed, settle, single_deck))
    for seat, each in sorted(held.items(), key=lambda item: len(item[1])):
        left -= len(dealers) * len(each)
        if is_known(each) or left < 0:
            continue
        opened = agreed(_outcomes(dealers, {**closed, seat: each}, settle, single_deck))
        by_place = {_place(due): due for due in opened}
        known = [due if due.net_cents is not None else by_place.get(_place(due)) for due in found]
        found = [due for due in known if due is not None]
    return found


def grouped(hands: Sequence[Hand], sees: Callable[[Hand], Hashable] | None = None) -> list[list[Hand]]:
    """Group readings that a game settles in the same way; each alone if the game does not say."""
    if sees is None or len(hands) == 1:
        return [[hand] for hand in hands]
    groups: dict[Hashable, list[Hand]] = {}
    for hand in hands:
        groups.setdefault(sees(hand), []).append(hand)
    return list(groups.values())


def is_known(groups: Groups) -> bool:
    """Return whether a hand has only one reading."""
    return len(groups) == 1 and len(groups[0]) == 1


def _outcomes(dealers: Groups, held: Mapping[int, Groups], settle: Settle, single_deck: bool) -> Iterator[list[Due]]:
    """Settle each combination of readings. With a single deck, two readings together hold no card twice (D281, D346)."""
    several_open = sum(not is_known(each) for each in (dealers, *held.values())) > 1
    together = list(_together(dealers, held)) if single_deck and several_open else []
    for dealer, *each in together or (tuple(group[0] for group in way) for way in product(dealers, *held.values())):
        yield settle(dealer, dict(zip(held, each, strict=True)))


def _together(dealers: Groups, held: Mapping[int, Groups]) -> Iterator[tuple[Hand, ...]]:
    """Yield one of the equivalent combinations: one without the same unread card twice, if there is one."""
    of_each = [dealers, *held.values()]
    read = [frozenset.intersection(*(frozenset(hand.cards or ()) for group in groups for hand in group)) for groups in of_each]
    for way in product(*of_each):
        combinations = product(*way)
        combination = next((hands for hands in islice(combinations, MOST_TRIED) if _lies_once(hands, read)), None)
        if combination is None:
            combination = next(combinations, None)  # whether one of the others is possible was not tried
        if combination is not None:
            yield combination


def _lies_once(hands: Sequence[Hand], read: Sequence[frozenset[int]]) -> bool:
    """Return whether no card that was not read lies twice in a combination of hands."""
    taken = Counter(card for hand in hands for card in hand.cards or ())
    return all(
        taken[card] == 1 for hand, known in zip(hands, read, strict=True) for card in hand.cards or () if card not in known
    )


def agreed(outcomes: Iterable[list[Due]]) -> list[Due]:
    """Merge the dues of several readings, one after the other: keep amounts that agree, and make the others unknown.

    If all readings agree that a differing amount is a win, a payout from the meter or partly in cash, this is kept.
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
    outcome = Outcome.WIN if wins else Outcome.UNKNOWN
    return msgspec.structs.replace(
        first.as_unknown(), share_bp=share_bp, cash_cents=cash_cents, outcome=outcome, range_cents=_range(dues, in_all)
    )


def _end_alike(dues: Sequence[Due]) -> bool:
    """Return whether dues of the same amount end in a void in all readings, or in none: a void is another finding."""
    return len({due.outcome is Outcome.VOID for due in dues}) == 1


def _range(dues: Sequence[Due], in_all: bool) -> tuple[int, int] | None:
    """Return the least and the most that a wager is due in any reading; None if that is not known of one of them."""
    ranges = [due.range_cents if due.net_cents is None else (due.net_cents, due.net_cents) for due in dues]
    known = [each for each in ranges if each is not None]
    if len(known) < len(ranges):
        return None
    nothing = [] if in_all else [(0, 0)]
    return min(least for least, _ in (*known, *nothing)), max(most for _, most in (*known, *nothing))
