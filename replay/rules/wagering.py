"""The wagers of a round and surrenders: whether they were allowed (58 Pa. Code §§ 688a.7, 688a.8(b), 688a.11(d))."""

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import get_args

from events.vocabulary import model
from replay.fold.recorded_event import RecordedEvent, in_order
from replay.fold.round import FOR_THE_DEALER, Round
from replay.fold.wager_keys import key_in
from replay.rules.round_steps import last_hand_dealt
from replay.rules.rule import Departure, Indeterminate, rule
from replay.settlement.omitted_evidence import no_wagers_on_record
from replay.settlement.stakes import Stake, progressive_accepted, stakes
from replay.settlement.surrenders import settled_before, surrenders
from rulebook.chapters.chapters import SUBMISSIONS
from rulebook.chapters.money import show_money
from rulebook.chapters.rulebook import Rulebook
from rulebook.settlement.bonus import qualifying_cents

ENVY_WAGERS = get_args(model.EnvyWager)


@rule("WAGER-LATE", "WAGER-LIMIT", on=("7(c)",))
def doubtful_wagers(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """If two clocks contradict the order of a wager and "no more bets", it cannot be told whether the wager was late.

    Late wagers themselves are found with their money, in `settlement.py`. A wager is unknown, too, if
    more of it was withdrawn than the record shows as placed, or if a refusal is of chips that no record shows as placed (D388).
    """
    for stake in stakes(round_, book).values():
        if stake.doubt:
            yield Indeterminate(f"seat {stake.seat} {stake.wager}: {stake.doubt}")


@rule("WAGER-BASE", on=("7(e)",))
def base_wager(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """An optional wager needs the base wager at the same box, placed in time (D113)."""
    if round_.lost:
        return
    base = book.chapter.base
    at_base = [stake for stake in stakes(round_, book).values() if stake.wager == base]
    based = {stake.seat for stake in at_base if stake.in_time_cents > 0 or stake.is_overdrawn}
    for stake in stakes(round_, book).values():
        needs = stake.wager not in (base, "backline")
        if needs and stake.on_layout_cents > 0 and stake.seat not in based:
            yield Departure(
                _limit_section(book, stake.wager),
                expected=f"{_a(base)} wager at the box of an optional wager",
                observed=f"{stake.wager} alone",
                evidence=stake.facts,
                seat=stake.seat,
                wager=stake.wager,
                other_reading=_alone(book, stake.wager),
            )


def _alone(book: Rulebook, wager: str) -> str | None:
    """The other reading of a wager on the dice without a base wager: the text does not tie it to one (D553)."""
    rule_ = book.chapter.wagers.get(wager)
    if rule_ is None or rule_.closes != "activation":
        return None
    return f"D553: {book.cite('645c.2(e)')} names no base wager beside a wager on the dice: so read, it may stand alone"


def _a(wager: str) -> str:
    return f"an {wager}" if wager[0] in "aeiou" else f"a {wager}"


@rule("WAGER-LIMIT", on=("7(d)", "7(e)"))
def limits(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """Wagers are of those offered and within the filed limits; a wager tied to another has exactly its amount."""
    placed = stakes(round_, book)
    for stake in placed.values():
        if stake.in_time_cents <= 0 or stake.doubt:
            continue
        offer, cents = book.offers.get(stake.wager), stake.in_time_cents
        section: str = _limit_section(book, stake.wager)
        rule_ = book.chapter.wagers.get(stake.wager)
        if offer is None or rule_ is None:
            expected = "a wager that the rules submission offers"
            if rule_ is None:
                expected = f"a wager of the game: {', '.join(book.chapter.wagers)}"
        elif rule_.of is not None:
            other = placed.get((stake.seat, rule_.of, None, ""))
            must = rule_.times * other.in_time_cents if other is not None else 0
            if must <= 0 or must == cents:
                continue  # without the other wager at all it is the other's fault, or WAGER-BASE
            times = "as much as" if rule_.times == 1 else f"{rule_.times} times"
            expected = f"{show_money(must)}, {times} the {rule_.of} wager"
        elif not offer.min_cents <= cents <= offer.max_cents:
            bounds = dict.fromkeys((offer.min_cents, offer.max_cents))  # a progressive is of one amount
            expected = " to ".join(map(show_money, bounds))
            section = _section_of_limits(book, stake.wager)
        else:
            continue
        yield Departure(
            section,
            expected=expected,
            observed=f"{stake.wager} {show_money(cents)}",
            evidence=stake.facts,
            seat=stake.seat,
            wager=stake.wager,
            other_reading=_amount_of_its_own(book, stake.wager),
        )


def _amount_of_its_own(book: Rulebook, wager: str) -> str | None:
    """The other reading of a blind of another amount than the ante: the text gives an amount for the raise alone (D572)."""
    rule_ = book.chapter.wagers.get(wager)
    if rule_ is None or rule_.of is None or not rule_.always or rule_.times != 1:
        return None
    return f"D572: {book.cite('687a.7(d)(1)')} gives an amount for the raise alone: so read, the {wager} may be of any"


def _section_of_limits(book: Rulebook, wager: str) -> str:
    """Return the section on a wager's limits; for the base wager in Pennsylvania, it is the section on the filing."""
    if wager != book.chapter.base or book.chapter.jurisdiction != "pa":
        return _limit_section(book, wager)
    return SUBMISSIONS


def _limit_section(book: Rulebook, wager: str) -> str:
    rule_ = book.chapter.wagers.get(wager)
    if rule_ is not None and (rule_.of is not None or book.chapter.assumed):
        return rule_.cite
    return "7(d)" if wager == book.chapter.base else "7(e)"


FORM_WORDS = {"chips": "chips", "plaque": "plaques", "instrument": "an approved instrument"}
"""The forms in which wagers may be made, in words."""
FORM_PLACED = {"plaque": "a plaque", "instrument": "another instrument"}
"""The form in which a wager was made, if its name is not one word."""


@rule("WAGER-FORM", on=("7(a)",))
def form(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """Wagers are made in the forms that the chapter names: chips, in most of them plaques too; never verbally, or in cash."""
    allowed = book.chapter.wager_forms
    for fact in round_.of(model.WagerPlaced) if allowed else ():
        if fact.payload.form in allowed or _was_refused(stakes(round_, book)[key_in(fact.payload)], fact):
            continue
        yield Departure(
            "7(a)",
            expected=" or ".join(", ".join(FORM_WORDS[each] for each in allowed).rsplit(", ", 1)),
            observed=FORM_PLACED.get(fact.payload.form, fact.payload.form),
            evidence=(fact,),
            seat=fact.payload.seat,
            wager=fact.payload.wager,
        )


def _was_refused(stake: Stake, placed: RecordedEvent) -> bool:
    """Return whether the next event of a wager that was placed is its refusal."""
    following = min((fact for fact in stake.facts if fact.seq > placed.seq), key=lambda fact: fact.seq, default=None)
    event = following.payload if following is not None else None
    return isinstance(event, model.WagerRefused) and event.amount_cents == placed.payload.amount_cents


@rule("WAGER-SEATED", on=("7(b)", "7(f)"))
def seated(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """Only seated players wager; a second, adjacent box only if the rules submission permits it.

    A bet that was withdrawn in time or refused is no wager.
    """
    boxes_by_patron: dict[str, dict[int, RecordedEvent]] = {}
    placed = _base_wagers_placed(round_, book)
    for fact in placed:
        boxes_by_patron.setdefault(fact.payload.bettor, {}).setdefault(fact.payload.seat, fact)
    if book.has("7(b)") and not round_.lost:
        yield from _not_seated(round_, placed)
    yield from _too_many_boxes(book, boxes_by_patron)


def _base_wagers_placed(round_: Round, book: Rulebook) -> list[RecordedEvent]:
    """Return, in order, the placements of base wagers that were not withdrawn in the end."""
    return in_order(
        fact
        for stake in stakes(round_, book).values()
        if stake.wager == book.chapter.base
        for fact in stake.facts
        if isinstance(fact.payload, model.WagerPlaced) and stake.cents_by_patron[fact.payload.bettor] > 0
    )


def _not_seated(round_: Round, placed: Sequence[RecordedEvent]) -> Iterator[Departure]:
    """Find base wagers of patrons who sit nowhere at the table, if the record shows who sits there (§ 688a.7(b))."""
    patrons, known = dict(round_.before.patrons), round_.before.patrons_known
    seating = [*round_.of(model.PatronSeated), *round_.of(model.PatronLeft)]
    for fact in in_order([*seating, *placed]):
        event = fact.payload
        match event:
            case model.PatronSeated():
                patrons[event.seat], known = event.patron, known or not round_.before.seats_unsure
            case model.PatronLeft():
                patrons.pop(event.seat, None)
            case _ if known and event.bettor not in patrons.values():
                yield Departure(
                    "7(b)",
                    expected="the wager of a seated player",
                    observed=_standing(event.bettor, seating, fact),
                    evidence=(fact,),
                    seat=event.seat,
                )


def _standing(patron: str, seating: Sequence[RecordedEvent], wager: RecordedEvent) -> str:
    """Return in words whether a patron who is not seated left a seat in this round."""
    seats = [
        fact.payload.seat
        for fact in seating
        if fact.payload.KIND is model.PatronLeft and fact.seq < wager.seq and fact.payload.patron == patron
    ]
    return f"the patron had left seat {seats[-1]}" if seats else "the patron is not seated"


def _too_many_boxes(book: Rulebook, boxes_by_patron: Mapping[str, Mapping[int, RecordedEvent]]) -> Iterator[Departure]:
    """Find patrons at more boxes than are filed, or at boxes that do not adjoin (§ 688a.7(f))."""
    most = int(book.settings.get("most_boxes", 2)) if book.adjacent_boxes else 1
    up_to = "two" if most == 2 else f"up to {most}"
    for boxes in boxes_by_patron.values():
        seats = sorted(boxes)
        if len(seats) <= most and seats[-1] - seats[0] == len(seats) - 1:
            continue
        yield Departure(
            "7(f)",
            expected=f"one box, or {up_to} adjacent ones" if book.adjacent_boxes else "one box",
            observed="one patron wagered at " + ", ".join(f"seat {seat}" for seat in seats),
            evidence=list(boxes.values()),
            seat=list(boxes)[-1],
        )


@rule("WAGER-SEATED", on=("7(b)",))
def one_player_a_box(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """A betting area belongs to one player: another patron who wagers there is not the one seated there (D319)."""
    boxes = {(fact.payload.seat, fact.payload.bettor) for fact in round_.of(model.WagerPlaced)}
    if len({seat for seat, _ in boxes}) == len(boxes) and all(bettor != FOR_THE_DEALER for _, bettor in boxes):
        return
    lies: dict[int, dict[str, int]] = {}
    for type_, sign in ((model.WagerPlaced, 1), (model.WagerRemoved, -1), (model.WagerRefused, -1)):
        for fact in round_.of(type_):
            at_box = lies.setdefault(fact.payload.seat, {})
            at_box[fact.payload.bettor] = at_box.get(fact.payload.bettor, 0) + sign * fact.payload.amount_cents
    for seat, at_box in lies.items():
        others = [bettor for bettor, cents in at_box.items() if cents > 0][1:]
        if at_box.get(FOR_THE_DEALER, 0) > 0:
            yield Departure(
                "7(b)",
                expected="a bet for the dealer beside the wager of the player whose box it is",
                observed="a bet for the dealer alone",
                seat=seat,
                evidence=[f for f in round_.of(model.WagerPlaced) if f.payload.seat == seat],
            )
        elif others:
            yield Departure(
                "7(b)",
                expected="wagers of the patron only whose box it is",
                observed=f"{'another patron' if len(others) == 1 else f'{len(others)} other patrons'} wagered there too",
                seat=seat,
                evidence=[f for f in round_.of(model.WagerPlaced) if f.payload.seat == seat],
            )


@rule("WAGER-LAMMER", on=("8(b)(1)", "9(a)(3)(i)", "10(a)(2)(i)"))
def lammers(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """A qualifying wager gets an Envy lammer before the deal; another wager gets none."""
    if not round_.covers("envy") or round_.first_card is None:
        return
    placed = {(fact.payload.seat, fact.payload.wager): fact for fact in reversed(round_.of(model.LammerPlaced))}
    section = {"manual_shoe": "8(b)(1)", "hand": "9(a)(3)(i)", "automated_shoe": "10(a)(2)(i)"}[book.deal_method]
    least = {wager: qualifying_cents(book, wager) for wager in ENVY_WAGERS}
    qualifying = {
        (stake.seat, stake.wager): stake
        for stake in stakes(round_, book).values()
        if stake.wager in least and stake.in_time_cents >= least[stake.wager]
    }
    first = round_.first_card
    for (seat, wager), stake in qualifying.items():
        if (seat, wager) not in placed or placed[seat, wager].seq > first.seq:
            yield Departure(
                section,
                expected="an Envy lammer at the qualifying wager",
                observed="placed after the deal began" if (seat, wager) in placed else "none",
                evidence=stake.facts,
                seat=seat,
                wager=wager,
            )
    for (seat, wager), fact in placed.items():
        if (seat, wager) not in qualifying and not no_wagers_on_record(round_):
            yield Departure(
                section,
                expected="a lammer at a qualifying wager only",
                observed="a lammer without one",
                evidence=(fact,),
                seat=seat,
                wager=wager,
            )


PROGRESSIVE_SECTION = {"manual_shoe": "8(b)(2)", "hand": "9(a)(3)(ii)", "automated_shoe": "10(a)(2)(ii)"}


@rule("WAGER-PROGRESSIVE", on=("8(b)(2)", "9(a)(3)(ii)", "10(a)(2)(ii)"))
def progressive_count(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """The chips collected equal the progressive wagers that the system accepted, and those at the boxes."""
    section = PROGRESSIVE_SECTION[book.deal_method]
    if not round_.covers("progressive") or not book.has(section):
        return
    last = {fact.payload.seat: fact for fact in progressive_accepted(round_, book)}
    first = {fact.payload.seat: fact for fact in reversed(progressive_accepted(round_, book))}
    accepted = first.keys()
    at_boxes = {stake.seat for stake in stakes(round_, book).values() if stake.wager == "progressive" and stake.in_time_cents > 0}
    for fact in round_.of(model.ProgressiveLocked):
        event = fact.payload
        if not accepted and event.accepted == event.collected == len(at_boxes):
            continue  # a transcript's lock line alone: the count of the system is on record, its single wagers are not
        if event.accepted != event.collected or event.accepted != len(accepted) or accepted != at_boxes:
            yield Departure(
                section,
                expected=f"as many chips as wagers accepted ({len(accepted)} accepted, {len(at_boxes)} placed, by the record)",
                observed=f"{event.collected} {'chip' if event.collected == 1 else 'chips'} collected, "
                f"the system counts {event.accepted}{_at_other_boxes(accepted, at_boxes)}",
                evidence=(fact, *first.values(), *last.values()),  # of many at one seat two: any round costs little
                wager="progressive",
            )


def _at_other_boxes(accepted: Set[int], at_boxes: Set[int]) -> str:
    """Name the seats at which a wager was accepted but not placed, or placed but not accepted; empty if there are none."""
    said = [
        f"{done} at {' and '.join(f'seat {seat}' for seat in sorted(seats))}, not {other} there"
        for done, other, seats in (("accepted", "placed", accepted - at_boxes), ("placed", "accepted", at_boxes - accepted))
        if seats
    ]
    return "".join(f"; {each}" for each in said)


@rule("WAGER-LOCKOUT", on=("2(d)(2)", "8(b)(2)", "9(a)(3)(ii)", "10(a)(2)(ii)"))
def lockout(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """Before the deal the system locks progressive wagers out, and accepts none afterward."""
    locked, first = round_.first(model.ProgressiveLocked), round_.first_card
    if not round_.covers("progressive") or not book.has(PROGRESSIVE_SECTION[book.deal_method]):
        return
    accepted = progressive_accepted(round_, book)
    if accepted and first is not None and (locked is None or locked.seq > first.seq):
        if locked is not None and not round_.certainly_before(first, locked):
            yield Indeterminate("the clocks contradict the order of the lock and the first card")
            return
        yield Departure(
            PROGRESSIVE_SECTION[book.deal_method],
            expected="progressive wagers locked out before the deal",
            observed="locked after the first card" if locked else "not locked",
            evidence=(first, *((locked,) if locked else ())),
        )
        return
    for fact in accepted:
        if locked is not None and fact.seq > locked.seq:
            if not round_.certainly_before(locked, fact):
                yield Indeterminate(f"seat {fact.payload.seat}: the clocks contradict the order of the lock and a wager accepted")
                continue
            yield Departure(
                "2(d)(2)",
                expected="no progressive wager accepted after the lock",
                observed=f"{show_money(fact.payload.amount_cents)} accepted",
                evidence=(locked, fact),
                seat=fact.payload.seat,
            )


@rule("WAGER-SURRENDER", on=("11(d)",))
def surrender(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """A player surrenders only without optional wagers, after the dealer's hands are set and before an own card is exposed (D11).

    Wagers on the dice are settled before the cards, and do not rule out a surrender (§ 645c.2(h), D317).
    """
    for fact in surrenders(round_, book):
        seat = fact.payload.seat
        optional = _optional_wagers(round_, book, seat)
        dealer_set = next((set_ for set_ in round_.of(model.HandSet) if set_.payload.position == "dealer"), None)
        revealed = next((shown for shown in round_.of(model.HandRevealed) if shown.payload.position == seat), None)
        settled = settled_before(round_, book, fact)
        if optional:
            observed = "surrendered with " + ", ".join(optional)
        elif not round_.order_seen:
            continue
        elif dealer_set is not None and fact.seq < dealer_set.seq:
            observed = "surrendered before the dealer's hands were set"
        elif isinstance(fact.payload, model.Surrendered) and _is_before_the_deal(round_, book, fact):
            observed = "surrendered before all hands were dealt"
        elif revealed is not None and revealed.seq < fact.seq:
            observed = "surrendered after the hands were revealed"
        elif settled is not None:
            observed = "surrendered after the wager was settled"
        else:
            continue
        yield Departure(
            "11(d)",
            expected="a surrender without optional wagers, between the dealer's setting and the reveal",
            observed=observed,
            evidence=[event for event in (fact, revealed, settled) if event is not None],
            seat=seat,
        )


def _is_before_the_deal(round_: Round, book: Rulebook, fact: RecordedEvent) -> bool:
    """Return whether something was done before the last hand was dealt."""
    dealt = last_hand_dealt(round_, book)
    return dealt is not None and fact.seq < dealt.seq


def _optional_wagers(round_: Round, book: Rulebook, seat: int) -> list[str]:
    """The wagers of a seat that rule out a surrender: all but the base wager and those on the dice."""
    over = {book.chapter.base, *(name for name, rule_ in book.chapter.wagers.items() if rule_.closes == "activation")}
    return [
        stake.wager
        for stake in stakes(round_, book).values()
        if stake.seat == seat and stake.wager not in over and stake.on_layout_cents > 0
    ]
