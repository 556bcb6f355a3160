"""The Must-Hit-By Mystery bonus: whose contribution wins it, and how much (58 Pa. Code § 645c.3(c), D21).

A target is hidden between a minimum and a maximum: the contribution that lifts the meter strictly above it wins the whole
meter. Invariant: an unknown target leaves some answers open, and the file reports them as open.
"""

from collections.abc import Iterator
from hashlib import sha256

import msgspec

from rulebook.chapters.money import show_money
from rulebook.chapters.rulebook import Paytable, Rulebook
from rulebook.layout import Contribution, Cycle, Mystery, MysteryWinner, TableLayout
from rulebook.settlement.progressive import WHOLE_METER_BP, share_cents
from rulebook.settlement.wagers import Due, Outcome, offered

PAID = "645c.3(c)(7)"


class CycleRuling(msgspec.Struct, frozen=True, kw_only=True):
    """The ruling on a cycle: who wins which meter, what is wrong about the hit on record, and what remains open.

    `winner` is None if no one wins, or where the winner is unknown (`unsure` is then the seat that may have won). `wrong`
    is what was wrong at the seat `at`, `right` what should have been, `doubt` why the ruling is open.
    """

    winner: Contribution | None = None
    unsure: int | None = None
    at: int | None = None
    right: str = ""
    wrong: str = ""
    doubt: str = ""


def is_committed(commitment: str, target_centicents: int, nonce: str) -> bool:
    """Return whether a revealed target is the one that a device committed to: SHA-256 of `TARGET:NONCE` (D21).

    >>> is_committed("115b27575934a2a38f4c4fffb8202b55f197778439d62b7c3288e2e67df958af", 1_500_000, "abc")
    True
    """
    return sha256(f"{target_centicents}:{nonce}".encode()).hexdigest() == commitment


def ruling(cycle: Cycle, paytable: Paytable) -> CycleRuling:
    """Return the ruling on a cycle under a configuration (§ 645c.3(c)(3), (4))."""
    surplus = _surplus_before(cycle, paytable)
    if surplus is not None:
        who = f"seat {surplus.seat} contributed twice for one wager to the Must-Hit-By meter"
        doubt = f"{who}, and whether it is hit without that cannot be told"
        return CycleRuling(unsure=cycle.hit.seat if cycle.hit is not None else surplus.seat, doubt=doubt)
    if cycle.hit is None:
        return _no_hit(cycle, paytable)
    return _with_target(cycle, paytable) if cycle.hit.target is not None else _without_target(cycle, paytable)


def _no_hit(cycle: Cycle, paytable: Paytable) -> CycleRuling:
    """No target is above the maximum: the contribution that lifts the meter above it hits, or one before it did (D730)."""
    passed = _first_above(cycle, paytable.maximum_cents * 100)
    if passed is None:
        return CycleRuling()
    is_over_before = passed.reading_before > paytable.maximum_cents * 100
    hit = "a hit before it" if is_over_before else "a hit"
    return CycleRuling(
        unsure=None if is_over_before else passed.seat,
        at=passed.seat,
        right=f"{hit}, for no target is above {show_money(paytable.maximum_cents)}",
        wrong=f"the meter went on at {show_meter(passed.reading)}",
    )


def is_possible_hit(won: Contribution, paytable: Paytable) -> bool:
    """Return whether a permitted target lies at or above the meter before a contribution and below the meter after it (D730).

    >>> from rulebook.chapters.rulebook import chapter
    >>> a_1 = chapter("pa", "645c").paytable("mystery", "A-1")
    >>> is_possible_hit(Contribution(2, 1_000_000, 1_000_200), a_1), is_possible_hit(Contribution(2, 999_800, 1_000_000), a_1)
    (True, False)
    """
    least = max(paytable.seed_cents * 100, won.reading_before)
    return least <= paytable.maximum_cents * 100 and least < won.reading


