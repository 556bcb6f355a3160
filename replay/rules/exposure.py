"""Cards that lie the wrong way, or are shown where they may not be, what the player elects, and a shaker that is open.

58 Pa. Code §§ 688a.5(i)(1), 688a.8(d), (g), 688a.11(d), 688a.13(d), and where the other texts have the same; GEGR-002138, Round
of play. What follows from an exposed card for the wagers is in `table_layout.py`, `voids.py` and in the games' own files. When
hands are shown, results announced and winnings verified (§ 688a.11(e), (h)) are sentences that `order_of_steps.py` asks; that a
step was not made at all is found in `missing_steps.py` and `paying.py`.
"""

from collections.abc import Container, Iterator

from events.vocabulary import model
from replay.findings import name
from replay.fold.recorded_event import RecordedEvent, distinct_by, in_order
from replay.fold.round import Round
from replay.rules.dealing import CLOCKWISE_SECTION, stakes_at
from replay.rules.round_steps import (
    ALL_HANDS_DEALT,
    DEALER_SET,
    HAND_DEALT,
    HAND_REVEALED,
    Act,
    Precedence,
    Step,
    acts_of,
    by_hand,
    early,
    envy_paid,
    has_qualifying_wager,
    is_pushed_for_all,
    meter_won,
    progressive_documented,
    progressive_light,
    progressive_validated,
    settled,
)
from replay.rules.rule import Departure, Early, Indeterminate, rule
from replay.settlement.exposures import WHOSE, looks, may_be_of, owner_of
from replay.settlement.hand_readings import dealer_position
from replay.settlement.payouts import moves
from replay.settlement.surrenders import standing_surrenders
from replay.settlement.table_layout import voided_seats
from replay.settlement.voids import after_the_deal, is_void, must_be_void
from rulebook.chapters.rulebook import Rulebook

EMPTY_SECTION = {"manual_shoe": "8(g)", "hand": "9(f)", "automated_shoe": "10(f)"}
"""The section by which the stack of a position without a wager is collected unseen, by the way of dealing."""
PLAYED = "gegr-002138.Round of play"


