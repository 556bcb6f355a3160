"""DJ Wild Stud Poker: the rules that only it has, and what is particular to its settlement (Annex A, rulemaking 125-223).

§§ 687a.5(b), 687a.7(d)(1), 687a.8 to 687a.10, 687a.11(b)-(g), 687a.13(d): who gets cards, the side card, the stub's count,
decisions in turn, cards exposed before the raises, one player's settlement after another. What players decided is in
`dj_wild_decisions.py`, what a wager is due in `games/dj_wild.py`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import msgspec

from events.vocabulary import model
from games.cards.cards import JOKER
from games.layout import TableLayout
from games.rulebook.money import show_money
from games.rulebook.rulebook import Rulebook
from replay.findings import Finding, name
from replay.fold.recorded_event import RecordedEvent, in_order
from replay.fold.round import ASIDE, Round
from replay.fold.stub_counts import is_round_of_play, uncounted
from replay.rules.equipment import preparations
from replay.rules.game_rules import GameRules
from replay.rules.games.dj_wild_decisions import (
    BASE,
    Decided,
    decisions,
    how_decided,
    in_play,
    of_players,
    past_decisions,
    settlement_turns,
    settling,
    turned,
)
from replay.rules.round_steps import (
    ALL_HANDS_DEALT,
    DEALER_REVEALED,
    HAND_REVEALED,
    Act,
    Precedence,
    Step,
    dealer_collected,
    dealer_compared,
    early,
    racked,
    settled,
    stub_in_its_place,
)
from replay.rules.rule import Indeterminate, finding, rule
from replay.settlement.hand_readings import readings
from replay.settlement.payouts import first_moves
from replay.settlement.stakes import stakes
from replay.settlement.table_layout import side_card
from replay.settlement.void_ground import VoidGround
from replay.settlement.voids import is_void, must_be_void, positions, void_grounds, was_voided, went_on

AS_PRINTED = ("progressive", "trips", "bad_beat")
"""The optional wagers in the order of § 687a.11(f)(1) to (3)."""
SAYS_HOW = "(1) to (3) says how each is settled, not when (optional_wagers = any_order)"

# --------------------------------------------------------------------------------------------------- what it is settled by


def complete_layout(round_: Round, book: Rulebook, layout: TableLayout) -> TableLayout:
    """Put the decisions on the table, and the order of the settlement.

    What was decided after a card was exposed that voids the round decides nothing (D329).
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
    """Return what a wager's result lacks, beside cards that were not read: a decision, or the side card in the joker's place."""
    if seat not in in_play(round_, book) and seat not in round_.hands():
        return f"seat {seat} has no ante and no cards"
    if wager == "trips":
        return None
    jokers = any(JOKER in (hand.cards or ()) for hand in readings(round_, book, seat))
    if wager == "progressive" and jokers and side_card(round_) is None:
        return "the side card was not read" if _side_card_dealt(round_) else "the side card is not on record"
    is_void_or_shown = wager == "progressive" and (book.settings["folded_progressive"] or is_void(round_, book))
    if how_decided(round_, book, seat) is None and not is_void_or_shown:
        return _decision_open(round_, book, seat)
    return None


def _side_card_dealt(round_: Round) -> bool:
    return any(fact.payload.to == "side" and None in fact.payload.cards for fact in round_.of(model.CardsDealt))


def _decision_open(round_: Round, book: Rulebook, seat: int) -> str:
    """Say what is on record of a decision that cannot be told (D190, D355)."""
    made = decisions(round_, book)
    if (decided := made.get(seat)) is not None and decided.decision == "raise":
        return f"seat {seat} announced a raise, and none was placed"
    words = {fact.payload.decision for fact in round_.of(model.DecisionMade) if fact.payload.seat == seat}
    if seat in made and words:
        return f"seat {seat} raised and folded, by the record"
    return f"whether seat {seat} raised or folded is not on record"


