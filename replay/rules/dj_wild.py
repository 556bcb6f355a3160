"""DJ Wild Stud Poker: what players decided, in turn or not, and cards exposed before they had (Annex A, rulemaking 125-223).

§§ 687a.7(d)(1), 687a.11(b)-(d), 687a.13(d). What a wager is due is in `games.dj_wild`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from events.vocabulary import model
from games.cards.cards import JOKER
from games.layout import Decision, Layout
from games.rulebook.money import show_money
from games.rulebook.rulebook import Rulebook
from replay.findings import Finding, name
from replay.fold.derived import derived_by_rules
from replay.fold.recorded_event import RecordedEvent, distinct_by, in_order
from replay.fold.round import Round
from replay.fold.wager_keys import Key, key_in
from replay.rules.rule import Indeterminate, finding, rule
from replay.settlement.hand_readings import readings
from replay.settlement.payouts import flows, moves
from replay.settlement.settlement import FURTHER_WHY, is_void
from replay.settlement.stakes import stacks_at_stake, stakes
from replay.settlement.table_layout import FURTHER_LAYOUT, abandoned_wagers, progressive_wins, side_card
from replay.settlement.voids import FURTHER_GROUNDS, VoidGround, must_be_void, positions, was_voided

BASE = ("ante", "blind", "raise")
GAME = "dj_wild"


class Decided(msgspec.Struct, frozen=True):
    """What a player decided, by what fact: said, or shown by the Raise Wager; and the fact that placed that, if any."""

    decision: Literal["raise", "fold"]
    fact: RecordedEvent
    placed: RecordedEvent | None = None

    @property
    def moment(self) -> RecordedEvent:
        """When it was carried out: a raise as its wager was placed, where that is on record (§ 687a.13(d))."""
        return self.placed or self.fact


@derived_by_rules
def decisions(round_: Round, book: Rulebook) -> dict[int, Decided | None]:
    """Return each seat's decision as first made; null where a raise and a fold contradict each other, or it was no decision."""
    found: dict[int, Decided | None] = {}
    wagers = (stake for stake in stakes(round_, book).values() if stake.wager == "raise")
    raised = in_order(fact for stake in wagers for fact in stacks_at_stake(stake))
    placed = {fact.payload.seat: fact for fact in reversed(raised)}
    for fact in in_order([*round_.of(model.DecisionMade), *raised]):
        event = fact.payload
        folded = isinstance(event, model.DecisionMade) and event.decision == "fold"
        decided = Decided("fold", fact) if folded else Decided("raise", fact, placed.get(event.seat))
        first = found.setdefault(event.seat, decided)
        if first is not None and first.decision != decided.decision:
            found[event.seat] = None
    found.update((fact.payload.seat, None) for fact in round_.of(model.Surrendered))
    return found


def in_play(round_: Round, book: Rulebook) -> list[int]:
    """Return the seats with an Ante Wager."""
    base = book.chapter.base
    return sorted(
        {each.seat for each in stakes(round_, book).values() if each.wager == base and each.in_time_cents > 0}
    )


def of_players(round_: Round, book: Rulebook) -> list[Decided]:
    """Return the decisions of those who play: where the wagers are on record, of the seats with an Ante Wager."""
    playing = in_play(round_, book)
    return [
        each for seat, each in decisions(round_, book).items() if each is not None and (not playing or seat in playing)
    ]


def turned(round_: Round) -> RecordedEvent | None:
    """Return the fact that the dealer's hand was turned over."""
    return next((fact for fact in round_.of(model.HandRevealed) if fact.payload.position == "dealer"), None)


# --------------------------------------------------------------------------------------------------- what it is settled by


def _decided(round_: Round, book: Rulebook, layout: Layout) -> Layout:
    """Put in the decisions, and the order of the settlement.

    What was decided after a card was exposed that voids the round decides nothing (D329).
    """
    made = decisions(round_, book)
    exposed = min((seq for ground in _exposed(round_, book) for seq in ground.evidence), default=None)
    boxes = []
    for box in layout.boxes:
        decision, decided = how_decided(round_, book, box.seat), made.get(box.seat)
        if exposed is not None and decided is not None and decided.fact.seq > exposed:
            decision = None
        boxes.append(msgspec.structs.replace(box, decision=decision))
    return msgspec.structs.replace(
        layout, boxes=boxes, turns=_turns(round_, book), past_decisions=_past_decisions(round_, book)
    )


