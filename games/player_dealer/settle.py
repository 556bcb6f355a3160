"""Face Up Pai Gow Poker with a player-dealer, California: what every wager is due, and how far it is covered (GEGR-002138).

Invariant: a patron holds the player-dealer position, and that patron's wager is all that can be won or lost in a round. The hands
first decide what each wager is due; then, clockwise from the action button, the player-dealer's wager covers as much as it can.
If something is unknown (a card, a setting, the wager itself, who has the action), every possibility is computed, and only amounts
that are the same in all of them are due (D22, D26).
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

import msgspec

from rulebook.cards.ranking import is_ace_high
from rulebook.chapters.rulebook import Rulebook
from rulebook.game import Game
from rulebook.layout import NO_HAND, Bank, BettingBox, FurtherWager, Hand, TableLayout
from rulebook.settlement.ace_high import settle_ace_high
from rulebook.settlement.bonus import envy_bonuses, fortune_bonus, seven_card
from rulebook.settlement.pai_gow import base_due, high_and_low, is_foul
from rulebook.settlement.wagers import Due, MaximumPayout, Outcome, due_of, not_offered, offered

COVERED: Final = "gegr-002138.Collection procedures"
SEATS: Final = 7
NO_CAP: Final = MaximumPayout(None)
NO_BANK: Final = Bank(0, None, None)
ENVY: Final = {"fortune_envy": "fortune_bonus"}


def first_seat(count: int, player_dealer: int) -> int:
    """Return the seat that gets the first hand: count the player-dealer as one, then clockwise (Round of play, D3).

    `count` is the total of three dice or the number drawn; at 1, 8 and 15 it is the player-dealer.

    >>> first_seat(3, 4), first_seat(8, 4), first_seat(18, 4), first_seat(3, 7)
    (6, 4, 7, 2)
    """
    return (player_dealer - 1 + count - 1) % SEATS + 1


def action_seat(count: int, player_dealer: int) -> int:
    """Return the seat that gets the action button: the one counted to, or the player-dealer's left (Round of play, D3).

    >>> action_seat(3, 4), action_seat(8, 4), action_seat(1, 7)
    (6, 5, 1)
    """
    return action_after(first_seat(count, player_dealer), player_dealer)


def action_after(first: int, player_dealer: int) -> int:
    """Return the seat that gets the action button if a seat gets the first hand."""
    return first if first != player_dealer else player_dealer % SEATS + 1


def from_action(seat: int, action: int) -> int:
    """Return how many seats clockwise from the action button a seat is."""
    return (seat - action) % SEATS


def left_to_cover(wager_cents: int, used_cents: int, wins: bool, net: bool) -> int:
    """Return how much of a win or loss the player-dealer's wager can still cover (D22).

    `used_cents` of the wager are used; with `net` they are paid less taken, so that a loss is covered up to the sum of both.
    """
    return wager_cents + used_cents if net and not wins else wager_cents - used_cents


class Cover:
    """The part of the player-dealer's wager still available, while wagers are settled one after another (D22).

    `used` is the used part, within two bounds: taken and paid together (`gross`), or paid less taken (`net`). If the wager is
    unknown, so is its coverage.
    """

    def __init__(self, wager_cents: int | None, net: bool) -> None:
        self.wager, self.net = wager_cents, net
        self.least = self.most = 0

    def pay(self, cents: int) -> int | None:
        """Pay a winner as far as the wager reaches; return how much that is, None if it cannot be told."""
        if self.wager is None:
            return None
        by_least, by_most = (min(cents, left_to_cover(self.wager, used, True, False)) for used in (self.least, self.most))
        self.least += by_least
        self.most += by_most
        return by_least if by_least == by_most else None

    def take(self, cents: int) -> int | None:
        """Take from a loser as far as the wager reaches; return how much that is, None if it cannot be told."""
        if not self.net:
            return self.pay(cents)
        if self.wager is None:
            return None
        by_least, by_most = (min(cents, left_to_cover(self.wager, used, False, True)) for used in (self.least, self.most))
        self.least -= by_least
        self.most -= by_most
        return by_least if by_least == by_most else None

    def leave_open(self, most_paid: int, most_taken: int) -> None:
        """Note a wager of unknown outcome: it uses anything from nothing to the most that it can win or lose."""
        if self.wager is None:
            return
        if self.net:
            self.least = max(-self.wager, self.least - most_taken)
            self.most = min(self.wager, self.most + most_paid)
        else:
            self.most = min(self.wager, self.most + max(most_paid, most_taken))


def settle(book: Rulebook, layout: TableLayout) -> list[Due]:
    """Return what every wager and Envy Bonus of the round is due, clockwise from the action (Round of play)."""
    bank = layout.bank or NO_BANK
    boxes = [_as_played(box) for box in layout.boxes]
    owed = {box.seat: _owed(book, layout, bank, box) for box in boxes}
    for due in envy_bonuses(book, [box for box in boxes if "base" in box.stakes]):
        owed[due.seat].append(due)
    firsts = [bank.action] if bank.action is not None else [box.seat for box in boxes]
    is_net = book.settings["coverage"] == "net"
    wagers = (bank.wager_cents, *bank.or_cents)
    outcomes = [_covered(book, Cover(cents, is_net), owed, first) for first in firsts for cents in wagers]
    return _agreed(outcomes, bounded=not is_net or len(wagers) == 1)


def _as_played(box: BettingBox) -> BettingBox:
    """Return the box without events that this text does not cover: a surrender, a voided hand, an abandoned wager (D11, D28)."""
    if box.surrendered or box.voided or box.abandoned:
        return msgspec.structs.replace(box, surrendered=False, voided=False, abandoned=False)
    return box


# ------------------------------------------------------------------------------------------------- before what is covered


def _owed(book: Rulebook, layout: TableLayout, bank: Bank, box: BettingBox) -> list[Due]:
    """Return what the wagers of a seat win or lose by the hands, in the order of settlement (Round of play)."""
    dealer, dues = layout.dealer, []
    if "base" in box.stakes:
        dues.append(_base(book, dealer, box, bank))
    dues += [_backline(book, dealer, box, bank, placed) for placed in box.further if placed.wager == "backline"]
    if "ace_high_bonus" in box.stakes:
        dues.append(settle_ace_high(book, dealer, box, NO_CAP))
    if "fortune_bonus" in box.stakes:
        dues.append(fortune_bonus(book, box, NO_CAP))
    known = ("base", "ace_high_bonus", "fortune_bonus")
    return dues + [not_offered(book, box, wager) for wager in box.stakes if wager not in known]


def _base(book: Rulebook, dealer: Hand, box: BettingBox, bank: Bank) -> Due:
    """A base wager against the player-dealer's hands, whose ace high comes before everything (D9).

    The text gives no remedy if the player-dealer sets a foul hand, so the amount due is unknown (D282).
    """
    ace_high = None if dealer.cards is None else is_ace_high(dealer.cards)
    if box.seat == bank.seat and not ace_high:
        return due_of(book, box, "base", Outcome.UNKNOWN, None, "11(f)")
    if dealer.high is not None and dealer.low is not None and is_foul(dealer.high, dealer.low):
        dealer = Hand(dealer.cards)
    compared = partial(high_and_low, wheel=book.chapter.wheel)
    return base_due(book, box, dealer, ace_high, Outcome.ACE_HIGH_PUSH, "11(f)(2)(iii)", compared)


def _backline(book: Rulebook, dealer: Hand, box: BettingBox, bank: Bank, further_wager: FurtherWager) -> Due:
    """A backline wager goes with the hand of the seat, settled as another's base wager.

    A hand that no one set, at a seat without a base wager, belongs to no one: its loss is unknown (D361).
    """
    hand = box.hand if "base" in box.stakes or box.hand.high is not None else NO_HAND
    behind = BettingBox(box.seat, further_wager.bettor, hand, {"base": further_wager.stake_cents})
    if "backline" not in book.offers:
        return msgspec.structs.replace(not_offered(book, behind, "base"), wager="backline")
    return msgspec.structs.replace(_base(book, dealer, behind, bank), wager="backline")


# -------------------------------------------------------------------------------------------------------- what is covered


def _covered(book: Rulebook, cover: Cover, owed: Mapping[int, Sequence[Due]], first: int) -> list[Due]:
    seats = sorted(owed, key=lambda seat: from_action(seat, first))

    def turn(due: Due) -> int:
        return -1 if due.for_position is None else from_action(due.for_position, first)

    return [_as_covered(book, cover, due) for seat in seats for due in sorted(owed[seat], key=turn)]


def _as_covered(book: Rulebook, cover: Cover, due: Due) -> Due:
    """Return the part of a wager's due that the player-dealer's wager covers; the uncovered part stays with the patron."""
    if due.net_cents is None:
        cover.leave_open(*_most(book, due))
        return due
    if due.net_cents == 0:
        return due
    wins = due.net_cents > 0
    whole = due.winnings_cents if wins else -due.net_cents
    cents = cover.pay(whole) if wins else cover.take(whole)
    if cents == whole:
        return due
    if cents is None:
        return msgspec.structs.replace(due, net_cents=None, winnings_cents=0, outcome=Outcome.UNKNOWN, line="")
    winnings = cents if wins else 0
    return msgspec.structs.replace(
        due,
        net_cents=cents if wins else -cents,
        winnings_cents=winnings,
        cash_cents=winnings,
        returned_cents=due.staked_cents if wins else due.staked_cents - cents,
        uncovered_cents=whole - cents,
        outcome=due.outcome if cents else Outcome.UNCOVERED,
        cite=book.cite(COVERED),
    )


def _most(book: Rulebook, due: Due) -> tuple[int, int]:
    """Return the most that a wager can win, and the most that it can lose."""
    if due.wager in ("base", "backline"):
        return (due.staked_cents, due.staked_cents) if due.wager in book.offers else (0, 0)
    paytable = offered(book, ENVY.get(due.wager, due.wager))
    if paytable is None:
        return 0, 0
    if due.wager in ENVY:
        return max(line.envy_cents for line in paytable.lines), 0
    return max(line.odds.winnings(due.staked_cents) for line in paytable.lines if line.odds is not None), due.staked_cents


def _agreed(outcomes: Sequence[Sequence[Due]], *, bounded: bool) -> list[Due]:
    """Return the dues that are the same whichever seat has the action and whatever the wager is; any other is unknown.

    `bounded`: it lies between the least and the most of these. The more a wager is, the more of each win and loss it covers; if
    what it takes is paid out again (`net`), a wager between two of them may cover less.
    """
    if len(outcomes) == 1:
        return list(outcomes[0])
    return list(_merged(outcomes, bounded)) if outcomes else []


def _merged(outcomes: Sequence[Sequence[Due]], bounded: bool) -> Iterator[Due]:
    by_wager: dict[tuple[int, str, str, int | None], list[Due]] = {}
    for dues in outcomes:
        for due in dues:
            by_wager.setdefault((due.seat, due.wager, due.bettor, due.for_position), []).append(due)
    for alternatives in by_wager.values():
        due = alternatives[0]
        if len({each.net_cents for each in alternatives}) > 1:
            known = [each.net_cents for each in alternatives if each.net_cents is not None]
            due = msgspec.structs.replace(
                max(alternatives, key=lambda each: each.uncovered_cents),
                net_cents=None,
                winnings_cents=0,
                outcome=Outcome.UNKNOWN,
                line="",
                range_cents=(min(known), max(known)) if bounded and len(known) == len(alternatives) else None,
            )
        yield due


GAME = Game(
    name="player_dealer",
    title="Face Up Pai Gow Poker (California)",
    wagers={
        "base": "Base wager",
        "backline": "Backline",
        "ace_high_bonus": "Ace High Bonus",
        "fortune_bonus": "Fortune Bonus",
        "fortune_envy": "Fortune Envy",
    },
    hands={"high": 5, "low": 2},
    by_setting=("base", "backline"),
    settle=settle,
    lines=seven_card,
    patron_banked=True,
)
