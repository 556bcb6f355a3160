"""DJ Wild Stud Poker: the deal to those who wager, the side card, the stub's count, one player's settlement after another.

Annex A, rulemaking 125-223, §§ 687a.5(b), 687a.8 to 687a.10, 687a.11(c), (e)-(g). What the games share is in the other files.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from events.vocabulary import model
from games.rulebook.rulebook import Rulebook
from replay.findings import Finding, name
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.fold.stub_counts import is_round_of_play, uncounted
from replay.rules.dj_wild import BASE, both_seats, how_decided, in_play, settling
from replay.rules.equipment import preparations
from replay.rules.rule import Indeterminate, finding, rule
from replay.settlement.payouts import first_moves
from replay.settlement.settlement import is_void
from replay.settlement.stakes import stakes
from replay.settlement.voids import must_be_void, positions, was_voided, went_on

AS_PRINTED = ("progressive", "trips", "bad_beat")
"""The optional wagers in the order of § 687a.11(f)(1) to (3)."""
SAYS_HOW = "(1) to (3) says how each is settled, not when (optional_wagers = any_order)"

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
