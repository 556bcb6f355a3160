"""DJ Wild Stud Poker: what every wager of a round is due (Annex A, rulemaking 125-223, Chapter 687a).

Invariant: it decides nothing about procedure and knows no events. From the dealer's hand, the boxes with their cards, decisions
and stakes, the side card and the filed rules, it computes each wager's due and its section. If something that a result depends on
is missing (a card, a decision, a meter), the due amount is None; it never guesses. An amount that is the same for every possible
value of what is missing remains (D26).
"""

from collections.abc import Collection, Hashable, Sequence
from typing import cast

import msgspec

from rulebook.cards.cards import DECK, JOKER, rank, suit
from rulebook.cards.ranking import Rank
from rulebook.cards.wild_ranking import Deuces, WildClass, is_natural, progressive_class, rank_wild, wild_class
from rulebook.chapters.rulebook import PayLine, Paytable, Rulebook
from rulebook.game import Game
from rulebook.layout import NO_HAND, BettingBox, Cards, TableLayout
from rulebook.settlement.bonus import envy_bonuses, progressive_payout
from rulebook.settlement.progressive import after_winner
from rulebook.settlement.wagers import (
    EVEN_MONEY,
    Due,
    MaximumPayout,
    Outcome,
    due_of,
    not_offered,
    offered,
    paytable_of,
    won_at_odds,
)

NO_MAXIMUM = MaximumPayout(None)
"""The chapter knows no maximum payout."""
_RAISED_PAIR, _SPOILER = 5, 3


def lines(paytable: Paytable, cards: Sequence[int], side: int | None = None, deuces: Deuces = "natural") -> frozenset[str]:
    """Return the line of a paytable that five cards make, whether or not it is printed there.

    The Blind pushes with three of a kind or less; Trips pays natural hands and hands with a wild card differently (D6); in the
    Progressive the side card takes the joker's place and deuces count as filed.

    >>> from rulebook.cards.cards import parse_cards
    >>> from rulebook.chapters.rulebook import chapter
    >>> hand, book = parse_cards("Ks Kd Kh 9c 2d"), chapter("pa", "687a")
    >>> sorted(lines(book.paytable("trips", "DJWT-04"), hand) | lines(book.paytable("progressive", "1"), hand))
    ['four_of_a_kind_with_wild', 'three_of_a_kind']
    """
    if paytable.wager == "progressive":
        return frozenset((progressive_class(cards, side, deuces).line,))
    return frozenset((line_of(paytable.wager, wild_class(cards), paytable.wager == "trips" and is_natural(cards)),))


def alike(book: Rulebook, cards: Sequence[int], side: int | None, with_progressive: bool) -> Hashable:
    """Return the value of five cards in this game: hands with the same value settle in the same way.

    It is the rank (Ante, Blind, Raise, Bad Beat), whether Trips pays it as natural, and the Progressive's line.

    >>> from rulebook.cards.cards import parse_cards
    >>> from rulebook.chapters.rulebook import parse_submission
    >>> from rulebook.chapters.submission import submission_from_words
    >>> book = parse_submission(submission_from_words(["pa-687a"]))
    >>> one, other = parse_cards("Ks Kd 9h 7c 4d"), parse_cards("Kh Kc 9d 7h 4s")
    >>> alike(book, one, None, False) == alike(book, other, None, False)
    True
    """
    progressive: Hashable = None
    if with_progressive and side is None and JOKER in cards:
        progressive = _beside_any_side_card(cards)
    elif with_progressive:
        progressive = progressive_class(cards, side, cast(Deuces, book.settings.get("progressive_deuces", "natural")))
    return rank_wild(cards), is_natural(cards), progressive


def _beside_any_side_card(cards: Sequence[int]) -> Hashable:
    """Return the value of a hand whose joker any side card may replace: its ranks, if no side card makes a flush of it."""
    suits = {suit(card) for card in cards if card != JOKER and rank(card) != 2}
    return tuple(cards) if len(suits) == 1 else tuple(sorted(rank(card) for card in cards if card != JOKER))


def is_best_raised(cards: Sequence[int]) -> bool:
    """Say whether five cards pay more raised than folded: a pair of fives and better, or with a wild card; fours without a three.

    A three among the cards leaves the dealer one hand fewer that a pair of fours beats. (§ 687a.11(b); below a straight the Blind
    pays nothing, so no paytable changes this.)

    >>> from rulebook.cards.cards import parse_cards
    >>> is_best_raised(parse_cards("4s 4h 9c 8d 5s")), is_best_raised(parse_cards("4s 4h 9c 8d 3s"))
    (True, False)
    """
    hand_class = rank_wild(cards)[0]
    if hand_class != WildClass.PAIR or not is_natural(cards):
        return hand_class >= WildClass.PAIR
    ranks = [rank(card) for card in cards]
    pair = max(ranks, key=ranks.count)
    return pair >= _RAISED_PAIR or _SPOILER not in ranks  # a pair of threes has one


