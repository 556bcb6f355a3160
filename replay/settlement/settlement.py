"""The money: what every wager was due, what was done, and each difference (58 Pa. Code §§ 688a.11(d)-(h), 688a.12, 688a.13).

The due amounts come from the game's module under every reading that the record leaves open; where all readings agree the
result stands, otherwise it cannot be told (D26). One wager gives at most one money finding, the most specific.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

import msgspec

from events.vocabulary import model
from games.catalogue import GAMES
from games.layout import NO_HAND, Hand
from games.rulebook.rulebook import Rulebook
from games.settlement.wagers import Due, Outcome
from replay.findings import Settlement
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.fold.wager_keys import Key, key_in
from replay.settlement.agreement import agreed, due_in_all
from replay.settlement.hand_readings import dealer_readings, readings
from replay.settlement.omitted_evidence import envy_for_left_out, no_wagers_on_record
from replay.settlement.payouts import WagerFlow, flows, net_done
from replay.settlement.stakes import ENVY, ENVY_OF, ENVY_SECTION, Stake, late_section, stakes
from replay.settlement.table_layout import OTHERS, layout_of
from replay.settlement.vigorish import (
    in_cents,
    is_known_to,
    vigorish_taken,
)
from replay.settlement.voids import VoidGround, can_be_void, may_have_to_be_void, must_be_void, void_grounds

# What the record of a round must cover before the absence of a ground for a void means something.
GROUND_ASPECTS: dict[str, frozenset[str]] = {
    "wrong_start": frozenset({"start", "deal"}),
    "wrong_count": frozenset({"deal"}),
    "stub_count": frozenset({"stub"}),
    "face_up_cards": frozenset({"deal"}),
    "exposed_stack": frozenset({"deal"}),
    "exposed_card": frozenset({"deal"}),
    "exposed_dealer": frozenset({"deal"}),
    "device_failed": frozenset({"equipment"}),
    "floor_decision": frozenset(),
}


def _covers(round_: Round, reason: str) -> bool:
    """Say whether the record would show what a void was declared for (D116)."""
    return GROUND_ASPECTS[reason].issubset(round_.opened.payload.observed)


def is_void(round_: Round, book: Rulebook) -> bool:
    """Say whether all wagers of the round are due back: it was voided, or had to be."""
    return round_.voided is not None or must_be_void(round_, book)


def dues(round_: Round, book: Rulebook) -> list[Due]:
    """Return what every wager of the round is due, under all readings that the record leaves open."""
    if "dues" not in round_.memo:
        round_.memo["dues"] = _dues(round_, book)
    known: list[Due] = round_.memo["dues"]
    return known


def _dues(round_: Round, book: Rulebook) -> list[Due]:
    staked = [stake for stake in stakes(round_, book).values() if stake.in_time_cents > 0]
    if not is_void(round_, book):
        played = [*_played(round_, book, staked), *envy_for_left_out(round_, book)]
        return agreed([played, _voided(round_, book, staked)]) if may_have_to_be_void(round_, book) else played
    grounds = void_grounds(round_, book)
    if not grounds and not can_be_void(book):
        return agreed([_played(round_, book, staked), _voided(round_, book, staked)])
    return _voided(round_, book, staked)


def _voided(round_: Round, book: Rulebook, staked: Sequence[Stake]) -> list[Due]:
    """What wagers are due when the round is void: back, but for those that a void leaves to be settled (D23, D328)."""
    grounds = void_grounds(round_, book)
    reasons = {ground.reason for ground in grounds}
    declared = round_.voided.payload.reason if round_.voided is not None else None
    may_be = declared is not None and declared not in reasons and not _covers(round_, declared)
    cite = book.cite(grounds[0].section if grounds and not may_be else "13")
    stands = {name: rule_.stands for name, rule_ in book.chapter.wagers.items() if rule_.stands}
    settled_before = _settled_before_void(round_, grounds) if stands else frozenset()

    def is_standing(wager: str, key: Key) -> bool:  # where a void has two reasons, the one that was declared counts
        named = stands.get(wager, ())
        otherwise = bool(reasons) and declared not in reasons and not may_be and reasons.issubset(named)
        return "*" in named or declared in named or otherwise or ("settled" in named and key in settled_before)

    played = _played(round_, book, staked) if stands else []
    found = [due for due in played if is_standing(ENVY_OF.get(due.wager, due.wager), key_in(due))]
    for stake in staked:
        if not is_standing(stake.wager, key_in(stake)):
            due = Due(
                seat=stake.seat,
                wager=stake.wager,
                number=stake.number,
                bettor=stake.bettor,
                staked_cents=stake.in_time_cents,
                net_cents=0,
                returned_cents=stake.in_time_cents,
                outcome=Outcome.VOID,
                cite=cite,
            )
            if round_.lost and "settled" in stands.get(stake.wager, ()):
                due = msgspec.structs.replace(due, net_cents=None, outcome=Outcome.UNKNOWN)
            found.append(due)
    return found


def _settled_before_void(round_: Round, grounds: Sequence[VoidGround]) -> frozenset[Key]:
    """The wagers that were taken, paid or given back before the round was declared void, or had to be."""
    voided = round_.voided
    dealt = round_.first_card or round_.facts[-1]
    moment = voided.seq if voided is not None else min((max(each.evidence) for each in grounds), default=dealt.seq)
    return frozenset(
        key
        for key, flow in flows(round_).items()
        if any(fact.seq < moment and getattr(fact.payload, "reason", "") not in ("void", "late") for fact in flow.facts)
    )


def _played(round_: Round, book: Rulebook, staked: Sequence[Stake]) -> list[Due]:
    """What wagers are due when the round is played to its end, under all readings."""
    seats = sorted({stake.seat for stake in staked})
    dealers = dealer_readings(round_, book)
    held = {seat: readings(round_, book, seat) for seat in seats}
    worth = GAMES[book.game].worth
    if worth is not None:
        apart = {seat: list({worth(hand.cards): hand for hand in each}.values()) for seat, each in held.items()}
        return [due for seat in seats for due in _alone(round_, book, staked, seat, apart[seat])]
    if len(dealers) == 1 and all(len(each) == 1 for each in held.values()):
        return _settled(round_, book, staked, dealers[0], {seat: each[0] for seat, each in held.items()})
    return due_in_all(
        dealers,
        held,
        lambda dealer, each: _settled(round_, book, staked, dealer, each),
        single_deck=book.chapter.numbers.get("copies", 1) == 1,
    )


def _settled(round_: Round, book: Rulebook, staked: Sequence[Stake], dealer: Hand, held: dict[int, Hand]) -> list[Due]:
    layout = layout_of(round_, book, staked, dealer, held)
    return GAMES[book.game].settle(book, layout)


def _alone(round_: Round, book: Rulebook, staked: Sequence[Stake], seat: int, held: Sequence[Hand]) -> list[Due]:
    """What the wagers of one box are due under each reading of its cards, where no other hand matters."""
    here = [stake for stake in staked if stake.seat == seat]
    return agreed(_settled(round_, book, here, NO_HAND, {seat: hand}) for hand in held)


def settlements(round_: Round, book: Rulebook) -> list[Settlement]:
    """Return every wager and Envy Bonus: staked, due, done; in the order of the seats and wagers."""
    if "settlements" in round_.memo:
        known: list[Settlement] = round_.memo["settlements"]
        return known
    everything_settled = round_.closed is not None and "settlement" in round_.opened.payload.observed
    done_by = flows(round_)
    due_by: dict[Key, Due] = {}
    envy: dict[tuple[int, str], list[Due]] = {}
    for due in dues(round_, book):
        if due.for_position is None:
            due_by[key_in(due)] = due
        else:
            envy.setdefault((due.seat, due.wager), []).append(due)
    placed, vigorish = stakes(round_, book), vigorish_taken(round_, book)
    not_due = None if no_wagers_on_record(round_) or round_.lost else 0
    found, base, together, at_box = [], book.chapter.base, is_known_to(book), _bettors(round_, book)
    for key in sorted(
        {*due_by, *placed, *done_by, *vigorish},
        key=lambda each: (each[0], each[1] != base, each[1], each[2] or 0, each[3]),
    ):
        owed, stake, flow = due_by.get(key), placed.get(key), done_by.get(key)
        taken = vigorish.get(key, ())
        if owed is None and flow is None and not (together and taken) and (stake is None or stake.on_layout_cents <= 0):
            continue
        staked, late_back = (stake.on_layout_cents, stake.late_back_cents) if stake else (0, 0)
        done = net_done(staked, key[1], flow or WagerFlow(), late_back)
        done -= in_cents(taken) if taken else 0
        found.append(
            Settlement(
                seat=key[0],
                wager=key[1],
                number=key[2],
                bettor=stake.bettor if stake else _payee(flow) or at_box.get(key[0], ""),
                paytable=owed.paytable if owed else "",
                staked_cents=stake.in_time_cents if stake else 0,
                due_cents=None if stake and stake.doubt else owed.net_cents if owed is not None else not_due,
                done_cents=done if flow is not None or (together and taken) or everything_settled else None,
                by_slip_cents=flow.by_slip_cents if flow else 0,
                line=(owed.line or owed.outcome) if owed else "late" if stake else "no_wager",
                cite=str(owed.cite if owed else late_section(book, key[1]) if stake else book.cite("11(f)")),
            )
        )
    found += _envy_settlements(round_, book, envy, at_box, everything_settled)
    round_.memo["settlements"] = found
    return found


def _bettors(round_: Round, book: Rulebook) -> dict[int, str]:
    """Whose box each seat's is: not of those who bet behind."""
    at_boxes = [stake for stake in stakes(round_, book).values() if stake.wager not in OTHERS]
    wagered = {stake.seat: stake.bettor for stake in at_boxes if stake.on_layout_cents > 0}
    return {stake.seat: stake.bettor for stake in at_boxes} | wagered


