"""DJ Wild Stud Poker: decisions, exposed cards, the side card, the stub's count, one player's settlement after another.

Annex A, rulemaking 125-223, §§ 687a.5(b), 687a.7(d)(1), 687a.8 to 687a.11, 687a.13(d). What the games share is in the other
files; what a wager is due in `games.dj_wild`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Literal

import msgspec

from events import model
from games.layout import Decision, Layout
from games.money import show_money
from games.rulebook import Rulebook
from replay.equipment import preparations
from replay.findings import Finding
from replay.layout import FURTHER_LAYOUT, progressive_wins
from replay.rounds import Round
from replay.rules import Doubt, finding, name, rule
from replay.settlement import flows, is_void
from replay.stub_counts import is_round_of_play, uncounted
from replay.table_state import Fact
from replay.voids import FURTHER_GROUNDS, Ground, must_be_void, positions
from replay.wagering import stakes

BASE = ("ante", "blind", "raise")
GAME = "dj_wild"


class Decided(msgspec.Struct, frozen=True):
    """What a player decided, by what fact: said, or shown by the Raise Wager."""

    decision: Literal["raise", "fold"]
    fact: Fact


def decisions(round_: Round) -> dict[int, Decided | None]:
    """Return each seat's decision as first made; null where a raise and a fold contradict each other."""
    if "decisions" not in round_.memo:
        found: dict[int, Decided | None] = {}
        raised = [fact for fact in round_.of(model.WagerPlaced) if fact.payload.wager == "raise"]
        for fact in sorted([*round_.of(model.DecisionMade), *raised], key=lambda each: each.seq):
            event = fact.payload
            folded = isinstance(event, model.DecisionMade) and event.decision == "fold"
            decided = Decided("fold" if folded else "raise", fact)
            first = found.setdefault(event.seat, decided)
            if first is not None and first.decision != decided.decision:
                found[event.seat] = None
        round_.memo["decisions"] = found
    known: dict[int, Decided | None] = round_.memo["decisions"]
    return known


def in_play(round_: Round, book: Rulebook) -> list[int]:
    """Return the seats with an Ante Wager."""
    base = book.chapter.base
    return sorted(
        {each.seat for each in stakes(round_, book).values() if each.wager == base and each.in_time_cents > 0}
    )


def turned(round_: Round) -> Fact | None:
    """Return the fact that the dealer's hand was turned over."""
    return next((fact for fact in round_.of(model.HandRevealed) if fact.payload.position == "dealer"), None)


# --------------------------------------------------------------------------------------------------- what it is settled by


def _decided(round_: Round, book: Rulebook, layout: Layout) -> Layout:
    """Put in the decisions, and the order of the settlement.

    A fold is "not making Raise Wagers" (§ 687a.1): where the record covers the wagers and goes on past the decisions, a
    seat without a raise has folded.
    """
    if book.game != GAME:
        return layout
    made, past = decisions(round_), _past_decisions(round_, book)
    absent: Decision | None = "fold" if past and round_.observes("wagering") else None
    boxes = []
    for box in layout.boxes:
        decided = made.get(box.seat, absent)
        decision = decided.decision if isinstance(decided, Decided) else decided
        boxes.append(msgspec.structs.replace(box, decision=decision))
    return msgspec.structs.replace(layout, boxes=boxes, turns=_turns(round_, book), past_decisions=past)


def _past_decisions(round_: Round, book: Rulebook) -> bool:
    if is_void(round_, book):
        return False
    settled = (fact for key, flow in flows(round_).items() if key[1] in BASE for fact in flow.facts)
    return (
        round_.closed is not None or turned(round_) is not None
        or any(getattr(fact.payload, "reason", "") not in ("late", "void") for fact in settled)
    )  # fmt: skip


def _turns(round_: Round, book: Rulebook) -> tuple[int, ...]:
    """The seats in the order in which the meter served them, or else in which their hands were settled."""
    won = tuple(fact.payload.seat for fact in progressive_wins(round_, book))
    if won:
        return won
    first: dict[int, int] = {}
    for fact in _settling(round_):
        if fact.payload.wager in BASE:
            first.setdefault(fact.payload.seat, fact.seq)
    return tuple(sorted(first, key=lambda seat: first[seat]))


