"""The wagers of a round: what lay at stake in time, and whether it could (58 Pa. Code §§ 688a.7, 688a.8(b))."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, takewhile
from typing import assert_never, get_args

import msgspec

from events.vocabulary import model
from games.rulebook.chapters import Closes
from games.rulebook.citation import Citation
from games.rulebook.money import show_money
from games.rulebook.rulebook import Rulebook
from games.settlement.bonus import qualifying_cents
from replay.findings import Finding
from replay.fold.table_fold import Round
from replay.fold.table_state import Fact, in_order
from replay.fold.wager_keys import Key, key_in
from replay.rules.rule import Doubt, finding, rule

IN_ONE_LINE = "whether it came before the additional cards is not on record"
ENVY_WAGERS = get_args(model.EnvyWager)
ENVY = {"fortune_bonus": "fortune_envy", "progressive": "progressive_envy"}
ENVY_OF = {envy: wager for wager, envy in ENVY.items()}
ENVY_SECTION = {"fortune_bonus": "11(h)(2)(ii)", "progressive": "12(d)"}


class Stake(msgspec.Struct):
    """One wager at one box: cents at stake in time, cents added or withdrawn too late, late cents given back, and the facts.

    `of`: by patron what was placed and neither withdrawn in time, nor refused, nor given back as late. `doubt`: why it cannot be
    told how much was at stake in time; else empty.
    """

    seat: int
    wager: str
    number: int | None
    bettor: str
    in_time_cents: int = 0
    late_cents: int = 0
    late_back_cents: int = 0
    of: dict[str, int] = {}
    doubt: str = ""
    facts: list[Fact] = []

    @property
    def on_layout_cents(self) -> int:
        """What lay on the layout in the end."""
        return self.in_time_cents + self.late_cents


def stakes(round_: Round, book: Rulebook) -> dict[Key, Stake]:
    """Return the wagers of the round by key, in the order placed.

    A wager moved after its time is over (see `closing`) is late; a late wager that was refused does not count, one returned
    as late is settled by that. A wager is of who placed it first of those whose wager lies there in the end.
    """
    if "stakes" in round_.memo:
        known: dict[Key, Stake] = round_.memo["stakes"]
        return known
    found: dict[Key, Stake] = {}
    rules = book.chapter.wagers
    no_more_bets = closing(round_, "activation" if bets_close_with_the_dice(round_, book) else "no_more_bets", 0)
    for type_, sign in ((model.WagerPlaced, 1), (model.WagerRemoved, -1)):
        for fact in round_.of(type_):
            event = fact.payload
            wager: str = event.wager
            key = key_in(event)
            stake = found.get(key)
            if stake is None:
                stake = found[key] = Stake(event.seat, wager, key[2], event.bettor)
            stake.facts.append(fact)
            rule_ = rules.get(wager)
            closed = None if rule_ is None else no_more_bets  # what the chapter does not know has no time (WAGER-LIMIT)
            closes = "no_more_bets" if rule_ is None or (sign < 0 and rule_.closes == "reveal") else rule_.closes
            if closes != "no_more_bets":
                closed = closing(round_, closes, event.seat)
            in_time = True if closed is None else round_.certainly_before(fact, closed)
            if in_time is False and closes == "further_cards" and _is_told_in_one(round_, closed):
                in_time, stake.doubt = None, IN_ONE_LINE
            cents = sign * event.amount_cents
            if in_time is False:
                stake.late_cents += cents
            else:
                stake.in_time_cents += cents
            if in_time is None and not stake.doubt:
                until = '"no more bets"' if rule_ is None or rule_.closes == "no_more_bets" else "the end of its time"
                stake.doubt = f"the clocks contradict the order of the wager and {until}"
            if sign > 0 or in_time is not False:
                stake.of[event.bettor] = stake.of.get(event.bettor, 0) + cents
    for fact in (*round_.of(model.WagerReturned), *round_.of(model.WagerRefused)):
        event = fact.payload
        stake = found.get(key_in(event))
        if stake is None or (isinstance(event, model.WagerRefused) and _refused_in_time(round_, book, stake, fact)):
            continue
        if event.reason in ("late", "refused") and stake.late_cents > 0:
            back = min(stake.late_cents, event.amount_cents)
            stake.late_cents -= back
            stake.late_back_cents += back if isinstance(event, model.WagerReturned) else 0
            stake.of[event.bettor] = stake.of.get(event.bettor, 0) - back
            stake.facts.append(fact)
    for stake in found.values():
        if len(stake.of) > 1:
            stake.bettor = next((bettor for bettor, cents in stake.of.items() if cents > 0), stake.bettor)
    round_.memo["stakes"] = found
    return found


def kept(stake: Stake) -> list[Fact]:
    """Return in order what was placed of a wager and not refused: a refusal takes back the last stacks, each whole."""
    left: list[Fact] = []
    for fact in in_order(stake.facts):
        match fact.payload:
            case model.WagerPlaced():
                left.append(fact)
            case model.WagerRefused(amount_cents=cents):
                while left and left[-1].payload.amount_cents <= cents:
                    cents -= left.pop().payload.amount_cents
    return left


def _is_told_in_one(round_: Round, closed: Fact | None) -> bool:
    """Whether a seat's first cards are told in one line, where the order of the deal is not on record (D327)."""
    if closed is None or round_.observes("deal"):
        return False
    return closed is next(fact for fact in round_.of(model.CardsDealt) if fact.payload.to == closed.payload.to)


