"""The result of a wager in every game: its outcome, its due, and the helpers that make a `Due`.

Invariant: it knows no game. A game decides the outcome; here the outcome becomes money, up to the filed maximum payout, with the
section on which it rests.
"""

from enum import StrEnum

import msgspec

from rulebook.chapters.citation import Citation
from rulebook.chapters.money import Odds
from rulebook.chapters.rulebook import PayLine, Paytable, Rulebook
from rulebook.layout import BettingBox

EVEN_MONEY = Odds(1, 1)


class Outcome(StrEnum):
    """How a wager ended, or why it did not end."""

    WIN = "win"
    LOSE = "lose"
    TIE = "tie"
    FOUL = "foul"
    ACE_HIGH_PUSH = "ace_high_push"
    TIGER_9_PUSH = "tiger_9_push"
    FOLDED = "folded"
    UNCOVERED = "uncovered"
    SURRENDERED = "surrendered"
    ABANDONED = "abandoned"
    VOID = "void"
    UNKNOWN = "unknown"


PUSHES = (Outcome.TIE, Outcome.ACE_HIGH_PUSH, Outcome.TIGER_9_PUSH)
STAKE_KEPT = (Outcome.WIN, *PUSHES, Outcome.VOID, Outcome.UNCOVERED)


class Due(msgspec.Struct, frozen=True, kw_only=True):
    """The due of one wager. `net_cents` is the patron's net, None if it is inconclusive.

    `winnings_cents` (`cash_cents` and, from the meter, `slip_cents`) are paid next to `returned_cents` of the stake;
    `uncapped_cents` are the winnings before the filed maximum payout; `vigorish_cents` are owed by the patron and count in the
    net; `range_cents`: the least and the most of an unknown net, if these are known; `uncovered_cents`: what
    of a win or loss the player-dealer's wager did not cover (California, D22). Envy Bonuses have `for_position`.
    """

    seat: int
    wager: str
    number: int | None = None
    bettor: str
    paytable: str = ""
    staked_cents: int = 0
    net_cents: int | None
    winnings_cents: int = 0
    returned_cents: int = 0
    vigorish_cents: int = 0
    outcome: Outcome
    line: str = ""
    cite: Citation
    share_bp: int = 0
    cash_cents: int = 0
    slip_cents: int = 0
    uncapped_cents: int = 0
    uncovered_cents: int = 0
    for_position: int | None = None
    other_reading: str | None = None
    range_cents: tuple[int, int] | None = None

    @property
    def capped(self) -> bool:
        """Whether the filed maximum payout reduced the winnings (§ 688a.12(e))."""
        return self.winnings_cents < self.uncapped_cents

    def as_unknown(self) -> "Due":
        """Return the due if the evidence does not tell it: the stake is as recorded."""
        known = {"winnings_cents": 0, "share_bp": 0, "cash_cents": 0, "slip_cents": 0, "uncapped_cents": 0}
        return msgspec.structs.replace(self, net_cents=None, outcome=Outcome.UNKNOWN, line="", range_cents=None, **known)


class MaximumPayout:
    """The remainder of the filed maximum payout to one player on one hand (§ 688a.12(e), D19).

    `unsure`: the most that earlier wagers with an unknown due may have used of it (D370).
    """

    def __init__(self, limit_cents: int | None) -> None:
        self.left = limit_cents
        self.unsure = 0

    def limit(self, cents: int) -> int | None:
        """Return the part of an amount that may still be paid, None if unknown, and use it up."""
        if self.left is None:
            return cents
        paid, surely = min(cents, self.left), min(cents, self.left - self.unsure)
        self.left -= paid
        self.unsure -= paid - surely
        return paid if paid == surely else None

    def may_be_used(self, cents: int) -> None:
        """Record that an inconclusive wager may have used up to this amount."""
        if self.left is not None:
            self.unsure = min(self.left, self.unsure + cents)


def offered(book: Rulebook, wager: str) -> Paytable | None:
    """Return the paytable filed for a wager, or None if it is not offered."""
    offer = book.offers.get(wager)
    return offer.paytable if offer is not None else None


def paytable_of(book: Rulebook, wager: str) -> Paytable:
    """Return the paytable of a wager that is offered."""
    paytable = offered(book, wager)
    assert paytable is not None, f"{wager} is not offered"
    return paytable


def due_of(
    book: Rulebook,
    box: BettingBox,
    wager: str,
    outcome: Outcome,
    net_cents: int | None,
    section: str,
    paytable: Paytable | None = None,
    winnings: int = 0,
    line: str = "",
) -> Due:
    """Make the due of a wager from its outcome; the stake is returned if the outcome says so."""
    stake = box.stakes[wager]
    return Due(
        seat=box.seat,
        wager=wager,
        bettor=box.bettor,
        paytable=paytable.name if paytable else "",
        staked_cents=stake,
        net_cents=net_cents,
        winnings_cents=winnings,
        returned_cents=stake if outcome in STAKE_KEPT else 0,
        outcome=outcome,
        line=line,
        cite=book.cite(section),
        cash_cents=winnings,
        uncapped_cents=winnings,
    )


def won_at_odds(
    book: Rulebook,
    box: BettingBox,
    wager: str,
    paytable: Paytable,
    line: PayLine,
    cap: MaximumPayout,
    section: str,
    other_reading: str | None = None,
) -> Due:
    """Make the due of a wager that made a line of its paytable: odds, or a push."""
    if line.push or line.odds is None:
        return due_of(book, box, wager, Outcome.TIE, 0, section, paytable, line=line.hand)
    uncapped = line.odds.winnings(box.stakes[wager])
    winnings = cap.limit(uncapped)
    if winnings is None:
        return due_of(book, box, wager, Outcome.UNKNOWN, None, section, paytable, line=line.hand)
    due = due_of(book, box, wager, Outcome.WIN, winnings, section, paytable, winnings=winnings, line=line.hand)
    if uncapped == winnings and other_reading is None:
        return due
    return msgspec.structs.replace(due, uncapped_cents=uncapped, other_reading=other_reading)


def without_cards(book: Rulebook, box: BettingBox, wager: str, paytable: Paytable | None) -> Due:
    """Settle an optional wager that no cards decide: its hand is void or abandoned, or the wager is not offered."""
    if box.voided:
        return due_of(book, box, wager, Outcome.VOID, 0, "13(d)", paytable)
    if box.has_abandoned(wager):
        return due_of(book, box, wager, Outcome.ABANDONED, -box.stakes[wager], "7(b)", paytable)
    return not_offered(book, box, wager)


def not_offered(book: Rulebook, box: BettingBox, wager: str) -> Due:
    """Make the due of a wager that the rules do not offer: it is unknown."""
    return due_of(book, box, wager, Outcome.UNKNOWN, None, "7(e)")
