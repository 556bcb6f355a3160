"""DJ Wild Stud Poker: the rules that only it has, and what is particular to its settlement (Annex A, rulemaking 125-223).

§§ 687a.5(b), 687a.7(d)(1), 687a.8 to 687a.10, 687a.11(b), (d): who gets cards, the side card, the stub's count, decisions in
turn. What players decided is in `decisions.py`, cards exposed before the raises are in `dj_wild_exposure.py`, one
player's settlement after another is in `dj_wild_settlement.py`, what a wager is due in `games/dj_wild/settle.py`.
"""

import itertools
from collections.abc import Iterator

import msgspec

from events.vocabulary import model
from games.dj_wild.decisions import (
    BASE,
    decisions,
    how_decided,
    in_play,
    no_envy,
    of_players,
    past_decisions,
    settlement_turns,
    turned,
)
from games.dj_wild.exposure import DEALER_OPEN, exposure_grounds, groundless
from games.dj_wild.settlement_steps import (
    ALL_SETTLED,
    AS_PRINTED,
    all_cards_collected,
    both_seats,
    cards_until_settled,
    folded_hands_collected,
    forfeits_collected,
    is_forfeited,
    one_player_at_a_time,
)
from replay.findings import name
from replay.fold.preparations import preparations
from replay.fold.recorded_event import RecordedEvent, in_order
from replay.fold.round import Round
from replay.fold.stub_counts import is_round_of_play, uncounted
from replay.rules.dealing import MOVED_LATE, moved_late
from replay.rules.game_rules import GameRules
from replay.rules.round_steps import (
    ALL_HANDS_DEALT,
    DEALER_REVEALED,
    ENVY_HAND_REVEALED,
    HAND_DEALT,
    HAND_REVEALED,
    Act,
    Precedence,
    Step,
    cards_collected,
    cards_examined,
    dealer_collected,
    dealer_compared,
    early,
    envy_paid,
    meter_won,
    racked,
    settled,
    stub_in_its_place,
)
from replay.rules.rule import Departure, Indeterminate, rule
from replay.settlement.game_terms import OtherReading
from replay.settlement.hand_readings import readings
from replay.settlement.stakes import stakes
from replay.settlement.table_layout import side_card, side_cards
from replay.settlement.voids import is_void, must_be_void, positions, void_grounds, was_voided, went_on
from rulebook.cards.cards import JOKER
from rulebook.cards.wild_ranking import WildClass
from rulebook.chapters.money import show_money
from rulebook.chapters.rulebook import Rulebook
from rulebook.layout import TableLayout

# --------------------------------------------------------------------------------------------------- what it is settled by


def complete_layout(round_: Round, book: Rulebook, layout: TableLayout) -> TableLayout:
    """Put the decisions on the table, and the order of the settlement.

    A decision made after an exposed card voided the round does not count (D329).
    """
    made = decisions(round_, book)
    grounds = (ground for ground in exposure_grounds(round_, book) if ground.counts(round_))
    exposed = min((seq for ground in grounds for seq in ground.evidence), default=None)
    boxes = []
    for box in layout.boxes:
        decision, decided = how_decided(round_, book, box.seat), made.get(box.seat)
        if exposed is not None and decided is not None and decided.fact.seq > exposed:
            decision = None
        boxes.append(msgspec.structs.replace(box, decision=decision))
    return msgspec.structs.replace(
        layout, boxes=boxes, turns=settlement_turns(round_, book), past_decisions=past_decisions(round_, book)
    )