def line_of(wager: str, hand_class: WildClass, natural: bool) -> str:
    """Return the name of a rank as a line of the Blind, Trips or Bad Beat paytable; `natural`: without a wild card.

    >>> line_of("blind", WildClass.PAIR, True), line_of("trips", WildClass.FLUSH, False)
    ('three_of_a_kind_or_less', 'flush_with_wild')
    """
    if wager == "blind" and hand_class <= WildClass.THREE_OF_A_KIND:
        return "three_of_a_kind_or_less"
    if wager == "trips" and hand_class not in (WildClass.FIVE_WILDS, WildClass.FIVE_OF_A_KIND):
        return f"natural_{hand_class.line}" if natural else f"{hand_class.line}_with_wild"
    return hand_class.line


def settle(book: Rulebook, layout: TableLayout) -> list[Due]:
    """Return what every wager and Envy Bonus of the round is due (§ 687a.11(b)-(f)).

    The text gives two directions of settlement, so seats come in the order in which they were settled (`turns`), if
    that is on record.
    """
    dealer = rank_wild(layout.dealer.cards) if layout.dealer.cards is not None else None
    turn = {seat: number for number, seat in enumerate(layout.turns)}
    ordered = sorted(layout.boxes, key=lambda box: (turn.get(box.seat, len(turn)), box.seat))
    progressive = _Progressive(book, layout)
    dues = []
    for box in ordered:
        hand_rank = rank_wild(box.hand.cards) if box.hand.cards is not None else None
        for wager in box.stakes:
            if wager in ("ante", "blind", "raise"):
                dues.append(_base(book, box, wager, hand_rank, dealer))
            elif wager == "trips":
                dues.append(_trips(book, box))
            elif wager == "bad_beat":
                dues.append(_bad_beat(book, box, hand_rank, dealer))
            elif wager == "progressive":
                dues.append(progressive.due(box))
            else:
                dues.append(not_offered(book, box, wager))
    return [*progressive.in_turn(dues, turn), *progressive.envy(ordered)]


def _out_of_play(book: Rulebook, box: BettingBox, wager: str, paytable: Paytable | None = None) -> Due | None:
    """Return the due of a wager that no cards decide: its hand was abandoned, or voided alone, which the text does not cover."""
    if box.voided:
        return due_of(book, box, wager, Outcome.UNKNOWN, None, "13", paytable)
    if box.has_abandoned(wager):
        return due_of(book, box, wager, Outcome.ABANDONED, -box.stakes[wager], "7(b)", paytable)
    return None


def _base(book: Rulebook, box: BettingBox, wager: str, hand_rank: Rank | None, dealer: Rank | None) -> Due:
    """Ante, Blind and Raise: forfeited by a fold, otherwise by the higher hand; equal hands push (D8).

    Without a decision on record only a loss by either decision is certain.
    """
    stake, paytable = box.stakes[wager], offered(book, wager)
    out = _out_of_play(book, box, wager, paytable)
    if out is not None:
        return out
    if box.decision == "fold":
        return due_of(book, box, wager, Outcome.FOLDED, -stake, "687a.11(b)", paytable)
    if hand_rank is None or dealer is None:
        return due_of(book, box, wager, Outcome.UNKNOWN, None, "11(f)", paytable)
    if hand_rank < dealer:
        return due_of(book, box, wager, Outcome.LOSE, -stake, "687a.11(e)(3)", paytable)
    if box.decision is None:
        return due_of(book, box, wager, Outcome.UNKNOWN, None, "687a.11(b)", paytable)
    if hand_rank == dealer:
        return due_of(book, box, wager, Outcome.TIE, 0, "687a.11(e)(2)", paytable)
    if paytable is None:
        winnings = EVEN_MONEY.winnings(stake)
        return due_of(book, box, wager, Outcome.WIN, winnings, "12(a)", winnings=winnings)
    line = _line(paytable, box.hand.cards or ())
    assert line is not None, "every hand has a line in the Blind paytable"
    return won_at_odds(book, box, wager, paytable, line, NO_MAXIMUM, "687a.12(b)")


def _line(paytable: Paytable, cards: Sequence[int]) -> PayLine | None:
    return paytable.best(lines(paytable, cards))


