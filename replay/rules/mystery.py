"""The Must-Hit-By Mystery bonus in a table's stream: who contributes, when it hits, what is paid, and the meter after it.

58 Pa. Code § 645c.3(c), D21. `must_hit_by_meter.py` judges the meter's own stream; `rulebook/settlement/mystery.py` determines
the winner.
"""

from collections import Counter
from collections.abc import Iterator, Sequence, Set

import msgspec

from events.vocabulary import model
from replay.fold.derived import derived_by_rules
from replay.fold.meters_after import as_the_meter_reads
from replay.fold.recorded_event import RecordedEvent, distinct_by, in_order
from replay.fold.round import Round
from replay.fold.table_state import Armed
from replay.fold.wager_keys import key_of
from replay.rules.paying import meter_before, verified
from replay.rules.rule import Departure, Indeterminate, rule
from replay.settlement.payouts import flows
from replay.settlement.settlement import dues, settlements
from replay.settlement.stakes import stakes
from replay.settlement.voids import is_void
from rulebook.chapters.paytables import Paytable
from rulebook.chapters.rulebook import Rulebook
from rulebook.layout import Contribution, Cycle, Mystery, MysteryWinner, TableLayout
from rulebook.settlement.mystery import CycleRuling, is_committed, ruling, show_meter
from rulebook.settlement.progressive import contribution

WAGER = "mystery"
A_CENT = 100
"""Readings of the meter are in hundredths of a cent."""


class RecordedCycle(msgspec.Struct):
    """One cycle of the meter as the round has it: the arming, the contributions, the hit, and what they come to.

    `committed` says whether the target revealed is the one committed to; None if there is nothing to compare. `surplus`
    are the contributions of a wager that had contributed before. `added` is what the wager at the box of the hit adds, if known.
    """

    contributions: list[RecordedEvent]
    befores: list[int]
    armed: Armed | None = None
    hit: RecordedEvent | None = None
    committed: bool | None = None
    unproved: bool = False
    surplus: list[RecordedEvent] = []
    added: int | None = None

    def cycle(self) -> Cycle:
        """Return the cycle for settlement, without a target that differs from the committed one."""
        hit = None
        if self.hit is not None:
            event = self.hit.payload
            target = None if self.committed is False else event.target_centicents
            hit = MysteryWinner(event.seat, event.reading_centicents, target, self.added)
        made = zip(self.contributions, self.befores, strict=True)
        return Cycle(
            tuple(Contribution(f.payload.seat, before, f.payload.reading_centicents, f in self.surplus) for f, before in made),
            hit,
        )

    def facts(self) -> list[RecordedEvent]:
        """All facts of the cycle."""
        return [*self.contributions, *((self.hit,) if self.hit is not None else ())]


def _configuration(book: Rulebook) -> Paytable | None:
    offer = book.offers.get(WAGER)
    return offer.paytable if offer is not None else None


def _of_meter(round_: Round, book: Rulebook, type_: type[model.Event]) -> Sequence[RecordedEvent]:
    return [fact for fact in round_.of(type_) if fact.payload.meter == book.mystery_meter]


@derived_by_rules
def cycles_on_record(round_: Round, book: Rulebook) -> list[RecordedCycle]:
    """Return the cycles of the Must-Hit-By meter that have events in this round, in order."""
    paytable = _configuration(book)
    return _cycles(round_, book, paytable) if paytable is not None else []


def _cycles(round_: Round, book: Rulebook, paytable: Paytable) -> list[RecordedCycle]:
    meter = book.mystery_meter or ""
    reading = meter_before(round_, book, meter)
    current = RecordedCycle([], [], round_.before.armed.get(meter))
    found, just_armed = [current], False
    contributions_ = _contributions(round_, book)
    surplus = _surplus(round_, contributions_)
    others = [fact for type_ in (model.MysteryArmed, model.MysteryHit) for fact in _of_meter(round_, book, type_)]
    for fact in as_the_meter_reads(in_order([*contributions_, *others])):
        event = fact.payload
        match event:
            case model.MysteryArmed():
                current.armed, reading = Armed(event.commitment, fact.seq), event.reading_centicents
                just_armed = len(found) == 1 and not current.contributions
            case model.ProgressiveAccepted():
                elsewhere = book.linked_mystery and reading is not None and event.reading_centicents < reading
                if elsewhere:  # another table hit, and the meter began again
                    current = RecordedCycle([], [], None)
                    found.append(current)
                added = contribution(_wagered(round_, book, fact), paytable.rate_bp)
                derived = event.reading_centicents - added
                if just_armed and reading is not None and _lie_between(book, paytable, reading, derived, added):
                    reading = None  # armed in an earlier round, whose contributions are not on record (D248)
                just_armed = False
                current.befores.append(derived if reading is None or book.linked_mystery else reading)
                current.contributions.append(fact)
                current.surplus += [fact] if fact in surplus else []
                reading = event.reading_centicents
            case model.MysteryHit() if _is_repeated(found, event):
                pass
            case model.MysteryHit():
                current.hit = fact
                staked = _staked(round_, book, event.seat)
                current.added = contribution(staked, paytable.rate_bp) if staked else None
                _prove(current)
                reading = event.after_centicents
                current = RecordedCycle([], [], None)
                found.append(current)
    return [each for each in found if each.contributions or each.hit is not None]