def _payee(flow: WagerFlow | None) -> str:
    return str(flow.facts[0].payload.bettor) if flow and flow.facts else ""


def _envy_paid(round_: Round) -> dict[tuple[int, str], list[RecordedEvent]]:
    paid: dict[tuple[int, str], list[RecordedEvent]] = {}
    for fact in round_.of(model.EnvyPaid):
        paid.setdefault((fact.payload.seat, ENVY[fact.payload.wager]), []).append(fact)
    return paid


def _envy_settlements(
    round_: Round,
    book: Rulebook,
    envy: dict[tuple[int, str], list[Due]],
    at_box: dict[int, str],
    everything_settled: bool,
) -> Iterator[Settlement]:
    paid = _envy_paid(round_)
    for key in sorted({*envy, *paid}):
        due, facts = envy.get(key, []), paid.get(key, [])
        amounts = [each.net_cents for each in due]
        yield Settlement(
            seat=key[0],
            wager=key[1],
            number=None,
            bettor=at_box.get(key[0], ""),
            paytable=due[0].paytable if due else "",
            staked_cents=0,
            due_cents=None if None in amounts else sum(cents for cents in amounts if cents is not None),
            done_cents=sum(f.payload.amount_cents for f in facts) if facts or everything_settled else None,
            by_slip_cents=0,
            line=" ".join(f"{each.line}@{each.for_position}" for each in due),
            cite=str(due[0].cite if due else book.cite(ENVY_SECTION[ENVY_OF[key[1]]])),
        )


FURTHER_WHY: defaultdict[str, list[Callable[[Round, Rulebook, int, str], str | None]]] = defaultdict(list)
"""By game: What else of a seat's wager can be missing in some chapters, in words; their files of rules add to it."""