def groundless(round_: Round, book: Rulebook) -> str | None:
    """Say of a round that was voided for an exposed card why the record shows no ground, where it has such a card."""
    seen = [fact for fact in round_.of(model.CardExposed) if fact.payload.by != "player"]
    reason = round_.voided.payload.reason if round_.voided is not None else ""
    if reason not in ("exposed_card", "exposed_dealer") or not (seen or turned(round_)):
        return None
    if round_.covers("wagering"):
        return f"the round was voided ({reason}), and every player had decided when the card was exposed, by the record"
    return f"the round was voided ({reason}), and whether the raises were placed before the card was exposed is not on record"


# ------------------------------------------------------------------------------------------------------ exposed cards, .13(d)


def exposure_grounds(round_: Round, book: Rulebook) -> Iterator[VoidGround]:
    """A card of a hand revealed before the raises are placed voids all hands: by the dealer or a device, of whomever (D28)."""
    exposures: set[tuple[object, ...]] = set()
    for fact in round_.of(model.CardExposed):
        exposed = fact.payload
        exposure = exposed.whose, exposed.card, exposed.by == "player"
        if exposed.card is not None and exposure in exposures:
            continue  # said again (D333)
        exposures.add(exposure)
        if exposed.by == "player" or _of_no_hand(round_, book, fact):
            continue
        before = _before_raises(round_, book, fact)
        if before is not False:
            yield VoidGround(
                "exposed_card",
                "DEAL-EXPOSED",
                "687a.13(d)",
                "with a card exposed before the raises, all hands void",
                f"{exposed.card or 'a card'} of {name(exposed.whose)} was exposed by the {exposed.by}; the round was not voided",
                (fact.seq,),
                exposed.whose if isinstance(exposed.whose, int) else None,
                doubt="" if before else _why_open(round_, book),
            )
    yield from _hands_shown(round_, book)
    dealer = turned(round_)
    may_tell = round_.voided is not None or bool(of_players(round_, book))
    before = _before_raises(round_, book, dealer) if dealer is not None and may_tell else False
    if dealer is not None and before is not False:
        yield VoidGround(
            "exposed_dealer",
            "DEAL-EXPOSED",
            "687a.13(d)",
            "the dealer's hand turned over after the raises, or all hands void",
            "turned over before a raise; the round was not voided",
            (dealer.seq,),
            doubt="" if before else DEALER_OPEN,
        )


def _hands_shown(round_: Round, book: Rulebook) -> Iterator[VoidGround]:
    """Hands that were dealt face up (§ 687a.8(d)), and players' hands that were turned over, before the raises."""
    dealt = [fact for fact in round_.of(model.CardsDealt) if fact.payload.face_up and fact.payload.to not in ASIDE]
    turned_over = [fact for fact in round_.of(model.HandRevealed) if fact.payload.position != "dealer"]
    undecided = not of_players(round_, book)
    for how, facts in (("dealt face up", dealt), ("turned over", turned_over)):
        when = [(fact, _before_raises(round_, book, fact)) for fact in facts]
        early = [fact for fact, before in when if before or (undecided and facts is dealt)]
        shown = early or [fact for fact, before in when if before is None and not undecided]
        if shown:
            whose = shown[0].payload.to if facts is dealt else shown[0].payload.position
            yield VoidGround(
                "exposed_card" if isinstance(whose, int) else "exposed_dealer",
                "DEAL-EXPOSED",
                "687a.13(d)",
                "with cards exposed before the raises, all hands void",
                f"the hand of {name(whose)} was {how}; the round was not voided",
                tuple(fact.seq for fact in shown),
                whose if isinstance(whose, int) else None,
                doubt="" if early else _why_open(round_, book),
            )


DEALER_OPEN = "the clocks contradict the order of the last decision and the dealer's turning over"


def _why_open(round_: Round, book: Rulebook) -> str:
    """Say why it cannot be told whether a card was exposed before the raises."""
    if of_players(round_, book):
        return "the clocks contradict the order of an exposed card and the raises"
    return "a card was exposed, and whether before the raises is not on record"