@rule("DEAL-FACING", on=("688a.8(d)", "688a.9(c)", "688a.10(c)"))
def dealer_face_up(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """The dealer's cards are dealt face up if the players set theirs against them (§ 688a.8(d))."""
    if not book.chapter.dealer_face_up or round_.voided is not None:
        return
    down = [fact for fact in round_.of(model.CardsDealt) if fact.payload.to == "dealer" and not fact.payload.face_up]
    if down:
        yield Departure(
            CLOCKWISE_SECTION[book.deal_method],
            expected="the dealer's cards dealt face up",
            observed="dealt face down",
            evidence=down,
        )


@rule("DEAL-FACING", on=("gegr-002138.Round of play",))
def players_face_down(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """Piles lie face down, and a player's hand is exposed when the players have set theirs (GEGR-002138, Round of play)."""
    bank = dealer_position(round_)
    shown = [fact for fact in round_.of(model.CardsDealt) if fact.payload.face_up and fact.payload.to != bank]
    if shown:
        to = shown[0].payload.to
        yield Departure(
            PLAYED,
            expected="piles and players' hands dealt face down",
            observed=f"{name(to) if isinstance(to, int) else to} dealt face up",
            evidence=shown,
            seat=to if isinstance(to, int) else None,
        )


@rule("DEAL-FACING", on=("686a.7(e)", "686a.7(h)"))
def hands_face_up(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """Cards go to the players face up (§ 686a.7(e), (h)): asked only if the record says it of at least one card (D513)."""
    dealt = [fact for fact in round_.of(model.CardsDealt) if isinstance(fact.payload.to, int)]
    down = [fact for fact in dealt if not fact.payload.face_up]
    if down and len(down) < len(dealt) and round_.voided is None:
        first = next(fact for fact in dealt if fact.payload.to == down[0].payload.to)
        yield Departure(
            "686a.7(e)" if first is down[0] else "686a.7(h)",
            expected="the cards dealt face up",
            observed=f"dealt to {name(down[0].payload.to)} face down",
            evidence=down,
            seat=down[0].payload.to,
        )


def _what_was_exposed(fact: RecordedEvent, seat: int) -> str:
    """Return which card of a seat was exposed, or which were dealt face up, and by whom."""
    if fact.payload.KIND is model.CardExposed:
        return f"{fact.payload.card or 'a card'} of seat {seat} exposed by the {fact.payload.by}"
    cards = " ".join(card for card in fact.payload.cards if card is not None) or "a card"
    return f"{cards} of seat {seat} exposed by the dealer"


@rule(
    "DEAL-EXPOSED",
    on=("13(d)",),
    early=Early(
        "an exposed card stays exposed, and the player can elect until the round is over",
        remedies=(model.HandElected,),
        in_steps=frozenset({"DEAL-EXPOSED"}),
    ),
)
def exposed_card_election(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """If the dealer exposes a player's card, the player elects to play the hand out or to void it, while it is in play.

    A card that is dealt face up is exposed too (D521), and so is one of the stack that was not yet dealt (D515).
    """
    if round_.voided is not None or must_be_void(round_, book) or round_.lost:
        return
    elected = {fact.payload.seat for fact in round_.of(model.HandElected)}
    elected |= {fact.payload.scope for fact in round_.of(model.RoundVoided)} | voided_seats(round_, book)
    exposed = [(fact, owner_of(round_, fact)) for fact in round_.of(model.CardExposed) if _counts_as_exposed(fact)]
    exposed += [(fact, fact.payload.to) for fact in round_.of(model.CardsDealt) if fact.payload.face_up]
    for fact, seat in exposed:
        if seat is None and _may_await_election(round_, book, fact, elected):
            yield Indeterminate(WHOSE)
        if not isinstance(seat, int) or seat in elected or seat not in stakes_at(round_, book):
            continue
        over = [round_.certainly_before(each, fact) for each in _turned_over(round_, book, seat)]
        if True in over:
            continue
        elected.add(seat)
        if None in over:
            yield Indeterminate(f"seat {seat}: the clocks contradict the order of the exposed card and the end of the hand")
            continue
        yield Departure(
            "13(d)",
            expected="the player elects to play or to void the hand",
            observed=f"{_what_was_exposed(fact, seat)}; no election",
            evidence=(fact,),
            seat=seat,
        )


def _counts_as_exposed(fact: RecordedEvent) -> bool:
    """Return whether the dealer exposed a card; a device exposes those of the stack for him."""
    by, whose = fact.payload.by, fact.payload.whose
    return bool(by == "dealer" or (whose == "stack" and by != "player"))


def _may_await_election(round_: Round, book: Rulebook, exposed: RecordedEvent, elected: Container[int]) -> bool:
    """Return whether a card of the stack may have come to a player who made no election."""
    return not after_the_deal(round_, book, exposed) and any(
        seat not in elected and may_be_of(round_, book, exposed, seat) for seat in stakes_at(round_, book)
    )


def _turned_over(round_: Round, book: Rulebook, seat: int) -> list[RecordedEvent]:
    """The facts after which the dealer may show a player's cards: the hands revealed, the base wager settled (.11(e)-(h))."""
    revealed = [fact for fact in round_.of(model.HandRevealed) if fact.payload.position == seat]
    return revealed + [
        fact
        for fact in moves(round_)
        if fact.payload.seat == seat and fact.payload.wager == book.chapter.base and getattr(fact.payload, "reason", "") != "late"
    ]


@rule("DEAL-ELECTION", on=("13(d)",))
def election_unseen(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """The election is made without looking at the unexposed cards.

    A player who sets them, or sees them revealed, has looked (D548).
    """
    for fact in distinct_by(round_.of(model.HandElected), "seat", "election"):
        looked = _looked_first(round_, fact)
        if looked is None:
            continue
        before = round_.certainly_before(looked, fact)
        if before is None:
            yield Indeterminate(f"seat {fact.payload.seat}: the clocks contradict the order of looking and electing")
        elif before:
            yield Departure(
                "13(d)",
                expected="the election before the cards are looked at",
                observed=f"elected to {fact.payload.election} the hand after looking",
                evidence=(looked, fact),
                seat=fact.payload.seat,
            )


def _looked_first(round_: Round, elected: RecordedEvent) -> RecordedEvent | None:
    """Return the player's first look at his cards, or what showed them to him between the last exposure and the election.

    A second statement about the same exposed card is not an election (D339): the cards may lie open by then.
    """
    seat = elected.payload.seat
    looked = next((each for each in round_.of(model.HandExamined) if each.payload.seat == seat), None)
    shown = [each.seq for each in round_.of(model.CardExposed) if owner_of(round_, each) == seat]
    exposed = max((seq for seq in shown if seq < elected.seq), default=None)
    before = [each for each in round_.of(model.HandElected) if each.payload.seat == seat and each.seq < elected.seq]
    if looked is not None or exposed is None or any(each.seq > exposed for each in before):
        return looked
    return next((each for each in looks(round_, seat) if each.seq > exposed), None)


@rule("DEAL-EXPOSED", on=("8(g)", "9(f)", "10(f)"))
def empty_position_unseen(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """The stack of a position without a wager goes to the discard rack without being exposed (§ 688a.8(g))."""
    if round_.lost or not round_.covers("wagering") or is_void(round_, book):
        return
    taken, seen = stakes_at(round_, book), set[int]()
    for fact in exposed_by_the_dealer(round_):
        seat = seat_shown(fact)
        if seat is not None and seat not in taken and seat not in seen:
            seen.add(seat)
            yield Departure(
                EMPTY_SECTION[book.deal_method],
                expected="the stack of a position without a wager collected unseen",
                observed="exposed",
                evidence=(fact,),
                seat=seat,
            )


@rule("DEAL-EXPOSED", on=("11(d)",))
def surrendered_hand_unseen(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """A surrendered hand is collected without exposing it, unless it stays for the Qualifying Wagers of others (§ 688a.11(d))."""
    if round_.lost or is_void(round_, book) or has_qualifying_wager(round_, book):
        return
    given_up = {fact.payload.seat: fact for fact in standing_surrenders(round_, book)}
    for fact in exposed_by_the_dealer(round_) if given_up else ():
        surrender = given_up.get(seat_shown(fact) or 0)
        if surrender is not None and surrender.seq < fact.seq:
            yield Departure(
                "11(d)",
                expected="the surrendered hand collected unseen",
                observed="exposed",
                evidence=(surrender, fact),
                seat=surrender.payload.seat,
            )


def exposed_by_the_dealer(round_: Round) -> list[RecordedEvent]:
    """Return the facts that showed a card of a position (exposed, dealt face up, or turned over), except by a player."""
    dealt = [fact for fact in round_.of(model.CardsDealt) if fact.payload.face_up]
    shown = [fact for fact in round_.of(model.CardExposed) if fact.payload.by != "player"]
    return in_order([*dealt, *shown, *round_.of(model.HandRevealed)])


def seat_shown(fact: RecordedEvent) -> int | None:
    """Return the seat whose card was shown; None if it was the dealer's, or of no one yet."""
    match fact.payload:
        case model.CardsDealt(to=whose) | model.CardExposed(whose=whose) | model.HandRevealed(position=whose):
            return whose if isinstance(whose, int) else None
    return None


@rule("DEAL-SHAKE", on=("5(i)(1)(i)", "5(i)(1)(iv)"))
def shaker_closed(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """The lid is on while the shaker is shaken, and after the deal the shaker is put to the dealer's right (§ 688a.5(i)(1)).

    In 645c `dice_wagers.py` judges it if wagers lie on the dice; without, the lid is the matter of 645a, which is not held.
    """
    for fact in round_.of(model.ShakerShaken):
        if not fact.payload.covered and fact.payload.times and not book.has("645c.2(b)"):
            yield Departure(
                "5(i)(1)(i)", expected="the shaker covered while it is shaken", observed="uncovered", evidence=(fact,)
            )
    for fact in round_.of(model.ShakerCovered)[-1:]:
        if not fact.payload.placed_right_of_dealer:
            yield Departure(
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


envy_hands_called = acts_of(model.EnvyAcknowledged, "acknowledged")


def _envy_hand_called(round_: Round, book: Rulebook, act: Act) -> RecordedEvent | None:
    called = round_.of(model.EnvyAcknowledged)
    return next((fact for fact in called if fact.payload.seat == act.fact.payload.for_position), None)


ENVY_HAND_CALLED = Step("the hand that it is for is acknowledged", of_act=_envy_hand_called)


def shown_after_dealer(section: str) -> tuple[Precedence, ...]:
    """Return the sentences that players' hands are revealed when all are dealt, and the dealer's are set.

    A hand that is on record as set only after its reveal was revealed as set (D371).
    """
    return tuple(
        Precedence("PAY-REVEAL", section, acts, step, "the hand revealed")
        for acts, step in ((any_hand_shown, ALL_HANDS_DEALT), (hands_shown, DEALER_SET))
    )


DEALER_RESET = Step(
    "the dealer's hands are reset",
    lambda round_, _: next((fact for fact in reversed(round_.of(model.HandReset)) if fact.payload.position == "dealer"), None),
)

SHOWN_IN_ORDER = (
    *shown_after_dealer("11(e)"),
    early(by_hand(settled("base"), DEALER_RESET), DEALER_RESET, "13(h)"),
    Precedence("PAY-ANNOUNCED", "11(e)", results_announced, ALL_HANDS_DEALT, "the result announced"),
    Precedence("PAY-ANNOUNCED", "11(e)", results_announced, DEALER_SET, "the result announced"),
    Precedence("PAY-ANNOUNCED", "11(e)", results_by_hands, HAND_REVEALED, "the result announced"),
    early(progressive_light, HAND_REVEALED, "11(h)(3)(i)(B)(2)"),
    early(progressive_validated, HAND_REVEALED, "11(h)(3)(i)(B)(3)"),
    early(progressive_documented, HAND_REVEALED, "11(h)(3)(i)(B)(4)"),
    early(meter_won, HAND_DEALT, "11(h)(3)(i)(B)"),
    early(meter_won, HAND_REVEALED, "11(h)(3)(i)(B)"),
    *(
        Precedence("PAY-ENVYCALL", "11(h)(2)(i)(B)", envy_hands_called, step, "the hand acknowledged")
        for step in (ALL_HANDS_DEALT, HAND_REVEALED)
    ),
    Precedence("PAY-ENVYCALL", "11(h)(2)(i)(B)", envy_paid, ENVY_HAND_CALLED, "the Envy Bonus paid"),
)
"""Steps of games in which the dealer reveals the players' hands one after another, and winners are verified (§ 688a.11)."""