def _contributions(round_: Round, book: Rulebook) -> list[RecordedEvent]:
    """The contributions to the meter: one reported again in the same words, the meter unmoved, is one (D661)."""
    accepted = _of_meter(round_, book, model.ProgressiveAccepted)
    return distinct_by(accepted, "seat", "amount_cents", "reading_centicents")


def _surplus(round_: Round, contributed: Sequence[RecordedEvent]) -> list[RecordedEvent]:
    """The contributions of a box beyond its progressive wagers: one wager contributes once (§ 645c.3(c)(2), D373)."""
    placed = Counter(fact.payload.seat for fact in round_.of(model.WagerPlaced) if fact.payload.wager == "progressive")
    made, surplus = Counter[int](), list[RecordedEvent]()
    for fact in contributed:
        made[fact.payload.seat] += 1
        if made[fact.payload.seat] > max(placed[fact.payload.seat], 1):
            surplus.append(fact)
    return surplus


def _is_repeated(found: Sequence[RecordedCycle], event: model.MysteryHit) -> bool:
    """Whether a hit is the last one said again: nothing was armed or contributed since (D21, D373)."""
    current, last = found[-1], found[-2].hit if len(found) > 1 else None
    return last is not None and last.payload == event and current.armed is None and not current.contributions


def _lie_between(book: Rulebook, paytable: Paytable, armed: int, before: int, added: int) -> bool:
    """Whether contributions of earlier rounds can lie between an arming and a contribution, by the meter (D248, D280).

    The meter was armed at its minimum, and what lies between is a whole number of contributions, or more than a round brings.
    """
    between = before - armed
    if armed != paytable.seed_cents * 100 or between <= 0 or added <= 0:
        return False
    return between % added == 0 or between >= book.chapter.numbers["seats"] * added


def _prove(cycle: RecordedCycle) -> None:
    assert cycle.hit is not None
    event = cycle.hit.payload
    commitment = cycle.armed.commitment if cycle.armed is not None else None
    if commitment is None or event.target_centicents is None:
        return
    if event.nonce is None:
        cycle.unproved = True
    else:
        cycle.committed = is_committed(commitment, event.target_centicents, event.nonce)


def _wagered(round_: Round, book: Rulebook, fact: RecordedEvent) -> int:
    """The progressive wager that contributes, in cents: as it lay at the box, or as the system accepted it."""
    return _staked(round_, book, fact.payload.seat) or int(fact.payload.amount_cents)


def _staked(round_: Round, book: Rulebook, seat: int) -> int:
    """The progressive wager as it lay at a box, in cents; 0 if none is on record."""
    stake = stakes(round_, book).get(key_of(seat, "progressive", None, ""))
    return max(stake.on_layout_cents, 0) if stake is not None else 0


def rulings(round_: Round, book: Rulebook) -> list[tuple[RecordedCycle, CycleRuling]]:
    """Return each cycle with its ruling."""
    paytable = _configuration(book)
    return [(each, ruling(each.cycle(), paytable)) for each in cycles_on_record(round_, book)] if paytable is not None else []


def open_reason(round_: Round, book: Rulebook, seat: int) -> str | None:
    """Return why it cannot be told whether a seat won the bonus; None if the target or the meter is not on record."""
    of_seat = (said for cycle, said in rulings(round_, book) if seat in {f.payload.seat for f in cycle.facts()})
    return next((said.doubt for said in of_seat if said.doubt and said.unsure is not None), None)