def _trips(book: Rulebook, box: BettingBox) -> Due:
    """Trips wins with three of a kind or better, also for a player who folded (§ 687a.11(b)(1), (f)(2))."""
    wager, paytable = "trips", offered(book, "trips")
    if paytable is None:
        return not_offered(book, box, wager)
    out = _out_of_play(book, box, wager, paytable)
    if out is not None:
        return out
    if box.hand.cards is None:
        return due_of(book, box, wager, Outcome.UNKNOWN, None, "687a.12(d)", paytable)
    line = _line(paytable, box.hand.cards)
    if line is None:
        return due_of(book, box, wager, Outcome.LOSE, -box.stakes[wager], "687a.11(f)(2)(i)", paytable)
    return won_at_odds(book, box, wager, paytable, line, NO_MAXIMUM, "687a.12(d)")


def _bad_beat(book: Rulebook, box: BettingBox, hand_rank: Rank | None, dealer: Rank | None) -> Due:
    """The Two-Way Bad Beat wins when three of a kind or better loses to the dealer, and is forfeited by a fold (D20)."""
    wager, paytable = "bad_beat", offered(book, "bad_beat")
    if paytable is None:
        return not_offered(book, box, wager)
    out = _out_of_play(book, box, wager, paytable)
    if out is not None:
        return out
    stake = box.stakes[wager]
    if box.decision == "fold":
        return due_of(book, box, wager, Outcome.FOLDED, -stake, "687a.11(b)(2)", paytable)
    if hand_rank is None:
        return due_of(book, box, wager, Outcome.UNKNOWN, None, "687a.12(e)", paytable)
    line = _line(paytable, box.hand.cards or ())
    if line is None or (dealer is not None and hand_rank >= dealer):
        return due_of(book, box, wager, Outcome.LOSE, -stake, "687a.11(f)(3)(i)", paytable)
    if dealer is None or box.decision is None:
        return due_of(book, box, wager, Outcome.UNKNOWN, None, "687a.12(e)", paytable)
    return won_at_odds(book, box, wager, paytable, line, NO_MAXIMUM, "687a.12(e)")