def how_decided(round_: Round, book: Rulebook, seat: int) -> Decision | None:
    """Return whether a seat raised or folded, null where that cannot be told.

    A fold is "not making Raise Wagers" (§ 687a.1): where the record covers the wagers and goes on past the decisions, a
    seat without a raise has folded, unless it has neither an ante nor cards (D368). A raise that was said, and not placed
    where the record would show it, is neither (D355).
    """
    made = decisions(round_, book)
    decided = made.get(seat)
    if decided is not None and (decided.decision == "fold" or decided.placed is not None):
        return decided.decision
    shows = round_.covers("wagering") and _past_decisions(round_, book)
    if seat not in made:
        played = seat in in_play(round_, book) or seat in round_.hands()
        return "fold" if shows and played else None
    return None if decided is None or shows else decided.decision


def _past_decisions(round_: Round, book: Rulebook) -> bool:
    if is_void(round_, book):
        return False
    settled = (fact for key, flow in flows(round_).items() if key[1] in BASE for fact in flow.facts)
    return (
        round_.closed is not None
        or turned(round_) is not None
        or any(getattr(fact.payload, "reason", "") not in ("late", "void") for fact in settled)
    )


def _turns(round_: Round, book: Rulebook) -> tuple[int, ...]:
    """The seats in the order in which the meter served them, or else in which their hands were settled."""
    won = progressive_wins(round_, book)
    if won:
        return tuple(dict.fromkeys(fact.payload.seat for fact in _as_served(won)))
    settled = [fact for fact in settling(round_, book) if getattr(fact.payload, "reason", "") != "void"]
    first: dict[int, int] = {}
    for wagers in (BASE, ("progressive",)):
        here = [fact for fact in settled if fact.payload.wager in wagers and fact.payload.seat not in first]
        first |= {fact.payload.seat: fact.seq for fact in reversed(here)}
    return tuple(sorted(first, key=lambda seat: first[seat]))


def _as_served(won: Sequence[RecordedEvent]) -> Sequence[RecordedEvent]:
    """Return the winners by their readings, each as the one before it left the meter, else in the order of the record (D356)."""
    left, chain = list(distinct_by(won, "seat")), list[RecordedEvent]()
    while left:
        if chain:
            here = [fact for fact in left if fact.payload.reading_centicents == chain[-1].payload.after_centicents]
        else:
            here = [
                fact
                for fact in left
                if fact.payload.reading_centicents not in {e.payload.after_centicents for e in left if e is not fact}
            ]
        if len(here) != 1:
            return won
        chain += here
        left.remove(here[0])
    return chain


FURTHER_LAYOUT[GAME].append(_decided)