def _of_no_hand(round_: Round, book: Rulebook, exposed: RecordedEvent) -> bool:
    """Say whether a card of the stack became certainly nobody's: it went aside, or all hands are on record without it (D367)."""
    card = exposed.payload.card
    if exposed.payload.whose != "stack" or card is None:
        return False
    went = {fact.payload.to for fact in round_.of(model.CardsDealt) if card in fact.payload.cards}
    if went:
        return went <= {"side", "burn"}
    hands, must = round_.hands(), book.chapter.numbers["cards_per_hand"]
    whole = all(len(hands.get(each, ())) == must for each in positions(round_, book))
    read = all(None not in cards for cards in hands.values())
    return whole and read and round_.covers("wagering") and not round_.lost


def _before_raises(round_: Round, book: Rulebook, exposed: RecordedEvent) -> bool | None:
    """Whether a card was exposed before the raises: a raise was placed after it, or nobody had decided yet.

    Where some had decided and only folds came after it, it may be read either way: the floor's decision to void stands. Null
    where no decision is on record, or the clocks contradict an order that it depends on.
    """
    made = of_players(round_, book)
    if not made and round_.voided is None:
        return None
    order = [(each, round_.certainly_before(exposed, each.moment)) for each in made]
    readings = {
        _was_before_raises(
            round_,
            book,
            exposed,
            before=[each for each, later in order if not (later or (later is None and open_later))],
            after=[each for each, later in order if later or (later is None and open_later)],
        )
        for open_later in (True, False)
    }
    return readings.pop() if len(readings) == 1 else None


def _was_before_raises(
    round_: Round, book: Rulebook, exposed: RecordedEvent, before: Sequence[Decided], after: Sequence[Decided]
) -> bool:
    """Whether a card was exposed before the raises, where these decisions came before it and these after it."""
    if any(each.decision == "raise" for each in after):
        return True
    undecided = set(in_play(round_, book)) - {
        each.fact.payload.seat
        for each in before
        if each.decision == "fold" or each.placed is not None or not round_.covers("wagering")
    }
    voided = round_.voided
    if voided is not None:
        for_exposure = voided.payload.reason in ("exposed_card", "exposed_dealer")
        return bool(undecided) and (for_exposure or exposed.payload.KIND is model.CardExposed)
    return bool(after) and not before


# ------------------------------------------------------------------------------------------------------- wagers and decisions


