"""Cards that lie the wrong way, or are shown where they may not be, and a shaker that is open or put elsewhere.

58 Pa. Code §§ 688a.5(i)(1), 688a.8(d), (g), 688a.11(d), and where the other texts have the same; GEGR-002138, Round of play. What
follows from an exposed card for the wagers is in `dealing.py`, `voids.py` and in the games' own files.
"""

from __future__ import annotations

from collections.abc import Iterator

from events.vocabulary import model
from games.rulebook.rulebook import Rulebook
from replay.findings import Finding, name
from replay.fold.recorded_event import RecordedEvent, in_order
from replay.fold.round import Round
from replay.rules.dealing import CLOCKWISE_SECTION, stakes_at
from replay.rules.round_steps import has_qualifying_wager
from replay.rules.rule import finding, rule
from replay.settlement.hand_readings import dealer_position
from replay.settlement.surrenders import standing_surrenders
from replay.settlement.voids import is_void

EMPTY_SECTION = {"manual_shoe": "8(g)", "hand": "9(f)", "automated_shoe": "10(f)"}
"""The section by which the stack of a position without a wager is collected unseen, by the way of dealing."""
PLAYED = "gegr-002138.Round of play"


@rule("DEAL-FACING", on=("688a.8(d)", "688a.9(c)", "688a.10(c)"))
def dealer_face_up(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """The dealer's cards are dealt face up where the players set theirs against them (§ 688a.8(d))."""
    if not book.chapter.dealer_face_up or round_.voided is not None:
        return
    down = [fact for fact in round_.of(model.CardsDealt) if fact.payload.to == "dealer" and not fact.payload.face_up]
    if down:
        yield finding(
            round_,
            book,
            "DEAL-FACING",
            CLOCKWISE_SECTION[book.deal_method],
            expected="the dealer's cards dealt face up",
            observed="dealt face down",
            evidence=down,
        )


@rule("DEAL-FACING", on=("gegr-002138.Round of play",))
def players_face_down(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """Piles lie face down, and a player's hand is exposed when the players have set theirs (GEGR-002138, Round of play)."""
    bank = dealer_position(round_)
    shown = [fact for fact in round_.of(model.CardsDealt) if fact.payload.face_up and fact.payload.to != bank]
    if shown:
        to = shown[0].payload.to
        yield finding(
            round_,
            book,
            "DEAL-FACING",
            PLAYED,
            expected="piles and players' hands dealt face down",
            observed=f"{name(to) if isinstance(to, int) else to} dealt face up",
            evidence=shown,
            seat=to if isinstance(to, int) else None,
        )


@rule("DEAL-EXPOSED", on=("8(g)", "9(f)", "10(f)"))
def empty_position_unseen(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """The stack of a position without a wager goes to the discard rack without being exposed (§ 688a.8(g))."""
    if round_.lost or not round_.covers("wagering") or is_void(round_, book):
        return
    taken, seen = stakes_at(round_, book), set[int]()
    for fact in exposed_by_the_dealer(round_):
        seat = owner_of(fact)
        if seat is not None and seat not in taken and seat not in seen:
            seen.add(seat)
            yield finding(
                round_,
                book,
                "DEAL-EXPOSED",
                EMPTY_SECTION[book.deal_method],
                expected="the stack of a position without a wager collected unseen",
                observed="exposed",
                evidence=(fact,),
                seat=seat,
            )


@rule("DEAL-EXPOSED", on=("11(d)",))
def surrendered_hand_unseen(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """A surrendered hand is collected without exposing it, unless it stays for the Qualifying Wagers of others (§ 688a.11(d))."""
    if round_.lost or is_void(round_, book) or has_qualifying_wager(round_, book):
        return
    given_up = {fact.payload.seat: fact for fact in standing_surrenders(round_, book)}
    for fact in exposed_by_the_dealer(round_) if given_up else ():
        surrender = given_up.get(owner_of(fact) or 0)
        if surrender is not None and surrender.seq < fact.seq:
            yield finding(
                round_,
                book,
                "DEAL-EXPOSED",
                "11(d)",
                expected="the surrendered hand collected unseen",
                observed="exposed",
                evidence=(surrender, fact),
                seat=surrender.payload.seat,
            )


def exposed_by_the_dealer(round_: Round) -> list[RecordedEvent]:
    """Return what showed a card of a position, but for what a player showed: exposed, dealt face up, or turned over."""
    dealt = [fact for fact in round_.of(model.CardsDealt) if fact.payload.face_up]
    shown = [fact for fact in round_.of(model.CardExposed) if fact.payload.by != "player"]
    return in_order([*dealt, *shown, *round_.of(model.HandRevealed)])


def owner_of(fact: RecordedEvent) -> int | None:
    """Return the seat whose card was shown; null where it was the dealer's, or of nobody yet."""
    match fact.payload:
        case model.CardsDealt(to=whose) | model.CardExposed(whose=whose) | model.HandRevealed(position=whose):
            return whose if isinstance(whose, int) else None
    return None


@rule("DEAL-SHAKE", on=("5(i)(1)(i)", "5(i)(1)(iv)"))
def shaker_closed(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """The lid is on while the shaker is shaken, and after the deal the shaker is put to the dealer's right (§ 688a.5(i)(1)).

    In 645c `dice_wagers.py` judges it where wagers lie on the dice; without, the lid is the matter of 645a, which is not held.
    """
    for fact in round_.of(model.ShakerShaken):
        if not fact.payload.covered and fact.payload.times and not book.has("645c.2(b)"):
            yield finding(
                round_,
                book,
                "DEAL-SHAKE",
                "5(i)(1)(i)",
                expected="the shaker covered while it is shaken",
                observed="uncovered",
                evidence=(fact,),
            )
    for fact in round_.of(model.ShakerCovered)[-1:]:
        if not fact.payload.placed_right_of_dealer:
            yield finding(
                round_,
                book,
                "DEAL-SHAKE",
                "5(i)(1)(iv)",
                expected="the shaker placed to the right of the dealer",
                observed="not placed there",
                evidence=(fact,),
            )