def _impossible(hit: MysteryWinner, paytable: Paytable) -> CycleRuling:
    """The ruling on a hit that no permitted target can cause: it is unknown who is due the meter."""
    bounds = f"{show_meter(paytable.seed_cents * 100)} to {show_meter(paytable.maximum_cents * 100)}"
    return CycleRuling(
        unsure=hit.seat,
        at=hit.seat,
        right=f"a hit by the contribution that lifts the meter above a target from {bounds}",
        wrong=f"a hit of seat {hit.seat} at {show_meter(hit.reading)}, which no such target brings",
    )


def _with_target(cycle: Cycle, paytable: Paytable) -> CycleRuling:
    hit = cycle.hit
    assert hit is not None
    assert hit.target is not None
    target, low, high = hit.target, paytable.seed_cents * 100, paytable.maximum_cents * 100
    above = f"the contribution that lifts the meter above {show_meter(target)}"
    first = _first_above(cycle, target)
    own = _left_out(cycle)
    if first is None and own is not None and own.reading_before <= target < hit.reading:
        return CycleRuling(winner=own, doubt="the contribution that hit the Must-Hit-By meter is not on record")
    passed = first or own
    if passed is not None and passed.reading_before > target:
        first, above = None, f"a hit before this round, when the meter passed {show_meter(target)}"
    if not low <= target <= high:
        is_certain = first is not None and is_possible_hit(first, paytable)
        return CycleRuling(
            winner=first if is_certain else None,
            unsure=None if is_certain else hit.seat,
            at=hit.seat,
            right=f"a target from {show_meter(low)} to {show_meter(high)}",
            wrong=f"a target of {show_meter(target)}",
        )
    if first is not None and first.seat == hit.seat and _is_of(cycle, hit.seat, hit.reading) in (first, None):
        return CycleRuling(winner=first)
    right = above if first is None else f"{above}: seat {first.seat}, at {show_meter(first.reading)}"
    return CycleRuling(winner=first, at=hit.seat, right=right, wrong=f"a hit of seat {hit.seat} at {show_meter(hit.reading)}")


def _without_target(cycle: Cycle, paytable: Paytable) -> CycleRuling:
    """Follow the controller's record of the moment: the contribution of that moment certainly wins, and no later one."""
    hit = cycle.hit
    assert hit is not None
    doubt = "whether the Must-Hit-By bonus was hit at the right moment: its target is not on record"
    named = _is_of(cycle, hit.seat, hit.reading)
    last = next((each for each in reversed(cycle.contributions) if each.reading == hit.reading), None)
    own = next((each for each in reversed(cycle.contributions) if each.seat == hit.seat), None)
    winner = named or last or own or _left_out(cycle)
    wrong = f"a hit of seat {hit.seat} at {show_meter(hit.reading)}"
    passed = _first_above(cycle, paytable.maximum_cents * 100)
    if passed is not None and (winner is None or winner.reading > passed.reading):
        right = f"a hit of seat {passed.seat} at the latest, for no target is above {show_money(paytable.maximum_cents)}"
        return CycleRuling(unsure=passed.seat, at=hit.seat, right=right, wrong=wrong)
    if winner is not None and not is_possible_hit(winner, paytable):
        return _impossible(hit, paytable)
    if winner is None:
        return CycleRuling(at=hit.seat, right="the seat whose contribution was just accepted", wrong=wrong, doubt=doubt)
    if winner.seat != hit.seat:
        right = f"at {show_meter(winner.reading)} the contribution of seat {winner.seat} was accepted"
        return CycleRuling(winner=winner, at=hit.seat, right=right, wrong=wrong, doubt=doubt)
    return CycleRuling(winner=winner, doubt=doubt)


def _surplus_before(cycle: Cycle, paytable: Paytable) -> Contribution | None:
    """Return a contribution that caused a hit although its wager had contributed before, or None (D661).

    Without it, the meter's reading would differ. Contributions after the one that passed the target change nothing; if the target
    is unknown, any contribution may be that one.
    """
    hit, contributions = cycle.hit, cycle.contributions
    target = hit.target if hit is not None else paytable.maximum_cents * 100
    passed = _first_above(cycle, target) if target is not None else None
    if passed is None and hit is None:
        return None
    until = contributions.index(passed) + 1 if passed is not None else len(contributions)
    return next((each for each in contributions[:until] if each.is_surplus), None)