@rule("WAGER-LIMIT", on=("687a.7(d)(1)",))
def ante_and_blind(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """Who competes in a round places a Blind Wager beside the Ante Wager."""
    if not round_.covers("wagering") or round_.first_card is None:
        return
    placed = stakes(round_, book)
    for seat in in_play(round_, book):
        ante, blind = placed[seat, "ante", None, ""], placed.get((seat, "blind", None, ""))
        if blind is None or blind.on_layout_cents <= 0:
            yield finding(
                round_,
                book,
                "WAGER-LIMIT",
                "687a.7(d)(1)",
                expected=f"a blind of {show_money(ante.in_time_cents)}",
                observed="none",
                evidence=(*ante.facts, *(blind.facts if blind else ())),
                seat=seat,
                wager="blind",
            )


@rule("PLAY-ORDER", on=("687a.11(b)",))
def in_turn(round_: Round, book: Rulebook) -> Iterator[Finding | Indeterminate]:
    """Players decide in turn, from the one farthest to the dealer's left clockwise: seat 1 first."""
    made = in_order(each.fact for each in of_players(round_, book))
    for before, after in itertools.pairwise(made):
        if after.payload.seat > before.payload.seat:
            continue
        if not round_.certainly_before(before, after):
            yield Indeterminate(f"the clocks contradict the order of the decisions of {both_seats(before, after)}")
            return
        yield finding(
            round_,
            book,
            "PLAY-ORDER",
            "687a.11(b)",
            expected=f"seat {after.payload.seat} before seat {before.payload.seat}",
            observed="decided after it",
            evidence=(before, after),
            seat=after.payload.seat,
        )
        return


@rule("PLAY-ORDER", on=("687a.11(b)",))
def no_surrender(round_: Round, book: Rulebook) -> Iterator[Indeterminate]:
    """Players raise or fold: a surrender is not known here, and is not taken for a fold (D330)."""
    for fact in round_.of(model.Surrendered):
        yield Indeterminate(
            f"seat {fact.payload.seat} surrendered, by the record, which the chapter does not know: did it fold?"
        )


@rule("PLAY-ORDER", on=("687a.11(d)",))
def dealer_last(round_: Round, book: Rulebook) -> Iterator[Finding | Indeterminate]:
    """The dealer's hand is turned over once all players have raised or folded; turned before a raise it voids the round."""
    dealer = turned(round_)
    if (
        dealer is None
        or was_voided(round_, book)
        or any(dealer.seq in ground.evidence for ground in void_grounds(round_, book))
    ):
        return
    for each in of_players(round_, book):
        if each.fact.seq < dealer.seq:
            continue
        if not round_.certainly_before(dealer, each.fact):
            yield Indeterminate(DEALER_OPEN)
            return
        yield finding(
            round_,
            book,
            "PLAY-ORDER",
            "687a.11(d)",
            expected="the dealer's hand turned over after the last decision",
            observed=f"before that of seat {each.fact.payload.seat}",
            evidence=(dealer, each.fact),
        )
        return


# ------------------------------------------------------------------------------------------------------------------ the deal

STACK_SECTION = {"manual_shoe": "687a.8(d)", "hand": "687a.9(c)", "automated_shoe": "687a.10(b)"}


@rule("DEAL-ORDER", on=("687a.8(d)", "687a.9(c)", "687a.10(b)"))
def stacks_in_order(round_: Round, book: Rulebook) -> Iterator[Finding]:
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
            yield finding(
                round_,
                book,
                "DEAL-ORDER",
                STACK_SECTION[book.deal_method],
                expected=f"{name(expected)} next" if expected is not None else "nobody next",
                observed=f"dealt to {name(fact.payload.to)}",
                evidence=(*stacks[max(number - 1, 0) : number], fact),
            )
            return


# ------------------------------------------------------------------------------------------------- the side card and the stub

SIDE_SECTION = {"manual_shoe": "687a.8(e)", "hand": "687a.9(e)", "automated_shoe": "687a.10(c)"}
COUNT_SECTION = {"manual_shoe": "687a.8(e)", "hand": "687a.9(f)", "automated_shoe": "687a.10(d)"}


@rule("DEAL-SIDE", on=("687a.8(e)", "687a.9(e)", "687a.10(c)"))
def side_card_placed(round_: Round, book: Rulebook) -> Iterator[Finding | Indeterminate]:
    """With a Progressive Bonus Wager at the table one card is placed beside, after the dealer's hand."""
    if not round_.covers("deal") or was_voided(round_, book) or round_.last_card is None:
        return
    side = [fact for fact in round_.of(model.CardsDealt) if fact.payload.to == "side"]
    section = SIDE_SECTION[book.deal_method]
    wagered = [each for each in stakes(round_, book).values() if each.wager == "progressive" and each.in_time_cents > 0]
    if wagered and not side and went_on(round_) and not must_be_void(round_, book):
        yield finding(
            round_,
            book,
            "DEAL-SIDE",
            section,
            expected="a side card for the Progressive",
            observed="none",
            evidence=(round_.last_card, *(fact for each in wagered for fact in each.facts)),
        )
    if sum(len(fact.payload.cards) for fact in side) > 1:
        yield finding(
            round_,
            book,
            "DEAL-SIDE",
            section,
            expected="one side card",
            observed=f"{sum(len(fact.payload.cards) for fact in side)}",
            evidence=side,
        )
    elif side and side[0].seq < round_.last_card.seq:
        if not round_.certainly_before(side[0], round_.last_card):
            yield Indeterminate("the clocks contradict the order of the side card and the dealer's hand")
            return
        yield finding(
            round_,
            book,
            "DEAL-SIDE",
            section,
            expected="the side card after the dealer's hand",
            observed="before it",
            evidence=(side[0], round_.last_card),
        )


@rule("DEAL-STUBDUE", on=("687a.8(e)", "687a.9(f)", "687a.10(d)"))
def stub_due(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """Where the shuffler does not count the deck, the stub is counted at least once in five rounds of play.

    A shuffler that counts is taken to be in use unless the cards were shuffled by hand.
    """
    by_hand = any(step.kind == "shuffle" and step.detail == "manual" for step in preparations(round_))
    if (book.shuffler in ("automated_counting", "continuous") and not by_hand) or not is_round_of_play(round_):
        return
    rounds, must = uncounted(round_), book.chapter.numbers["stub_count_rounds"]
    if rounds and rounds % must == 0:
        yield finding(
            round_,
            book,
            "DEAL-STUBDUE",
            COUNT_SECTION[book.deal_method],
            expected=f"the stub counted once in {must} rounds",
            observed=f"not counted in {rounds}",
            evidence=(round_.opened,),
        )


@rule("EQUIP-COUNT", on=("687a.5(b)",))
def counted_deck(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """A deck of which the shuffler counts another number of cards than 53 is removed from the table."""
    first, must = round_.first_card, book.chapter.numbers["deck_size"]
    if first is None:
        return
    counted = [
        step for step in preparations(round_) if step.kind == "shuffle" and step.detail != "manual" and step.depth
    ]
    if counted and counted[-1].depth != must:
        yield finding(
            round_,
            book,
            "EQUIP-COUNT",
            "687a.5(b)",
            expected=f"a deck of {must} cards, or the deck removed",
            observed=f"{counted[-1].depth} counted and dealt",
            evidence=(counted[-1].seq, first),
        )


# --------------------------------------------------------------------------------------------------------------- the settlement


@rule("PAY-ORDER", on=("687a.11(e)", "687a.11(f)"))
def one_player_at_a_time(round_: Round, book: Rulebook) -> Iterator[Finding | Indeterminate]:
    """The wagers of one player after those of another, and of each ante, blind and raise before optional wagers.

    In which direction is not asked: the text says both. Nor is, unless it is filed, in which order the optional wagers are
    settled (D277). Slips may come later (D28); forfeited wagers are collected before.
    """
    if not round_.covers("settlement") or is_void(round_, book):
        return
    settled = first_moves(settling(round_, book))
    left: dict[int, RecordedEvent] = {}
    for before, after in itertools.pairwise(settled):
        if after.payload.seat == before.payload.seat:
            continue
        left[before.payload.seat] = after
        if after.payload.seat in left:
            yield from _out_of_order(
                round_,
                book,
                left[after.payload.seat],
                after,
                "687a.11(e)",
                "one player's wagers after another's",
                f"{after.payload.wager} after those of {name(before.payload.seat)}",
            )
            return
    for seat in dict.fromkeys(fact.payload.seat for fact in settled):
        mine = [fact for fact in settled if fact.payload.seat == seat]
        base = [fact for fact in mine if fact.payload.wager in BASE]
        early = [fact for fact in mine if fact.payload.wager not in BASE and base and fact.seq < base[-1].seq]
        if early:
            yield from _out_of_order(
                round_,
                book,
                early[0],
                base[-1],
                "687a.11(f)",
                "ante, blind and raise settled before optional wagers",
                f"{early[0].payload.wager} first",
            )
            return
        yield from _as_printed(round_, book, mine)


def _as_printed(round_: Round, book: Rulebook, settled: Sequence[RecordedEvent]) -> Iterator[Finding | Indeterminate]:
    """Progressive, Trips, Two-Way Bad Beat of one player, in the order of § 687a.11(f)(1)-(3) where that is filed (D277)."""
    if book.settings["optional_wagers"] != "as_printed":
        return
    first = [next((fact for fact in settled if fact.payload.wager == wager), None) for wager in AS_PRINTED]
    for before, after in itertools.pairwise(fact for fact in first if fact is not None):
        if after.seq < before.seq:
            yield from _out_of_order(
                round_,
                book,
                after,
                before,
                "687a.11(f)",
                f"{before.payload.wager} settled before {after.payload.wager}",
                f"{after.payload.wager} first",
                f"D277: {book.cite('687a.11(f)')}{SAYS_HOW}",
            )
            return


def _out_of_order(
    round_: Round,
    book: Rulebook,
    before: RecordedEvent,
    after: RecordedEvent,
    section: str,
    expected: str,
    observed: str,
    other_reading: str | None = None,
) -> Iterator[Finding | Indeterminate]:
    if not round_.certainly_before(before, after):
        yield Indeterminate(f"the clocks contradict the order of the settlement of {both_seats(before, after)}")
        return
    yield finding(
        round_,
        book,
        "PAY-ORDER",
        section,
        expected=expected,
        observed=observed,
        evidence=(before, after),
        seat=after.payload.seat,
        other_reading=other_reading,
    )


@rule("DEAL-RACK", on=("687a.11(c)", "687a.11(g)"))
def cards_until_settled(round_: Round, book: Rulebook) -> Iterator[Finding | Indeterminate]:
    """A hand's cards stay until its wagers are settled; of a folded one until its Trips and Progressive are."""
    if round_.lost or is_void(round_, book):
        return
    for fact in round_.of(model.CardsCollected):
        seat = fact.payload.of
        if not isinstance(seat, int):
            continue
        after = [
            each for each in first_moves(settling(round_, book)) if each.payload.seat == seat and each.seq > fact.seq
        ]
        if not after:
            continue
        if not round_.certainly_before(fact, after[0]):
            yield Indeterminate(
                f"seat {seat}: the clocks contradict the order of its settlement and of collecting its cards"
            )
            continue
        section = "687a.11(c)" if how_decided(round_, book, seat) == "fold" else "687a.11(g)"
        yield finding(
            round_,
            book,
            "DEAL-RACK",
            section,
            expected="the cards collected after the hand's wagers are settled",
            observed=f"{after[0].payload.wager} settled after them",
            evidence=(fact, after[0]),
            seat=seat,
        )


def both_seats(before: RecordedEvent, after: RecordedEvent) -> str:
    """Return two facts' seats as they are written in doubts."""
    return f"seats {before.payload.seat} and {after.payload.seat}"


def is_forfeited(round_: Round, book: Rulebook, act: Act) -> bool:
    """Say whether a wager is of a hand that may have been folded, and forfeited: it waits for no hand of the dealer (.11(c))."""
    return act.wager != "trips" and act.seat is not None and how_decided(round_, book, act.seat) != "raise"


def forfeits_collected(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield the collections of forfeited wagers (§ 687a.11(c))."""
    for act in settled(*BASE, "bad_beat")(round_, book):
        taken = isinstance(act.fact.payload, model.WagerTaken) and act.seat is not None
        if taken and how_decided(round_, book, act.seat or 0) == "fold":
            yield act


def _all_decided(round_: Round, book: Rulebook, act: Act) -> RecordedEvent | None:
    return max((each.moment for each in of_players(round_, book)), key=lambda fact: fact.seq, default=None)


ALL_DECIDED = Step("all players have decided", _all_decided)
PRECEDENCES = (
    early(settled(*BASE), ALL_HANDS_DEALT, "687a.11(e)"),
    early(settled(*BASE, but=is_forfeited), DEALER_REVEALED, "687a.11(e)"),
    early(settled(*BASE, but=is_forfeited), HAND_REVEALED, "687a.11(e)"),
    early(settled(*AS_PRINTED), ALL_HANDS_DEALT, "687a.11(f)"),
    early(settled(*AS_PRINTED, but=is_forfeited), DEALER_REVEALED, "687a.11(f)"),
    Precedence(code="PAY-ORDER", section="687a.11(c)", acts=forfeits_collected, after=ALL_DECIDED),
    *stub_in_its_place(COUNT_SECTION),
    racked(dealer_collected, dealer_compared(*BASE, "bad_beat"), "687a.11(g)", "the dealer's cards collected"),
)
"""What of a round comes after which step (§ 687a.11(d)-(f))."""

GAME_RULES = GameRules(
    game="dj_wild",
    void_grounds=exposure_grounds,
    complete_layout=complete_layout,
    open_reason=open_reason,
    groundless=groundless,
    rules={
        "settlement": (ante_and_blind, in_turn, no_surrender, dealer_last),
        "equipment": (
            stacks_in_order,
            side_card_placed,
            stub_due,
            counted_deck,
            one_player_at_a_time,
            cards_until_settled,
        ),
    },
    precedences=PRECEDENCES,
)
