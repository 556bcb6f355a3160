"""DJ Wild Stud Poker: the settlement of one player after another, and the time of each collection (Annex A, rulemaking
125-223).

§§ 687a.11(c), (e), (f), (g). `games/dj_wild/settle.py` computes what a wager is due.
"""

import itertools
from collections.abc import Iterator, Sequence

from events.vocabulary import model
from games.dj_wild.decisions import BASE, how_decided, settling
from replay.findings import name
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.rules.round_steps import Act, Step, acts_of, settled
from replay.rules.rule import Departure, Indeterminate, rule
from replay.settlement.payouts import first_moves
from replay.settlement.voids import is_void
from rulebook.chapters.rulebook import Rulebook

AS_PRINTED = ("progressive", "trips", "bad_beat")
"""The optional wagers in the order of § 687a.11(f)(1) to (3)."""
SAYS_HOW = "(1) to (3) says how each is settled, not when (optional_wagers = any_order)"


@rule("PAY-ORDER", on=("687a.11(e)", "687a.11(f)"))
def one_player_at_a_time(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """The wagers of one player are settled after those of another, and each player's ante, blind and raise before optional
    wagers.

    The rule does not check the direction, since the text states both, nor the order of the optional wagers, unless one is filed
    (D277). Slips may come later (D28); forfeited wagers are collected before.
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
                early[0],
                base[-1],
                "687a.11(f)",
                "ante, blind and raise settled before optional wagers",
                f"{early[0].payload.wager} first",
            )
            return
        yield from _as_printed(round_, book, mine)


def _as_printed(round_: Round, book: Rulebook, settled: Sequence[RecordedEvent]) -> Iterator[Departure | Indeterminate]:
    """Progressive, Trips, Two-Way Bad Beat of one player, in the order of § 687a.11(f)(1)-(3) if that is filed (D277)."""
    if book.settings["optional_wagers"] != "as_printed":
        return
    first = [next((fact for fact in settled if fact.payload.wager == wager), None) for wager in AS_PRINTED]
    for before, after in itertools.pairwise(fact for fact in first if fact is not None):
        if after.seq < before.seq:
            yield from _out_of_order(
                round_,
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
    before: RecordedEvent,
    after: RecordedEvent,
    section: str,
    expected: str,
    observed: str,
    other_reading: str | None = None,
) -> Iterator[Departure | Indeterminate]:
    if not round_.certainly_before(before, after):
        yield Indeterminate(f"the clocks contradict the order of the settlement of {both_seats(before, after)}")
        return
    yield Departure(
        section,
        expected=expected,
        observed=observed,
        evidence=(before, after),
        seat=after.payload.seat,
        other_reading=other_reading,
    )


@rule("DEAL-RACK", on=("687a.11(c)", "687a.11(g)"))
def cards_until_settled(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """A hand's cards stay until its wagers are settled; a folded hand's until its Trips and Progressive are."""
    if round_.lost or is_void(round_, book):
        return
    for fact in round_.of(model.CardsCollected):
        seat = fact.payload.of
        if not isinstance(seat, int):
            continue
        after = [each for each in first_moves(settling(round_, book)) if each.payload.seat == seat and each.seq > fact.seq]
        if not after:
            continue
        if not round_.certainly_before(fact, after[0]):
            yield Indeterminate(f"seat {seat}: the clocks contradict the order of its settlement and of collecting its cards")
            continue
        section = "687a.11(c)" if how_decided(round_, book, seat) == "fold" else "687a.11(g)"
        yield Departure(
            section,
            expected="the cards collected after the hand's wagers are settled",
            observed=f"{after[0].payload.wager} settled after them",
            evidence=(fact, after[0]),
            seat=seat,
        )


all_cards_collected = acts_of(model.CardsCollected, "collected", only=lambda event: event.of == "all")


ALL_SETTLED = Step(
    "all wagers are settled",
    lambda round_, book: max(first_moves(settling(round_, book)), key=lambda fact: fact.seq, default=None),
)


def both_seats(before: RecordedEvent, after: RecordedEvent) -> str:
    """Return two facts' seats in the form of doubts."""
    return f"seats {before.payload.seat} and {after.payload.seat}"


def is_forfeited(round_: Round, book: Rulebook, act: Act) -> bool:
    """Say whether a wager is of a hand that may have been folded, and forfeited: it waits for no hand of the dealer (.11(c))."""
    return act.wager != "trips" and act.seat is not None and how_decided(round_, book, act.seat) != "raise"


FORFEITABLE = settled(*BASE, "bad_beat")
"""The events that settled the wagers that a fold forfeits."""


def forfeits_collected(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield the collections of forfeited wagers (§ 687a.11(c))."""
    for act in FORFEITABLE(round_, book):
        taken = isinstance(act.fact.payload, model.WagerTaken) and act.seat is not None
        if taken and how_decided(round_, book, act.seat or 0) == "fold":
            yield act


def folded_hands_collected(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield the collections of folded hands (§ 687a.11(c))."""
    for fact in round_.of(model.CardsCollected):
        seat = fact.payload.of
        if isinstance(seat, int) and how_decided(round_, book, seat) == "fold":
            yield Act(fact, seat, None, "collected")