class _Progressive:
    """The Progressive and its Envy Bonuses: the side card in the joker's place, folded hands as filed, the meter in turn."""

    def __init__(self, book: Rulebook, layout: TableLayout) -> None:
        self.book, self.layout = book, layout
        self.paytable = offered(book, "progressive")
        self.deuces = cast(Deuces, book.settings.get("progressive_deuces", "natural"))
        self.folds_lose = not book.settings.get("folded_progressive", False)
        self.made: dict[Cards, set[frozenset[str]]] = {}
        self.sides: Collection[int] = (layout.side,) if layout.side is not None else layout.sides
        if not self.sides and any(JOKER in (box.hand.cards or ()) for box in layout.boxes):
            hands = [layout.dealer, *(box.hand for box in layout.boxes)]
            seen = {card for hand in hands for card in hand.cards or ()}
            self.sides = [card for card in DECK if card != JOKER and card not in seen]

    def lines(self, paytable: Paytable, cards: Sequence[int], side: int | None = None) -> frozenset[str]:
        """Return the line that cards make with deuces as filed."""
        return lines(paytable, cards, side, self.deuces)

    def lines_made(self, box: BettingBox) -> set[frozenset[str]]:
        """Return the lines that a box's cards can make: more than one if the side card decides and is not on record."""
        cards, paytable = box.hand.cards, self.paytable
        if cards is None or paytable is None:
            return set()
        if cards not in self.made:
            sides = self.sides if JOKER in cards else (None,)
            self.made[cards] = {self.lines(paytable, cards, side) for side in sides}
        return self.made[cards]

    def due(self, box: BettingBox) -> Due:
        """Return the due of a Progressive by its cards; a share of the meter as if it were the only one."""
        book, wager, paytable = self.book, "progressive", self.paytable
        if paytable is None:
            return not_offered(book, box, wager)
        out = _out_of_play(book, box, wager, paytable)
        if out is not None:
            return out
        stake = box.stakes[wager]
        if box.decision == "fold" and self.folds_lose:
            return due_of(book, box, wager, Outcome.FOLDED, -stake, "687a.11(b)(3)", paytable)
        best = {paytable.best(lines_made) for lines_made in self.lines_made(box)}
        if best == {None}:
            return due_of(book, box, wager, Outcome.LOSE, -stake, "11(h)(3)(i)(A)", paytable)
        by_turn, reading = self.layout.meter.by_turn, self.layout.meter.reading
        reading = reading if by_turn is None else by_turn.get(box.seat)
        if len(best) != 1 or self.may_be_folded(box):
            unknown = due_of(book, box, wager, Outcome.UNKNOWN, None, "12(d)", paytable)
            return msgspec.structs.replace(unknown, range_cents=self._range(box, reading))
        return self._payout(box, reading)

    def may_be_folded(self, box: BettingBox) -> bool:
        """Return whether the box may have been folded, which would lose its Progressive, though the record does not say so.

        A record that ends before the decisions speaks of a hand that is still in play.
        """
        return box.decision is None and self.folds_lose and self.layout.past_decisions

    def may_share(self, box: BettingBox) -> bool:
        """Return whether a box may take a share of the meter, with any side card; unread cards may."""
        best = [paytable_of(self.book, "progressive").best(lines_made) for lines_made in self.lines_made(box)]
        return not best or any(line is not None and line.meter_bp for line in best)

    def _range(self, box: BettingBox, reading: int | None) -> tuple[int, int] | None:
        """Return the least and the most that a box is due with any side card, in cents; `None` if not known (D734)."""
        cards, paytable = box.hand.cards, paytable_of(self.book, "progressive")
        if cards is None or self.layout.side_in_hand:
            return None
        sides = self.sides if JOKER in cards else (None,)
        by_line = {self.lines(paytable, cards, side): side for side in sides}
        dues = [self._payout(box, reading, side) for side in by_line.values()]
        nets = [due.net_cents for due in dues if due.net_cents is not None]
        if len(nets) < len(dues):
            return None
        may_lose = self.may_be_folded(box) or any(due.share_bp for due in dues)  # another share may come first
        return min([*nets, *([-box.stakes["progressive"]] if may_lose else [])]), max(nets)

    def _payout(self, box: BettingBox, reading: int | None, side: int | None = None) -> Due:
        side = next(iter(self.sides), None) if side is None else side
        return progressive_payout(self.book, box, NO_MAXIMUM, reading, self.lines, side)

    def in_turn(self, dues: Sequence[Due], turn: Collection[int]) -> list[Due]:
        """Return the dues, with the payouts from one meter computed in the order in which seats were settled (D18).

        A payout from the meter is unknown if its order is not on record, or if another hand may also win from the meter.
        """
        settled = list(dues)
        shares = [at for at, due in enumerate(settled) if due.wager == "progressive" and due.share_bp]
        if self.layout.meter.by_turn is not None or not shares:
            return settled
        boxes = {box.seat: box for box in self.layout.boxes}
        unknown = [due for due in settled if due.wager == "progressive" and due.net_cents is None and not due.share_bp]
        open_ = any(self.may_share(boxes[due.seat]) for due in unknown)
        in_order = len(shares) == 1 or all(settled[at].seat in turn for at in shares)
        meter = self.layout.meter.reading if in_order and not open_ else None
        for at in shares:
            due = self._payout(boxes[settled[at].seat], meter)
            if meter is not None:
                meter = after_winner(meter, due.share_bp, paytable_of(self.book, "progressive").seed_cents)
            settled[at] = due if in_order and not open_ else msgspec.structs.replace(due, share_bp=0)
        return settled

    def envy(self, ordered: Sequence[BettingBox]) -> list[Due]:
        """Return the Envy Bonuses; hands that do not qualify for the Progressive neither cause nor get one (D17)."""
        paytable = self.paytable
        if paytable is None or not any("progressive" in box.stakes for box in ordered):
            return []
        boxes, doubtful = [], set()
        for box in ordered:
            if box.decision == "fold" and self.folds_lose:
                continue
            seen = {paytable.envy(lines_made) for lines_made in self.lines_made(box)}
            if self.may_be_folded(box):
                doubtful.add(box.seat)
            certain = len(seen) == 1 and (seen == {None} or box.seat not in doubtful)
            boxes.append(box if certain else msgspec.structs.replace(box, hand=NO_HAND))
        bonuses = envy_bonuses(self.book, boxes, self.lines, next(iter(self.sides), None))
        return [due.as_unknown() if due.seat in doubtful else due for due in bonuses]


GAME = Game(
    name="dj_wild",
    title="DJ Wild Stud Poker",
    wagers={
        "ante": "Ante",
        "blind": "Blind",
        "raise": "Raise",
        "trips": "Trips",
        "bad_beat": "Two-Way Bad Beat",
        "progressive": "Progressive",
        "progressive_envy": "Progressive Envy",
    },
    hands={},
    settle=settle,
    lines=lines,
    alike=alike,
)