def _refused_in_time(round_: Round, book: Rulebook, stake: Stake, refused: Fact) -> bool:
    """Say whether a refusal came before the end of the wager's time, and is of no late one (§ 688a.7(c)).

    It takes back what was placed last, if that is of its amount: in one stack or in several. What was withdrawn right before
    or after it is what was refused, and gone. Of another amount it may be a part of a stack, or chips that were never placed: how
    much is at stake cannot be told (D388).
    """
    event = refused.payload
    rule_ = book.chapter.wagers.get(stake.wager)
    closes = rule_.closes if rule_ is not None else "no_more_bets"
    with_dice = closes == "no_more_bets" and bets_close_with_the_dice(round_, book)
    closed = closing(round_, "activation" if with_dice else closes, stake.seat)
    if closed is not None and closed.seq < refused.seq:
        return False
    facts = in_order(stake.facts)
    before = [fact.payload for fact in facts if fact.seq < refused.seq]
    after = [fact.payload for fact in facts if fact.seq > refused.seq]
    stacks = takewhile(lambda each: isinstance(each, model.WagerPlaced), reversed(before))
    beside = [each for each in (*before[-1:], *after[:1]) if isinstance(each, model.WagerRemoved)]
    if event.amount_cents in [each.amount_cents for each in beside]:
        return True
    if event.amount_cents in accumulate(each.amount_cents for each in stacks):
        stake.in_time_cents -= event.amount_cents
        stake.of[event.bettor] = stake.of.get(event.bettor, 0) - event.amount_cents
        stake.facts.append(refused)
    else:
        stake.doubt = stake.doubt or f"{show_money(event.amount_cents)} was refused, which is not what was placed last"
    return True


def closing(round_: Round, closes: Closes, seat: int) -> Fact | None:
    """Return the fact that ended the time for a wager of this kind at a seat, or null where none is on record.

    "No more bets" is, where it was not said, the first card.
    """
    match closes:
        case "no_more_bets":
            return round_.first(model.NoMoreBets) or round_.first_card
        case "first_card":
            at_all = round_.first(model.CardsDealt)
            piled = at_all is not None and str(at_all.payload.to).startswith("pile")
            return at_all if piled else round_.first_card
        case "activation":
            began = (closing(round_, "no_more_bets", seat), shaker_used(round_))
            return min((fact for fact in began if fact is not None), key=lambda fact: fact.seq, default=None)
        case "further_cards":
            dealt = [fact for fact in round_.of(model.CardsDealt) if fact.payload.to == seat]
            at_once = [fact for fact in dealt[:1] if len(fact.payload.cards) > 1]
            return next(iter((*at_once, *dealt[1:])), None)
        case "reveal":
            return next((f for f in round_.of(model.HandRevealed) if f.payload.position == "dealer"), None)
        case _:
            assert_never(closes)


def shaker_used(round_: Round) -> Fact | None:
    """Return the fact that the shaker was activated or shaken, or at the latest that its dice were read; or null."""
    began = [round_.first(type_) for type_ in (model.ShakerActivated, model.ShakerShaken, model.DiceRolled)]
    return min((fact for fact in began if fact is not None), key=lambda fact: fact.seq, default=None)


_dice_close: dict[str, bool | None] = {}