def _left_out(cycle: Cycle) -> Contribution | None:
    """Return the missing contribution of a hit, if the record has none of that seat and the meter was lower (D401).

    Its starting reading is the lowest possible: the last recorded reading, or the reading at the hit less the wager's
    contribution, if that is higher.
    """
    hit = cycle.hit
    assert hit is not None
    readings = [each.reading for each in cycle.contributions]
    if any(each.seat == hit.seat for each in cycle.contributions) or hit.reading <= max(readings, default=0):
        return None
    least = hit.reading - hit.added if hit.added is not None else 0
    return Contribution(hit.seat, max([*readings[-1:], least]), hit.reading)


def _first_above(cycle: Cycle, target: int) -> Contribution | None:
    return next((each for each in cycle.contributions if each.reading > target), None)


def _is_of(cycle: Cycle, seat: int, reading: int) -> Contribution | None:
    return next((each for each in cycle.contributions if (each.seat, each.reading) == (seat, reading)), None)


def mystery_bonuses(book: Rulebook, layout: TableLayout) -> Iterator[Due]:
    """Yield the dues of the bonus: the whole meter for the winner, nothing for anyone else who was paid it (§ 645c.3(c)(7)).

    It stakes nothing; the base and progressive wagers next to it qualify. If those of the winner do not, nothing is due
    there, and whether the next qualifying contribution of the round wins cannot be told (§ 645c.3(c)(1), (3), D372).
    """
    table, paytable = layout.mystery, offered(book, "mystery")
    if table is None or paytable is None:
        return
    bettors = {box.seat: box.bettor for box in layout.boxes}
    due: dict[int, int | None] = {}
    may_have_won: set[int] = set()
    for cycle in table.cycles:
        decision = ruling(cycle, paytable)
        if decision.unsure is not None:
            due.setdefault(decision.unsure, None)
        if _surplus_before(cycle, paytable) is not None:
            may_have_won |= {each.seat for each in cycle.contributions}
        if cycle.hit is not None:
            due.setdefault(cycle.hit.seat, 0)
        if decision.winner is not None and (qualifies := table.qualifying.get(decision.winner.seat, True)) is not True:
            due[decision.winner.seat] = None if qualifies is None else due.get(decision.winner.seat, 0)
            after = next(_qualifying_after(table, decision.winner), None)
            if after is not None:
                due.setdefault(after.seat, None)
        elif decision.winner is not None:
            before = due.get(decision.winner.seat, 0)
            due[decision.winner.seat] = (before or 0) + share_cents(decision.winner.reading, WHOLE_METER_BP)
    for seat in table.paid_seats:
        due.setdefault(seat, 0 if table.complete and seat not in may_have_won else None)
    for seat, cents in due.items():
        outcome = Outcome.UNKNOWN if cents is None else Outcome.WIN if cents else Outcome.LOSE
        yield Due(
            seat=seat,
            wager="mystery",
            bettor=bettors.get(seat, ""),
            paytable=paytable.name,
            net_cents=cents,
            winnings_cents=cents or 0,
            outcome=outcome,
            line="jackpot" if cents else "",
            cite=book.cite(PAID),
            share_bp=WHOLE_METER_BP if cents else 0,
            cash_cents=cents or 0,
            uncapped_cents=cents or 0,
        )


def _qualifying_after(table: Mystery, winner: Contribution) -> Iterator[Contribution]:
    """Yield the contributions of the round that were accepted after one, but for those that do not qualify."""
    contributions = [contribution for cycle in table.cycles for contribution in cycle.contributions]
    for contribution in contributions[contributions.index(winner) + 1 :] if winner in contributions else ():
        if table.qualifying.get(contribution.seat, True) is not False:
            yield contribution


def show_meter(centicents: int) -> str:
    """Return a meter as dollars and cents, with hundredths of a cent if it has any.

    >>> show_meter(1_500_100), show_meter(3_000_250)
    ('150.01', '300.0250')
    """
    rest = centicents % 100
    return show_money(centicents // 100) + (f"{rest:02d}" if rest else "")