def _missing(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    """What a wager's result wants, beside cards that were not read: a decision, or the side card in the joker's place."""
    if seat not in in_play(round_, book) and seat not in round_.hands():
        return f"seat {seat} has no ante and no cards"
    if wager == "trips":
        return None
    jokers = any(JOKER in (hand.cards or ()) for hand in readings(round_, book, seat))
    if wager == "progressive" and jokers and side_card(round_) is None:
        return "the side card is not on record"
    if how_decided(round_, book, seat) is None and not (wager == "progressive" and book.settings["folded_progressive"]):
        return f"whether seat {seat} raised or folded is not on record"
    return None


FURTHER_WHY[GAME].append(_missing)


def settling(round_: Round, book: Rulebook) -> list[RecordedEvent]:
    """Return what settled wagers in their turn: not what was collected of folded hands, given back late or paid by slip.

    A hand that may have been folded, by the record, may have had its wagers collected as forfeited.
    """
    decided = {*decisions(round_, book), *in_play(round_, book)}
    folded = {seat for seat in decided if how_decided(round_, book, seat) != "raise"}
    gone = abandoned_wagers(round_)
    forfeited: set[Key] = set()
    found = []
    for fact in moves(round_):
        event = fact.payload
        if event.seat in folded and event.wager != "trips" and isinstance(event, model.WagerTaken):
            forfeited.add(key_in(event))
        late = getattr(event, "reason", "") == "late" or getattr(event, "source", "") == "slip"
        if not (late or event.wager in gone.get(event.seat, ()) or key_in(event) in forfeited):
            found.append(fact)
    return found


# ------------------------------------------------------------------------------------------------------ exposed cards, .13(d)


def _exposed(round_: Round, book: Rulebook) -> Iterator[VoidGround]:
    """A card of a hand revealed before the raises are placed voids all hands: by the dealer or a device, of whomever (D28)."""
    said: set[tuple[object, ...]] = set()
    for fact in round_.of(model.CardExposed):
        exposed = fact.payload
        once = exposed.whose, exposed.card, exposed.by == "player"
        if exposed.card is not None and once in said:
            continue  # said again (D333)
        said.add(once)
        if exposed.by != "player" and not _of_no_hand(round_, book, fact) and _before_raises(round_, book, fact):
            yield VoidGround(
                "exposed_card",
                "DEAL-EXPOSED",
                "687a.13(d)",
                "with a card exposed before the raises, all hands void",
                f"{exposed.card or 'a card'} of {name(exposed.whose)} was exposed; the round was not voided",
                (fact.seq,),
                exposed.whose if isinstance(exposed.whose, int) else None,
            )
    dealer = turned(round_)
    if dealer is not None and _before_raises(round_, book, dealer):
        yield VoidGround(
            "exposed_dealer",
            "DEAL-EXPOSED",
            "687a.13(d)",
            "the dealer's hand turned over after the raises, or all hands void",
            "turned over before a raise; the round was not voided",
            (dealer.seq,),
        )


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


def _before_raises(round_: Round, book: Rulebook, exposed: RecordedEvent) -> bool:
    """Whether a card was exposed before the raises: a raise was placed after it, or nobody had decided yet.

    Where some had decided and only folds came after it, it may be read either way: the floor's decision to void stands.
    """
    made = of_players(round_, book)
    after = [each for each in made if round_.certainly_before(exposed, each.moment)]
    if any(each.decision == "raise" for each in after):
        return True
    before = [each for each in made if round_.certainly_before(each.moment, exposed)]
    undecided = set(in_play(round_, book)) - {
        each.fact.payload.seat
        for each in before
        if each.decision == "fold" or each.placed is not None or not round_.covers("wagering")
    }
    voided = round_.voided
    if voided is not None:
        said = voided.payload.reason in ("exposed_card", "exposed_dealer")
        return bool(undecided) and (said or exposed.payload.KIND is model.CardExposed)
    return bool(after) and not before


FURTHER_GROUNDS[GAME].append(_exposed)


@rule("DEAL-EXPOSED", on=("687a.13(d)",))
def exposed_when(round_: Round, book: Rulebook) -> Iterator[Finding | Indeterminate]:
    """Whether a card was exposed before the raises can only be told where the order of both is on record."""
    if round_.voided is not None:
        return
    for fact in round_.of(model.CardExposed):
        if fact.payload.by == "player" or _of_no_hand(round_, book, fact):
            continue
        order = [round_.certainly_before(fact, each.moment) for each in of_players(round_, book)]
        if not order and round_.closed is not None:
            yield Indeterminate("a card was exposed, and whether before the raises is not on record")
        elif None in order and not must_be_void(round_, book):
            yield Indeterminate("the clocks contradict the order of an exposed card and the raises")


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


def both_seats(one: RecordedEvent, other: RecordedEvent) -> str:
    """Return two facts' seats as they are written in doubts."""
    return f"seats {one.payload.seat} and {other.payload.seat}"


@rule("PLAY-ORDER", on=("687a.11(d)",))
def dealer_last(round_: Round, book: Rulebook) -> Iterator[Finding | Indeterminate]:
    """The dealer's hand is turned over once all players have raised or folded; turned before a raise it voids the round."""
    dealer = turned(round_)
    if dealer is None or was_voided(round_, book) or any(dealer.seq in g.evidence for g in _exposed(round_, book)):
        return
    for each in of_players(round_, book):
        if each.fact.seq < dealer.seq:
            continue
        if not round_.certainly_before(dealer, each.fact):
            yield Indeterminate("the clocks contradict the order of the last decision and the dealer's turning over")
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
