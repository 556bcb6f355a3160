"""Cards that lie the wrong way, or are shown where they may not be, and a shaker that is open or put elsewhere.

58 Pa. Code §§ 688a.5(i)(1), 688a.8(d), (g), 688a.11(d), and where the other texts have the same; GEGR-002138, Round of play.
What follows from an exposed card for the wagers is in `dealing.py`, `voids.py` and in the games' own files. When hands are shown,
results announced and winnings verified (§ 688a.11(e), (h)) are sentences that `order_of_steps.py` asks; that a step was not made
at all is found in `missing_steps.py` and `paying.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

from events.vocabulary import model
from games.rulebook.rulebook import Rulebook
from replay.findings import Finding, name
from replay.fold.recorded_event import RecordedEvent, in_order
from replay.fold.round import Round
from replay.rules.dealing import CLOCKWISE_SECTION, stakes_at
from replay.rules.round_steps import (
    ALL_HANDS_DEALT,
    DEALER_SET,
    HAND_DEALT,
    HAND_REVEALED,
    Act,
    Acts,
    Precedence,
    Step,
    early,
    envy_paid,
    has_qualifying_wager,
    is_pushed_for_all,
    meter_won,
    progressive_documented,
    progressive_light,
    progressive_validated,
)
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


@rule("DEAL-FACING", on=("686a.7(e)", "686a.7(h)"))
def hands_face_up(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """Cards go to the players face up (§ 686a.7(e), (h)): asked of a record that says of any card that it does (D513)."""
    dealt = [fact for fact in round_.of(model.CardsDealt) if isinstance(fact.payload.to, int)]
    down = [fact for fact in dealt if not fact.payload.face_up]
    if down and len(down) < len(dealt) and round_.voided is None:
        first = next(fact for fact in dealt if fact.payload.to == down[0].payload.to)
        yield finding(
            round_,
            book,
            "DEAL-FACING",
            "686a.7(e)" if first is down[0] else "686a.7(h)",
            expected="the cards dealt face up",
            observed=f"dealt to {name(down[0].payload.to)} face down",
            evidence=down,
            seat=down[0].payload.to,
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


# --------------------------------------------------------------- when hands are shown, results announced, winnings verified


def any_hand_shown(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield all hands that were revealed, the dealer's too."""
    for fact in round_.of(model.HandRevealed):
        position = fact.payload.position
        yield Act(fact, position if isinstance(position, int) else None, None, "revealed")


def hands_shown(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield the players' hands that were revealed."""
    for fact in round_.of(model.HandRevealed):
        position = fact.payload.position
        if isinstance(position, int) and position != dealer_position(round_):
            yield Act(fact, position, None, "revealed")


def results_announced(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield the results that were announced of base wagers."""
    for fact in round_.of(model.ResultAnnounced):
        if fact.payload.wager == book.chapter.base:
            yield Act(fact, fact.payload.seat, fact.payload.wager, "announced")


def results_by_hands(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield the results that were announced, but for a tie that the dealer's hand alone decides (D9)."""
    for act in results_announced(round_, book):
        if not is_pushed_for_all(round_, book, act.seat, act.wager):
            yield act


def envy_hands_called(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield the Envy Bonus Qualifying Hands that were acknowledged."""
    for fact in round_.of(model.EnvyAcknowledged):
        yield Act(fact, fact.payload.seat, None, "acknowledged")


def _envy_hand_called(round_: Round, book: Rulebook, act: Act) -> RecordedEvent | None:
    called = round_.of(model.EnvyAcknowledged)
    return next((fact for fact in called if fact.payload.seat == act.fact.payload.for_position), None)


ENVY_HAND_CALLED = Step("the hand that it is for is acknowledged", of_act=_envy_hand_called)


def shown_after_dealer(section: str) -> tuple[Precedence, ...]:
    """Return the sentences that players' hands are revealed when all are dealt, and the dealer's are set.

    That a hand is on record as set only after its reveal says nothing: so it was revealed (D371).
    """
    return tuple(
        Precedence(code="PAY-REVEAL", section=section, acts=acts, after=step, what="the hand revealed")
        for acts, step in ((any_hand_shown, ALL_HANDS_DEALT), (hands_shown, DEALER_SET))
    )


def _announced(acts: Acts, after: Step) -> Precedence:
    return Precedence(code="PAY-ANNOUNCED", section="11(e)", acts=acts, after=after, what="the result announced")


SHOWN_IN_ORDER = (
    *shown_after_dealer("11(e)"),
    _announced(results_announced, DEALER_SET),
    _announced(results_by_hands, HAND_REVEALED),
    early(progressive_light, HAND_REVEALED, "11(h)(3)(i)(B)(2)"),
    early(progressive_validated, HAND_REVEALED, "11(h)(3)(i)(B)(3)"),
    early(progressive_documented, HAND_REVEALED, "11(h)(3)(i)(B)(4)"),
    early(meter_won, HAND_DEALT, "11(h)(3)(i)(B)"),
    early(meter_won, HAND_REVEALED, "11(h)(3)(i)(B)"),
    Precedence(
        code="PAY-ENVYCALL",
        section="11(h)(2)(i)(B)",
        acts=envy_hands_called,
        after=HAND_REVEALED,
        what="the hand acknowledged",
    ),
    Precedence(
        code="PAY-ENVYCALL",
        section="11(h)(2)(i)(B)",
        acts=envy_paid,
        after=ENVY_HAND_CALLED,
        what="the Envy Bonus paid",
    ),
)
"""What the games share in which the dealer reveals the players' hands one after another, and winners are verified (§ 688a.11)."""