def complete_layout(round_: Round, book: Rulebook, layout: TableLayout) -> TableLayout:
    """Put the Must-Hit-By meter on the table that the round is settled from."""
    if book.mystery_meter is None:
        return layout
    cycles = tuple(each.cycle() for each in cycles_on_record(round_, book))
    paid = tuple(key[0] for key in flows(round_) if key[1] == WAGER)
    mystery = Mystery(cycles, paid, round_.covers("mystery"), _qualifying(round_, book))
    return msgspec.structs.replace(layout, mystery=mystery)


def _qualifying(round_: Round, book: Rulebook) -> dict[int, bool | None]:
    """Say of the seats of the cycles whether they have a base and a progressive wager in time (§ 645c.3(c)(1), D113).

    A wager that is not on record was not placed if the record covers wagers; next to other wagers, it is not known (D318).
    """
    placed, found = stakes(round_, book), dict[int, bool | None]()
    if not placed:
        return found
    for seat in {fact.payload.seat for each in cycles_on_record(round_, book) for fact in each.facts()}:
        for wager in (book.chapter.base, "progressive"):
            stake = placed.get(key_of(seat, wager, None, ""))
            if stake is None:
                in_time: bool | None = False if round_.covers("wagering") else None
            else:
                in_time = None if stake.doubt else stake.in_time_cents > 0
            if in_time is not True and found.get(seat) is not False:
                found[seat] = in_time
    return found