FURTHER_LAYOUT.append(_decided)


def _settling(round_: Round) -> list[Fact]:
    """The facts that settled wagers in their turn: not what was collected of folded hands, given back late, or paid by slip."""
    folded = {seat for seat, each in decisions(round_).items() if each is not None and each.decision == "fold"}
    gone = {fact.payload.seat for fact in round_.of(model.WagerAbandoned)}
    found = []
    for type_ in (model.WagerTaken, model.WagerPaid, model.WagerReturned):
        for fact in round_.of(type_):
            event = fact.payload
            forfeited = event.seat in folded and event.wager != "trips" and isinstance(event, model.WagerTaken)
            late = getattr(event, "reason", "") == "late" or getattr(event, "source", "") == "slip"
            if not (forfeited or late or event.seat in gone):
                found.append(fact)
    return sorted(found, key=lambda each: each.seq)


# ------------------------------------------------------------------------------------------------------ exposed cards, .13(d)


def _exposed(round_: Round, book: Rulebook) -> Iterator[Ground]:
    """A card revealed before the raises are placed voids all hands: by the dealer or a device, of whomever (D28)."""
    if book.game != GAME:
        return
    for fact in round_.of(model.CardExposed):
        exposed = fact.payload
        if exposed.by != "player" and _before_raises(round_, fact):
            yield Ground(
                "exposed_card", "DEAL-EXPOSED", "687a.13(d)", "with a card exposed before the raises, all hands void",
                f"{exposed.card or 'a card'} of {name(exposed.whose)} was exposed; the round was not voided", (fact.seq,),
                exposed.whose if isinstance(exposed.whose, int) else None,
            )  # fmt: skip
    dealer = turned(round_)
    if dealer is not None and _before_raises(round_, dealer):
        yield Ground(
            "exposed_dealer", "DEAL-EXPOSED", "687a.13(d)", "the dealer's hand turned over after the raises, or all hands void",
            "turned over before a raise; the round was not voided", (dealer.seq,),
        )  # fmt: skip


def _before_raises(round_: Round, exposed: Fact) -> bool:
    """Whether a card was exposed before the raises: a raise was placed after it, or nobody had decided yet.

    Where some had decided and only folds came after it, it may be read either way: the floor's decision to void stands.
    """
    made = [each for each in decisions(round_).values() if each is not None]
    after = [each for each in made if round_.certainly_before(exposed, each.fact)]
    if any(each.decision == "raise" for each in after):
        return True
    before = [each for each in made if round_.certainly_before(each.fact, exposed)]
    undecided = {fact.payload.seat for fact in round_.of(model.WagerPlaced)} - {
        each.fact.payload.seat for each in before
    }
    voided = round_.voided
    if voided is not None:
        said = voided.payload.reason in ("exposed_card", "exposed_dealer")
        return bool(undecided) and (said or exposed.payload.KIND is model.CardExposed)
    return bool(after) and not before


FURTHER_GROUNDS.append(_exposed)


@rule("DEAL-EXPOSED", on=("687a.13(d)",))
def exposed_when(round_: Round, book: Rulebook) -> Iterator[Finding | Doubt]:
    """Whether a card was exposed before the raises can only be told where the order of both is on record."""
    if round_.voided is not None:
        return
    for fact in round_.of(model.CardExposed):
        if fact.payload.by == "player":
            continue
        order = [round_.certainly_before(fact, each.fact) for each in decisions(round_).values() if each is not None]
        if not order and round_.closed is not None:
            yield Doubt("a card was exposed, and whether before the raises is not on record")
        elif None in order and not must_be_void(round_, book):
            yield Doubt("the clocks contradict the order of an exposed card and the raises")


# ------------------------------------------------------------------------------------------------------- wagers and decisions