def open_reason(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    """Return what a wager's result lacks, next to cards that were not read: a decision, or the side card in the joker's place."""
    if seat not in in_play(round_, book) and seat not in round_.hands():
        return f"seat {seat} has no ante and no cards"
    if wager == "trips":
        return None
    jokers = any(JOKER in (hand.cards or ()) for hand in readings(round_, book, seat))
    if wager == "progressive" and jokers and side_card(round_) is None:
        return _side_card_open(round_)
    is_void_or_shown = wager == "progressive" and (book.settings["folded_progressive"] or is_void(round_, book))
    if how_decided(round_, book, seat) is None and not is_void_or_shown:
        return _decision_open(round_, book, seat)
    return None


def _side_card_open(round_: Round) -> str:
    """Return why it cannot be told which card replaces the joker."""
    cards = side_cards(round_)
    if len(cards) > 1:
        return "several side cards were placed, and the text does not say which of them replaces the joker"
    return "the side card was not read" if None in cards else "the side card is not on record"


def _decision_open(round_: Round, book: Rulebook, seat: int) -> str:
    """Say what is on record of a decision that is not known (D190, D355)."""
    made = decisions(round_, book)
    if (decided := made.get(seat)) is not None and decided.decision == "raise":
        return f"seat {seat} announced a raise, and none was placed"
    words = {fact.payload.decision for fact in round_.of(model.DecisionMade) if fact.payload.seat == seat}
    if seat in made and words:
        return f"seat {seat} raised and folded, by the record"
    return f"whether seat {seat} raised or folded is not on record"


# ------------------------------------------------------------------------------------------------------- wagers and decisions


@rule("WAGER-LIMIT", on=("687a.7(d)(1)",))
def ante_and_blind(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """A player who takes part in a round places a Blind Wager next to the Ante Wager."""
    if not round_.covers("wagering") or round_.first_card is None:
        return
    placed = stakes(round_, book)
    for seat in in_play(round_, book):
        ante, blind = placed[seat, "ante", None, ""], placed.get((seat, "blind", None, ""))
        if blind is None or blind.on_layout_cents == 0:
            yield Departure(
                "687a.7(d)(1)",
                expected=f"a blind of {show_money(ante.in_time_cents)}",
                observed="none",
                evidence=(*ante.facts, *(blind.facts if blind else ())),
                seat=seat,
                wager="blind",
            )


@rule("PLAY-ORDER", on=("687a.11(b)",))
def in_turn(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """Players decide in turn, from the one farthest to the dealer's left clockwise: seat 1 first."""
    made = in_order(each.fact for each in of_players(round_, book))
    for before, after in itertools.pairwise(made):
        if after.payload.seat > before.payload.seat:
            continue
        if not round_.certainly_before(before, after):
            yield Indeterminate(f"the clocks contradict the order of the decisions of {both_seats(before, after)}")
            return
        yield Departure(
            "687a.11(b)",
            expected=f"seat {after.payload.seat} before seat {before.payload.seat}",
            observed="decided after it",
            evidence=(before, after),
            seat=after.payload.seat,
        )
        return


@rule("PLAY-ORDER", on=("687a.11(b)",))
def no_surrender(round_: Round, book: Rulebook) -> Iterator[Indeterminate]:
    """Players raise or fold: this game has no surrender, and one is not taken for a fold (D330)."""
    for fact in round_.of(model.Surrendered):
        yield Indeterminate(f"seat {fact.payload.seat} surrendered, by the record, which the chapter does not know: did it fold?")


@rule("PLAY-ORDER", on=("687a.11(d)",))
def dealer_last(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """The dealer's hand is turned over once all players have raised or folded; turned before a raise it voids the round."""
    dealer = turned(round_)
    if dealer is None or was_voided(round_, book) or any(dealer.seq in ground.evidence for ground in void_grounds(round_, book)):
        return
    for each in of_players(round_, book):
        if each.fact.seq < dealer.seq:
            continue
        if not round_.certainly_before(dealer, each.fact):
            yield Indeterminate(DEALER_OPEN)
            return
        yield Departure(
            "687a.11(d)",
            expected="the dealer's hand turned over after the last decision",
            observed=f"before that of seat {each.fact.payload.seat}",
            evidence=(dealer, each.fact),
        )
        return


# ------------------------------------------------------------------------------------------------------------------ the deal

STACK_SECTION = {"manual_shoe": "687a.8(d)", "hand": "687a.9(c)", "automated_shoe": "687a.10(b)"}


@rule("DEAL-ORDER", on=("687a.8(d)", "687a.9(c)", "687a.10(b)"))
def stacks_in_order(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """Whole stacks go clockwise to those who wager, from the one farthest to the dealer's left (seat 1); the dealer is last."""
    if "deal" not in round_.opened.payload.observed or was_voided(round_, book):
        return
    stacks: list[RecordedEvent] = []
    for fact in round_.of(model.CardsDealt):
        if fact.payload.to not in ("burn", "side") and not (stacks and stacks[-1].payload.to == fact.payload.to):
            stacks.append(fact)
    due = list(positions(round_, book))
    if round_.covers("wagering"):
        due = [*in_play(round_, book), "dealer"]
    for number, fact in enumerate(stacks):
        expected = due[number] if number < len(due) else None
        if fact.payload.to != expected:
            yield Departure(
                STACK_SECTION[book.deal_method],
                expected=f"{name(expected)} next" if expected is not None else "nobody next",
                observed=f"dealt to {name(fact.payload.to)}",
                evidence=(*stacks[max(number - 1, 0) : number], fact),
            )
            return


@rule("DEAL-ORDER", on=("687a.8(d)", "687a.9(c)", "687a.10(b)"), early=MOVED_LATE)
def stack_moved_at_once(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """A stack that was set down wrongly is moved before other cards are dealt, as where all positions get cards (D755)."""
    yield from moved_late(round_, book, STACK_SECTION[book.deal_method])


# ------------------------------------------------------------------------------------------------- the side card and the stub

SIDE_SECTION = {"manual_shoe": "687a.8(e)", "hand": "687a.9(e)", "automated_shoe": "687a.10(c)"}
ONLY_IF_WAGERED = frozenset({"automated_shoe"})
"""The ways of dealing by which the side card is placed only "if a player has placed a Progressive Bonus wager" (§ 687a.10(c))."""
COUNT_SECTION = {"manual_shoe": "687a.8(e)", "hand": "687a.9(f)", "automated_shoe": "687a.10(d)"}


@rule("DEAL-SIDE", on=("687a.8(e)", "687a.9(e)", "687a.10(c)"))
def side_card_placed(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """A side card is placed after the dealer's hand; from an automated shoe if a Progressive lies at the table (D672)."""
    if not round_.covers("deal") or was_voided(round_, book) or round_.last_card is None:
        return
    side = [fact for fact in round_.of(model.CardsDealt) if fact.payload.to == "side"]
    section = SIDE_SECTION[book.deal_method]
    if not side and went_on(round_) and not must_be_void(round_, book):
        yield from _side_card_missing(round_, book, round_.last_card)
    if sum(len(fact.payload.cards) for fact in side) > 1:
        yield Departure(
            section, expected="one side card", observed=f"{sum(len(fact.payload.cards) for fact in side)}", evidence=side
        )
    elif side and side[0].seq < round_.last_card.seq:
        if not round_.certainly_before(side[0], round_.last_card):
            yield Indeterminate("the clocks contradict the order of the side card and the dealer's hand")
            return
        yield Departure(
            section, expected="the side card after the dealer's hand", observed="before it", evidence=(side[0], round_.last_card)
        )


def _side_card_missing(round_: Round, book: Rulebook, last_card: RecordedEvent) -> Iterator[Departure]:
    wagered = [each for each in stakes(round_, book).values() if each.wager == "progressive" and each.in_time_cents > 0]
    is_by_condition = book.deal_method in ONLY_IF_WAGERED
    if not wagered and (is_by_condition or "progressive" not in book.offers):
        return
    only_if_wagered = (
        f"D672: by {book.cite('687a.2(b)(4)')} the card is for the joker of a Progressive, and {book.cite('687a.10(c)')} "
        "asks for it only where a player has placed one"
    )
    yield Departure(
        SIDE_SECTION[book.deal_method],
        expected="a side card for the Progressive" if wagered else "a side card, where a Progressive is offered",
        observed="none",
        evidence=(last_card, *(fact for each in wagered for fact in each.facts)),
        other_reading=None if wagered else only_if_wagered,
    )


@rule("DEAL-SIDE", on=("687a.2(b)(4)",))
def side_card_face_down(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """The side card is placed face down: the player who decides does not know what replaces the joker."""
    shown = [fact for fact in round_.of(model.CardsDealt) if fact.payload.to == "side" and fact.payload.face_up]
    if shown and not was_voided(round_, book):
        yield Departure("687a.2(b)(4)", expected="the side card placed face down", observed="placed face up", evidence=shown)


@rule("DEAL-STUBDUE", on=("687a.8(e)", "687a.9(f)", "687a.10(d)"))
def stub_due(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """If the shuffler does not count the deck, the stub is counted at least once in five rounds of play.

    A shuffler that counts is taken to be in use unless the cards were shuffled by hand.
    """
    by_hand = any(step.kind == "shuffle" and step.detail == "manual" for step in preparations(round_))
    if (book.shuffler in ("automated_counting", "continuous") and not by_hand) or not is_round_of_play(round_):
        return
    rounds, must = uncounted(round_), book.chapter.numbers["stub_count_rounds"]
    if rounds and rounds % must == 0:
        yield Departure(
            COUNT_SECTION[book.deal_method],
            expected=f"the stub counted once in {must} rounds",
            observed=f"not counted in {rounds}",
            evidence=(round_.opened,),
        )


@rule("EQUIP-COUNT", on=("687a.5(b)",))
def counted_deck(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """A deck that the shuffler does not count as 53 cards is removed from the table, whatever a later count says."""
    first, must = round_.first_card, book.chapter.numbers["deck_size"]
    if first is None:
        return
    removed = [fact.seq for fact in round_.of(model.DeckRemoved) if fact.payload.deck == round_.deck]
    since = max((seq for seq in removed if seq < first.seq), default=0)
    counted = [
        step
        for step in preparations(round_)
        if step.kind == "shuffle" and step.detail != "manual" and step.depth not in (0, must) and step.seq > since
    ]
    if counted:
        yield Departure(
            "687a.5(b)",
            expected=f"a deck of {must} cards, or the deck removed",
            observed=f"{counted[-1].depth} counted and dealt",
            evidence=(counted[-1].seq, first),
        )


# --------------------------------------------------------------------------------------------------------------- the settlement


ALL_DECIDED = Step(
    "all players have decided",
    lambda round_, book: max((each.moment for each in of_players(round_, book)), key=lambda fact: fact.seq, default=None),
)
SIDE_CARD = Step(
    "the side card is placed",
    lambda round_, book: next((fact for fact in round_.of(model.CardsDealt) if fact.payload.to == "side"), None),
)


def decided(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield the players' decisions: announcements and placed raises."""
    raises = (fact for fact in round_.of(model.WagerPlaced) if fact.payload.wager == "raise")
    for fact in in_order([*round_.of(model.DecisionMade), *raises]):
        yield Act(fact, fact.payload.seat, None, "decided")


def settled_by_hands(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield the first wager that was settled, if any."""
    for act in itertools.islice(settled(*BASE, *AS_PRINTED)(round_, book), 1):
        yield Act(act.fact, None, None, act.word)


PRECEDENCES = (
    early(settled(*BASE), ALL_HANDS_DEALT, "687a.11(e)"),
    early(settled(*BASE, but=is_forfeited), DEALER_REVEALED, "687a.11(e)"),
    early(settled(*BASE, but=is_forfeited), HAND_REVEALED, "687a.11(e)"),
    early(settled(*AS_PRINTED), ALL_HANDS_DEALT, "687a.11(f)"),
    early(settled(*AS_PRINTED, but=is_forfeited), DEALER_REVEALED, "687a.11(f)"),
    early(envy_paid, ALL_HANDS_DEALT, "687a.11(f)(1)"),
    early(envy_paid, ENVY_HAND_REVEALED, "687a.11(f)(1)"),
    early(meter_won, ALL_HANDS_DEALT, "687a.11(f)(1)"),
    early(meter_won, DEALER_REVEALED, "687a.11(f)(1)"),
    Precedence("PAY-ORDER", "687a.11(c)", forfeits_collected, ALL_DECIDED),
    racked(folded_hands_collected, ALL_DECIDED, "687a.11(c)"),
    Precedence("PLAY-ORDER", "687a.11(a)", cards_examined, ALL_HANDS_DEALT, "the cards examined"),
    Precedence("PLAY-ORDER", "687a.11(b)", decided, HAND_DEALT, "the decision"),
    Precedence("DEAL-SIDE", SIDE_SECTION, decided, SIDE_CARD, "the decision"),
    Precedence("DEAL-SIDE", SIDE_SECTION, settled_by_hands, SIDE_CARD, "the wagers settled"),
    *stub_in_its_place(COUNT_SECTION),
    racked(cards_collected, ALL_HANDS_DEALT, COUNT_SECTION),
    racked(cards_collected, SIDE_CARD, COUNT_SECTION),
    racked(all_cards_collected, ALL_DECIDED, "687a.11(c)"),
    racked(all_cards_collected, ALL_SETTLED, "687a.11(g)"),
    racked(dealer_collected, dealer_compared(*BASE, "bad_beat"), "687a.11(g)", "the dealer's cards collected"),
)
"""The order of the steps of a round (§ 687a.11(d)-(f))."""

OR_LESS = "DJWBB-04"
"""The Bad Beat paytable whose last line is printed "Three-of-a-Kind or less"."""


def _or_less_pays(round_: Round, book: Rulebook, seat: int) -> tuple[Round, Rulebook] | None:
    """The last line of DJWBB-04 pays a losing hand below three of a kind, as it is printed (D20)."""
    offer = book.offers.get("bad_beat")
    if offer is None or offer.paytable is None or offer.paytable.name != OR_LESS:
        return None
    last = offer.paytable.lines[-1]
    less = [msgspec.structs.replace(last, hand=each.line) for each in WildClass if each < WildClass.THREE_OF_A_KIND]
    paytable = msgspec.structs.replace(offer.paytable, lines=(*offer.paytable.lines, *less))
    offers = {**book.offers, "bad_beat": msgspec.structs.replace(offer, paytable=paytable)}
    return round_.reading({}), msgspec.structs.replace(book, offers=offers)


OR_LESS_READING = OtherReading(
    decision="D20",
    section="687a.12(e)",
    says='the line "Three-of-a-Kind or less" of {cite} can as well be read to pay a lower hand that loses to the dealer',
    change=_or_less_pays,
)

GAME_RULES = GameRules(
    game="dj_wild",
    other_readings=(OR_LESS_READING,),
    void_grounds=exposure_grounds,
    complete_layout=complete_layout,
    open_reason=open_reason,
    no_envy=no_envy,
    groundless=groundless,
    rules={
        "settlement": (ante_and_blind, in_turn, no_surrender, dealer_last),
        "equipment": (
            stacks_in_order,
            stack_moved_at_once,
            side_card_placed,
            stub_due,
            counted_deck,
            one_player_at_a_time,
            cards_until_settled,
            side_card_face_down,
        ),
    },
    precedences=PRECEDENCES,
)