def bets_close_with_the_dice(round_: Round, book: Rulebook) -> bool:
    """Say whether all wagers are placed before the shaker is used: where some are on the dice, or a player activates it.

    § 645c.2(f); without either the dice may come before "no more bets" (D28).
    """
    known = _dice_close.get(book.digest, False)
    if book.digest not in _dice_close:
        on_dice = [name for name, rule_ in book.chapter.wagers.items() if rule_.closes == "activation"]
        known = _dice_close[book.digest] = any(name in book.offers for name in on_dice) or (None if on_dice else False)
    return known if known is not None else round_.first(model.ShakerActivated) is not None


def late_section(book: Rulebook, wager: str) -> Citation:
    """Return the section by which a wager of this kind is late."""
    rule_ = book.chapter.wagers.get(wager)
    return rule_.closes_cite if rule_ is not None and rule_.closes_cite is not None else book.cite("7(c)")


def progressive_accepted(round_: Round, book: Rulebook) -> Sequence[Fact]:
    """Return the wagers that the progressive meter accepted: not the contributions to a Must-Hit-By meter."""
    accepted = round_.of(model.ProgressiveAccepted)
    if book.mystery_meter is None:
        return accepted
    return [fact for fact in accepted if fact.payload.meter != book.mystery_meter]


@rule("WAGER-LATE", on=("7(c)",))
def doubtful_wagers(round_: Round, book: Rulebook) -> Iterator[Finding | Doubt]:
    """Where two clocks contradict the order of a wager and "no more bets", lateness cannot be told.

    Late wagers themselves are found with their money, in `settlement.py`. Nor can a wager be told of which more was withdrawn
    than the record has placed, or of which something was refused that was not placed so (D388).
    """
    for stake in stakes(round_, book).values():
        if stake.on_layout_cents < 0:
            yield Doubt(f"seat {stake.seat} {stake.wager}: more was withdrawn than was placed, by the record")
        if stake.doubt:
            yield Doubt(f"seat {stake.seat} {stake.wager}: {stake.doubt}")