@rule("MYST-CONTRIBUTION", "WAGER-BASE", on=("645c.3(c)(1)", "645c.3(c)(2)"))
def contributions(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """Each qualifying progressive wager, and no other, adds its percentage to the meter."""
    paytable = _configuration(book)
    if paytable is None or round_.lost:
        return
    at_box = {
        wager: {key[0] for key, stake in stakes(round_, book).items() if key[1] == wager and stake.on_layout_cents > 0}
        for wager in (book.chapter.base, "progressive")
    }
    for cycle in cycles_on_record(round_, book):
        for fact, before in zip(cycle.contributions, cycle.befores, strict=True):
            missing = next((wager for wager, seats in at_box.items() if fact.payload.seat not in seats), None)
            if missing is not None:
                yield _contribution_without(fact, missing)
            elif fact in cycle.surplus:
                yield _second_contribution(fact)
            else:
                yield from _wrong_contribution(round_, book, fact, before, paytable)
    yield from _missing_contributions(round_, book, at_box[book.chapter.base] & at_box["progressive"])


def _contribution_without(fact: RecordedEvent, missing: str) -> Departure:
    return Departure(
        "645c.3(c)(1)",
        code="WAGER-BASE",
        expected="a base wager and a progressive wager beside it",
        observed=f"a contribution without a {missing} wager",
        evidence=(fact,),
        seat=fact.payload.seat,
        wager=WAGER,
    )


def _second_contribution(fact: RecordedEvent) -> Departure:
    return Departure(
        "645c.3(c)(2)",
        code="MYST-CONTRIBUTION",
        expected="one contribution for a progressive wager",
        observed=f"a second contribution for the wager, meter {show_meter(fact.payload.reading_centicents)}",
        evidence=(fact,),
        seat=fact.payload.seat,
        wager=WAGER,
    )


def _wrong_contribution(
    round_: Round, book: Rulebook, fact: RecordedEvent, before: int, paytable: Paytable
) -> Iterator[Departure]:
    """Find a contribution of another amount than the percentage of the progressive wager."""
    event, wagered = fact.payload, _wagered(round_, book, fact)
    right = before + contribution(wagered, paytable.rate_bp)
    reading = right if _is_rounded(event.reading_centicents, before, right) else event.reading_centicents
    if (reading, event.amount_cents) != (right, wagered):
        yield Departure(
            "645c.3(c)(2)",
            code="MYST-CONTRIBUTION",
            expected=f"meter {show_meter(right)}: {paytable.rate_bp / 100:g} % of {wagered / 100:.2f} more",
            observed=f"meter {show_meter(event.reading_centicents)}, for {event.amount_cents / 100:.2f}",
            evidence=(fact,),
            seat=event.seat,
            wager=WAGER,
        )


def _is_rounded(reading: int, before: int, right: int) -> bool:
    """Return whether a meter in whole cents, which shows no fraction of one, can show this (D1314)."""
    is_in_cents = reading % A_CENT == 0 == before % A_CENT
    return is_in_cents and right % A_CENT != 0 and abs(reading - right) < A_CENT


def _missing_contributions(round_: Round, book: Rulebook, qualified: Set[int]) -> Iterator[Departure]:
    """Find qualifying wagers that added nothing, if the record covers the meter; the winner's may be in the hit."""
    accepted = {fact.payload.seat for cycle in cycles_on_record(round_, book) for fact in cycle.contributions}
    won = {result.winner.seat for _, result in rulings(round_, book) if result.winner is not None}
    won |= {each.hit.payload.seat for each, said in rulings(round_, book) if each.hit is not None and not said.winner}
    if not round_.covers("mystery") or (round_.first_card is None and round_.closed is None) or (won and not accepted):
        return
    for seat in sorted(qualified - accepted - won):
        yield Departure(
            "645c.3(c)(2)",
            code="MYST-CONTRIBUTION",
            expected="the contribution of a qualifying wager",
            observed="none",
            evidence=stakes(round_, book)[key_of(seat, "progressive", None, "")].facts,
            seat=seat,
            wager=WAGER,
        )


@rule("MYST-CONTRIBUTION", on=("645c.3(c)(4)",))
def configuration(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """The meter is armed in the configuration that is filed: minimum, maximum and rate."""
    paytable = _configuration(book)
    if paytable is None:
        return
    for fact in _of_meter(round_, book, model.MysteryArmed):
        event = fact.payload
        filed = (paytable.seed_cents, paytable.maximum_cents, paytable.rate_bp)
        armed = (event.minimum_cents, event.maximum_cents, event.rate_bp)
        if armed != filed:
            yield Departure(
                "645c.3(c)(4)",
                expected=f"{paytable.name}: {_bounds(*filed)}",
                observed=_bounds(*armed),
                evidence=(fact,),
                wager=WAGER,
            )


@rule("MYST-CONTRIBUTION", on=("645c.3(c)(4)",))
def within_bounds(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """When it is armed and before each contribution, a meter lies between its minimum and maximum as filed (D730).

    A reading that follows from one that is found already is not found again, nor one above the maximum, which is MYST-TRIGGER.
    """
    paytable = _configuration(book)
    if paytable is None or round_.lost:
        return
    armed = _out_of_bounds(round_, book, paytable)
    readings = [(fact, None, fact.payload.reading_centicents) for fact in armed]
    for number, (cycle, said) in enumerate(rulings(round_, book)):
        is_first = number == 0 or cycle.armed is not None
        is_found = said.at is not None or (cycle.armed is not None and cycle.armed.seq in {fact.seq for fact in armed})
        if is_first and not is_found and cycle.befores and cycle.befores[0] < paytable.seed_cents * 100:
            readings.append((cycle.contributions[0], cycle.contributions[0].payload.seat, cycle.befores[0]))
    for fact, seat, reading in readings:
        yield Departure(
            "645c.3(c)(4)",
            expected=f"a meter from {show_meter(paytable.seed_cents * 100)} to {show_meter(paytable.maximum_cents * 100)}",
            observed=f"armed at {show_meter(reading)}" if seat is None else f"meter {show_meter(reading)} before the wager",
            evidence=(fact,),
            seat=seat,
            wager=WAGER,
        )


def _out_of_bounds(round_: Round, book: Rulebook, paytable: Paytable) -> list[RecordedEvent]:
    """Return the armings of this round, as filed, at a meter below the minimum or above the maximum that is filed."""
    return [
        fact
        for fact in _of_meter(round_, book, model.MysteryArmed)
        if (fact.payload.minimum_cents, fact.payload.maximum_cents) == (paytable.seed_cents, paytable.maximum_cents)
        and not paytable.seed_cents * 100 <= fact.payload.reading_centicents <= paytable.maximum_cents * 100
    ]


def _bounds(minimum: int, maximum: int, rate_bp: int) -> str:
    return f"{show_meter(minimum * 100)} to {show_meter(maximum * 100)}, {rate_bp / 100:g} %"


@rule("MYST-TRIGGER", on=("645c.3(c)(3)",))
def triggered(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """The contribution that lifts the meter above the hidden target hits, and no other (D21).

    If the bonus was paid to the wrong seat, the finding with its money is made in `settlement.py`.
    """
    mispaid = {
        each.seat
        for each in settlements(round_, book)
        if each.wager == WAGER and each.due_cents is not None and each.done_cents not in (None, each.due_cents)
    }
    paytable = _configuration(book)
    armed = {fact.seq for fact in _out_of_bounds(round_, book, paytable)} if paytable is not None else set()
    for cycle, said in rulings(round_, book):
        if said.doubt:
            yield Indeterminate(said.doubt)
        is_found = cycle.hit is None and cycle.armed is not None and cycle.armed.seq in armed
        if round_.lost or said.at is None or is_found:
            continue
        winner = said.winner
        if said.at in mispaid and (winner is None or winner.seat != said.at):
            continue
        yield Departure(
            "645c.3(c)(3)", expected=said.right, observed=said.wrong, evidence=cycle.facts(), seat=said.at, wager=WAGER
        )


@rule("MYST-TRIGGER", on=("645c.3(c)(3)",))
def hit_of_this_round(round_: Round, book: Rulebook) -> Iterator[Indeterminate]:
    """A hit names the table and the round that it is in; if it names another, it cannot be told whose bonus it is."""
    for fact in _of_meter(round_, book, model.MysteryHit):
        event = fact.payload
        if (f"table/{event.table}", event.round_no) != (round_.stream, round_.round_no):
            yield Indeterminate(f"the bonus was hit at table {event.table} in round {event.round_no}, by the record")


@rule("MYST-COMMITMENT", on=("645c.3(c)(3)",))
def commitment(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """A target that is revealed is the one that the device committed to when it was armed (D21)."""
    for cycle in cycles_on_record(round_, book):
        if cycle.hit is None or cycle.armed is None:
            continue
        if cycle.unproved:
            yield Indeterminate("the nonce of the Must-Hit-By target is not on record, so its commitment cannot be checked")
        if cycle.committed is False:
            event = cycle.hit.payload
            yield Departure(
                "645c.3(c)(3)",
                expected=f"a target with the SHA-256 {cycle.armed.commitment}",
                observed=f"{show_meter(event.target_centicents)} with nonce {event.nonce}",
                evidence=[seq for seq in (cycle.armed.seq, cycle.hit.seq) if seq],
                seat=event.seat,
                wager=WAGER,
            )


@rule("MYST-RESET", on=("645c.3(c)(5)(iv)",))
def reset(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """After a hit the meter is reset to the minimum that is filed."""
    paytable = _configuration(book)
    for cycle in cycles_on_record(round_, book) if paytable is not None else ():
        if paytable is None or cycle.hit is None:
            continue
        event = cycle.hit.payload
        if event.after_centicents != paytable.seed_cents * 100:
            yield Departure(
                "645c.3(c)(5)(iv)",
                expected=f"meter {show_meter(paytable.seed_cents * 100)}",
                observed=f"meter {show_meter(event.after_centicents)}",
                evidence=(cycle.hit,),
                seat=event.seat,
                wager=WAGER,
            )


@rule("MYST-AMOUNT", on=("645c.3(c)(7)",))
def meter_as_won(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """The bonus is the whole meter after the winner's contribution. `settlement.py` compares the payment."""
    for cycle, said in rulings(round_, book):
        if cycle.hit is None or said.winner is None or round_.lost:
            continue
        event = cycle.hit.payload
        if said.winner.seat == event.seat and said.winner.reading != event.reading_centicents and said.at is None:
            yield Departure(
                "645c.3(c)(7)",
                expected=f"a hit at meter {show_meter(said.winner.reading)}",
                observed=f"a hit at meter {show_meter(event.reading_centicents)}",
                evidence=cycle.facts(),
                seat=event.seat,
                wager=WAGER,
            )


@rule("PAY-LIGHT", "PAY-VALIDATED", on=("645c.3(c)(5)(i)", "645c.3(c)(5)(ii)"))
def verified_before_paid(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """Before the bonus is paid, the light is verified and a floorperson or above validates the payout."""
    yield from verified(round_, book, WAGER, "645c.3(c)(5)(i)", "645c.3(c)(5)(ii)")


@rule("PAY-SOURCE", on=("645c.3(c)(6)",))
def paid_by(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """The bonus is paid from the table inventory or by slip, as filed."""
    filed = book.settings["mystery_paid_by"]
    if filed == "either" or is_void(round_, book):
        return
    winners = {due.seat for due in dues(round_, book) if due.wager == WAGER and due.winnings_cents}
    for fact in round_.of(model.WagerPaid):
        event = fact.payload
        if event.wager == WAGER and event.seat in winners and event.source != filed:
            yield Departure(
                "645c.3(c)(6)",
                expected=f"paid by {filed}",
                observed=f"paid by {event.source}",
                evidence=(fact,),
                seat=event.seat,
                wager=WAGER,
            )