@rule("WAGER-LIMIT", on=("687a.7(d)(1)",))
def ante_and_blind(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """Who competes in a round places a Blind Wager beside the Ante Wager."""
    if not round_.observes("wagering") or round_.first_card is None:
        return
    placed = stakes(round_, book)
    for seat in in_play(round_, book):
        ante, blind = placed[seat, "ante", None, ""], placed.get((seat, "blind", None, ""))
        if blind is None or blind.on_layout_cents <= 0:
            yield finding(
                round_, book, "WAGER-LIMIT", "687a.7(d)(1)", expected=f"a blind of {show_money(ante.in_time_cents)}",
                observed="none", evidence=(*ante.facts, *(blind.facts if blind else ())), seat=seat, wager="blind",
            )  # fmt: skip


@rule("PLAY-ORDER", on=("687a.11(b)",))
def in_turn(round_: Round, book: Rulebook) -> Iterator[Finding | Doubt]:
    """Players decide in turn, from the one farthest to the dealer's left clockwise: seat 1 first."""
    made = sorted((each.fact for each in decisions(round_).values() if each is not None), key=lambda fact: fact.seq)
    for before, after in itertools.pairwise(made):
        if after.payload.seat > before.payload.seat:
            continue
        if not round_.certainly_before(before, after):
            yield Doubt(f"the clocks contradict the order of the decisions of {_both(before, after)}")
            return
        yield finding(
            round_, book, "PLAY-ORDER", "687a.11(b)", expected=f"seat {after.payload.seat} before seat {before.payload.seat}",
            observed="decided after it", evidence=(before, after), seat=after.payload.seat,
        )  # fmt: skip
        return


def _both(one: Fact, other: Fact) -> str:
    return f"seats {one.payload.seat} and {other.payload.seat}"


@rule("PLAY-ORDER", on=("687a.11(d)",))
def dealer_last(round_: Round, book: Rulebook) -> Iterator[Finding | Doubt]:
    """The dealer's hand is turned over once all players have raised or folded; turned before a raise it voids the round."""
    dealer = turned(round_)
    if dealer is None or round_.voided is not None or any(dealer.seq in g.evidence for g in _exposed(round_, book)):
        return
    for each in decisions(round_).values():
        if each is None or each.fact.seq < dealer.seq:
            continue
        if not round_.certainly_before(dealer, each.fact):
            yield Doubt("the clocks contradict the order of the last decision and the dealer's turning over")
            return
        yield finding(
            round_, book, "PLAY-ORDER", "687a.11(d)", expected="the dealer's hand turned over after the last decision",
            observed=f"before that of seat {each.fact.payload.seat}", evidence=(dealer, each.fact),
        )  # fmt: skip
        return


# ------------------------------------------------------------------------------------------------------------------ the deal

STACK_SECTION = {"manual_shoe": "687a.8(d)", "hand": "687a.9(c)", "automated_shoe": "687a.10(b)"}


@rule("DEAL-ORDER", on=("687a.8(d)", "687a.9(c)", "687a.10(b)"))
def stacks_in_order(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """Whole stacks go clockwise to those who wager, from the one farthest to the dealer's left (seat 1); the dealer is last."""
    if "deal" not in round_.opened.payload.observed or round_.voided is not None:
        return
    stacks: list[Fact] = []
    for fact in round_.of(model.CardsDealt):
        if fact.payload.to not in ("burn", "side") and not (stacks and stacks[-1].payload.to == fact.payload.to):
            stacks.append(fact)
    due = list(positions(round_, book))
    if round_.observes("wagering"):
        due = [*in_play(round_, book), "dealer"]
    for number, fact in enumerate(stacks):
        expected = due[number] if number < len(due) else None
        if fact.payload.to != expected:
            yield finding(
                round_, book, "DEAL-ORDER", STACK_SECTION[book.deal_method],
                expected=f"{name(expected)} next" if expected is not None else "nobody next",
                observed=f"dealt to {name(fact.payload.to)}", evidence=(*stacks[max(number - 1, 0) : number], fact),
            )  # fmt: skip
            return


# ------------------------------------------------------------------------------------------------- the side card and the stub

SIDE_SECTION = {"manual_shoe": "687a.8(e)", "hand": "687a.9(e)", "automated_shoe": "687a.10(c)"}
COUNT_SECTION = {"manual_shoe": "687a.8(e)", "hand": "687a.9(f)", "automated_shoe": "687a.10(d)"}


@rule("DEAL-SIDE", on=("687a.8(e)", "687a.9(e)", "687a.10(c)"))
def side_card(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """With a Progressive Bonus Wager at the table one card is placed beside, after the dealer's hand."""
    if not round_.observes("deal") or round_.voided is not None or round_.last_card is None:
        return
    side = [fact for fact in round_.of(model.CardsDealt) if fact.payload.to == "side"]
    section = SIDE_SECTION[book.deal_method]
    wagered = [
        each for each in stakes(round_, book).values() if each.wager == "progressive" and each.in_time_cents > 0
    ]  # fmt: skip
    if wagered and not side and round_.went_on and not must_be_void(round_, book):
        yield finding(
            round_, book, "DEAL-SIDE", section, expected="a side card for the Progressive", observed="none",
            evidence=(round_.last_card, *(fact for each in wagered for fact in each.facts)),
        )  # fmt: skip
    if sum(len(fact.payload.cards) for fact in side) > 1:
        yield finding(
            round_, book, "DEAL-SIDE", section, expected="one side card",
            observed=f"{sum(len(fact.payload.cards) for fact in side)}", evidence=side,
        )  # fmt: skip
    elif side and side[0].seq < round_.last_card.seq:
        yield finding(
            round_, book, "DEAL-SIDE", section, expected="the side card after the dealer's hand", observed="before it",
            evidence=(side[0], round_.last_card),
        )  # fmt: skip


@rule("DEAL-STUBDUE", on=("687a.8(e)", "687a.9(f)", "687a.10(d)"))
def stub_due(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """Where the shuffler does not count the deck, the stub is counted at least once in five rounds of play."""
    if book.shuffler in ("automated_counting", "continuous") or not is_round_of_play(round_):
        return
    rounds, must = uncounted(round_), book.chapter.numbers["stub_count_rounds"]
    if rounds and rounds % must == 0:
        yield finding(
            round_, book, "DEAL-STUBDUE", COUNT_SECTION[book.deal_method], expected=f"the stub counted once in {must} rounds",
            observed=f"not counted in {rounds}", evidence=(round_.opened,),
        )  # fmt: skip


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
            round_, book, "EQUIP-COUNT", "687a.5(b)", expected=f"a deck of {must} cards, or the deck removed",
            observed=f"{counted[-1].depth} counted and dealt", evidence=(counted[-1].seq, first),
        )  # fmt: skip


# --------------------------------------------------------------------------------------------------------------- the settlement


@rule("PAY-ORDER", on=("687a.11(e)", "687a.11(f)"))
def one_player_at_a_time(round_: Round, book: Rulebook) -> Iterator[Finding | Doubt]:
    """The wagers of one player after those of another, and of each ante, blind and raise before optional wagers.

    In which direction is not asked: the text says both. Slips may come later (D28); forfeited wagers are collected before.
    """
    if not round_.observes("settlement") or is_void(round_, book):
        return
    settled = _settling(round_)
    left: dict[int, Fact] = {}
    for before, after in itertools.pairwise(settled):
        if after.payload.seat == before.payload.seat:
            continue
        left[before.payload.seat] = after
        if after.payload.seat in left:
            yield from _out_of_order(
                round_, book, left[after.payload.seat], after, "687a.11(e)", "one player's wagers after another's",
                f"{after.payload.wager} after those of {name(before.payload.seat)}",
            )  # fmt: skip
            return
    for seat in dict.fromkeys(fact.payload.seat for fact in settled):
        mine = [fact for fact in settled if fact.payload.seat == seat]
        base = [fact for fact in mine if fact.payload.wager in BASE]
        early = [fact for fact in mine if fact.payload.wager not in BASE and base and fact.seq < base[-1].seq]
        if early:
            yield from _out_of_order(
                round_, book, early[0], base[-1], "687a.11(f)", "ante, blind and raise settled before optional wagers",
                f"{early[0].payload.wager} first",
            )  # fmt: skip
            return


def _out_of_order(round_: Round, book: Rulebook, before: Fact, after: Fact, section: str, expected: str, observed: str
                  ) -> Iterator[Finding | Doubt]:  # fmt: skip
    if not round_.certainly_before(before, after):
        yield Doubt(f"the clocks contradict the order of the settlement of {_both(before, after)}")
        return
    yield finding(
        round_, book, "PAY-ORDER", section, expected=expected, observed=observed, evidence=(before, after),
        seat=after.payload.seat,
    )  # fmt: skip