@rule("WAGER-BASE", on=("7(e)",))
def base_wager(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """An optional wager needs the base wager at the same box, placed in time (D113)."""
    if round_.lost:
        return
    base = book.chapter.base
    at_base = [stake for stake in stakes(round_, book).values() if stake.wager == base]
    based = {stake.seat for stake in at_base if stake.in_time_cents > 0}
    for stake in stakes(round_, book).values():
        needs = stake.wager not in (base, "backline")
        if needs and stake.on_layout_cents > 0 and stake.seat not in based:
            yield finding(
                round_, book, "WAGER-BASE", _limit_section(book, stake.wager),
                expected=f"{_a(base)} wager at the box of an optional wager", observed=f"{stake.wager} alone",
                evidence=stake.facts, seat=stake.seat, wager=stake.wager,
            )  # fmt: skip


def _a(wager: str) -> str:
    return f"an {wager}" if wager[0] in "aeiou" else f"a {wager}"


@rule("WAGER-LIMIT", on=("7(d)", "7(e)"))
def limits(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """Wagers are of those offered and within the filed limits; where one goes with another, of just that amount."""
    placed = stakes(round_, book)
    for stake in placed.values():
        if stake.in_time_cents <= 0 or stake.doubt:
            continue
        offer, cents = book.offers.get(stake.wager), stake.in_time_cents
        rule_ = book.chapter.wagers.get(stake.wager)
        if offer is None or rule_ is None:
            expected = "a wager that the rules submission offers"
        elif rule_.of is not None:
            other = placed.get((stake.seat, rule_.of, None, ""))
            must = rule_.times * other.in_time_cents if other is not None else 0
            if must in (0, cents):
                continue  # without the other wager at all it is the other's fault, or WAGER-BASE
            expected = f"{show_money(must)}, {rule_.times} times the {rule_.of} wager"
        elif not offer.min_cents <= cents <= offer.max_cents:
            expected = f"{show_money(offer.min_cents)} to {show_money(offer.max_cents)}"
        else:
            continue
        yield finding(
            round_, book, "WAGER-LIMIT", _limit_section(book, stake.wager), expected=expected,
            observed=f"{stake.wager} {show_money(cents)}", evidence=stake.facts, seat=stake.seat, wager=stake.wager,
        )  # fmt: skip


def _limit_section(book: Rulebook, wager: str) -> str:
    rule_ = book.chapter.wagers.get(wager)
    if rule_ is not None and (rule_.of is not None or book.chapter.assumed):
        return rule_.cite
    return "7(d)" if wager == book.chapter.base else "7(e)"


@rule("WAGER-FORM", on=("7(a)",))
def form(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """Wagers are value chips, plaques or approved instruments; verbal wagers with cash are not accepted."""
    for fact in round_.of(model.WagerPlaced):
        if fact.payload.form in ("cash", "verbal") and not _was_refused(
            stakes(round_, book)[key_in(fact.payload)], fact
        ):
            yield finding(
                round_, book, "WAGER-FORM", "7(a)", expected="chips, plaques or an approved instrument",
                observed=fact.payload.form, evidence=(fact,), seat=fact.payload.seat, wager=fact.payload.wager,
            )  # fmt: skip


def _was_refused(stake: Stake, placed: Fact) -> bool:
    """Say whether what came next of a wager that was placed is that so much was refused."""
    following = min((fact for fact in stake.facts if fact.seq > placed.seq), key=lambda fact: fact.seq, default=None)
    event = following.payload if following is not None else None
    return isinstance(event, model.WagerRefused) and event.amount_cents == placed.payload.amount_cents


@rule("WAGER-SEATED", on=("7(b)", "7(f)"))
def seated(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """Only seated players wager; a second, adjacent box only where the rules submission permits it.

    What was withdrawn in time or refused is no wager.
    """
    patrons, known = dict(round_.before.patrons), round_.before.patrons_known
    by_patron: dict[str, list[tuple[int, Fact]]] = {}
    placed = [
        fact for stake in stakes(round_, book).values() if stake.wager == book.chapter.base
        for fact in stake.facts if isinstance(fact.payload, model.WagerPlaced) and stake.of[fact.payload.bettor] > 0
    ]  # fmt: skip
    for fact in in_order([*round_.of(model.PatronSeated), *round_.of(model.PatronLeft), *placed]):
        event = fact.payload
        match event:
            case model.PatronSeated():
                patrons[event.seat], known = event.patron, True
            case model.PatronLeft():
                patrons.pop(event.seat, None)
            case _:
                boxes = by_patron.setdefault(event.bettor, [])
                if event.seat not in {seat for seat, _ in boxes}:
                    boxes.append((event.seat, fact))
                if known and book.has("7(b)") and not round_.lost and event.bettor not in patrons.values():
                    yield finding(
                        round_, book, "WAGER-SEATED", "7(b)", expected="the wager of a seated player",
                        observed=f"{event.bettor} is not seated", evidence=(fact,), seat=event.seat,
                    )  # fmt: skip
    most = int(book.settings.get("most_boxes", 2)) if book.adjacent_boxes else 1
    for patron, boxes in by_patron.items():
        if len(boxes) == 1:
            continue
        seats = sorted(seat for seat, _ in boxes)
        if len(seats) <= most and seats[-1] - seats[0] == len(seats) - 1:
            continue
        up_to = "two" if most == 2 else f"up to {most}"
        allowed = f"one box, or {up_to} adjacent ones" if book.adjacent_boxes else "one box"
        yield finding(
            round_, book, "WAGER-SEATED", "7(f)", expected=allowed,
            observed=f"{patron} wagered at " + ", ".join(f"seat {seat}" for seat in seats),
            evidence=[fact for _, fact in boxes], seat=boxes[-1][0],
        )  # fmt: skip


@rule("WAGER-SEATED", on=("7(b)",))
def one_player_a_box(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """A betting area is of one player: another who wagers there is not the one who is seated there (D319)."""
    boxes = {(fact.payload.seat, fact.payload.bettor) for fact in round_.of(model.WagerPlaced)}
    if len({seat for seat, _ in boxes}) == len(boxes):
        return
    lies: dict[int, dict[str, int]] = {}
    for type_, sign in ((model.WagerPlaced, 1), (model.WagerRemoved, -1), (model.WagerRefused, -1)):
        for fact in round_.of(type_):
            at_box = lies.setdefault(fact.payload.seat, {})
            at_box[fact.payload.bettor] = at_box.get(fact.payload.bettor, 0) + sign * fact.payload.amount_cents
    for seat, at_box in lies.items():
        first, *others = [bettor for bettor, cents in at_box.items() if cents > 0] or [""]
        if others:
            yield finding(
                round_, book, "WAGER-SEATED", "7(b)", expected=f"wagers of {first} only, whose box it is",
                observed=f"{', '.join(others)} wagered there too", seat=seat,
                evidence=[f for f in round_.of(model.WagerPlaced) if f.payload.seat == seat],
            )  # fmt: skip


@rule("WAGER-LAMMER", on=("8(b)(1)", "9(a)(3)(i)", "10(a)(2)(i)"))
def lammers(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """A qualifying wager gets an Envy lammer before the deal; another wager gets none."""
    if not round_.observes("envy") or round_.first_card is None:
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
            yield finding(
                round_, book, "WAGER-LAMMER", section, expected="an Envy lammer at the qualifying wager",
                observed="placed after the deal began" if (seat, wager) in placed else "none", evidence=stake.facts,
                seat=seat, wager=wager,
            )  # fmt: skip
    for (seat, wager), fact in placed.items():
        if (seat, wager) not in qualifying:
            yield finding(
                round_, book, "WAGER-LAMMER", section, expected="a lammer at a qualifying wager only",
                observed="a lammer without one", evidence=(fact,), seat=seat, wager=wager,
            )  # fmt: skip


PROGRESSIVE_SECTION = {"manual_shoe": "8(b)(2)", "hand": "9(a)(3)(ii)", "automated_shoe": "10(a)(2)(ii)"}


@rule("WAGER-PROGRESSIVE", on=("8(b)(2)", "9(a)(3)(ii)", "10(a)(2)(ii)"))
def progressive_count(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """The chips collected equal the progressive wagers that the system accepted, and those at the boxes."""
    section = PROGRESSIVE_SECTION[book.deal_method]
    if not round_.observes("progressive") or not book.has(section):
        return
    accepted = {fact.payload.seat for fact in progressive_accepted(round_, book)}
    at_boxes = {
        stake.seat
        for stake in stakes(round_, book).values()
        if stake.wager == "progressive" and stake.in_time_cents > 0
    }
    for fact in round_.of(model.ProgressiveLocked):
        event = fact.payload
        if not accepted and event.accepted == event.collected == len(at_boxes):
            continue  # a transcript's lock line alone: the count of the system is on record, its single wagers are not
        if event.accepted != event.collected or event.accepted != len(accepted) or accepted != at_boxes:
            yield finding(
                round_, book, "WAGER-PROGRESSIVE", section,
                expected=f"as many chips as wagers accepted ({len(accepted)} accepted, {len(at_boxes)} at the boxes)",
                observed=f"{event.collected} chips collected, the system shows {event.accepted}",
                evidence=(fact, *progressive_accepted(round_, book)), wager="progressive",
            )  # fmt: skip


@rule("WAGER-LOCKOUT", on=("2(d)(2)", "8(b)(2)"))
def lockout(round_: Round, book: Rulebook) -> Iterator[Finding | Doubt]:
    """Before the deal the system locks progressive wagers out, and accepts none afterwards."""
    locked, first = round_.first(model.ProgressiveLocked), round_.first_card
    if not round_.observes("progressive") or not book.has(PROGRESSIVE_SECTION[book.deal_method]):
        return
    accepted = progressive_accepted(round_, book)
    if accepted and first is not None and (locked is None or locked.seq > first.seq):
        if locked is not None and not round_.certainly_before(first, locked):
            yield Doubt("the clocks contradict the order of the lock and the first card")
            return
        yield finding(
            round_, book, "WAGER-LOCKOUT", "8(b)(2)", expected="progressive wagers locked out before the deal",
            observed="locked after the first card" if locked else "not locked",
            evidence=(first, *((locked,) if locked else ())),
        )  # fmt: skip
        return
    for fact in accepted:
        if locked is not None and fact.seq > locked.seq:
            if not round_.certainly_before(locked, fact):
                yield Doubt(
                    f"seat {fact.payload.seat}: the clocks contradict the order of the lock and a wager accepted"
                )
                continue
            yield finding(
                round_, book, "WAGER-LOCKOUT", "2(d)(2)", expected="no progressive wager accepted after the lock",
                observed=f"{show_money(fact.payload.amount_cents)} accepted", evidence=(locked, fact),
                seat=fact.payload.seat,
            )  # fmt: skip
