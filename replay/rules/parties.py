"""Who pays, who owns each wager, how much of it was accepted and documented, and who plays on.

58 Pa. Code §§ 688a.7(b), 688a.8(b)(2), 688a.11(f)(3), (h)(3)(i)(B)(4); Annex A, §§ 686a.6(e), 686a.7(g);
GEGR-002138, Type of game.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from operator import attrgetter

from events.vocabulary import model
from replay.fold.derived import derived
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.rules.rule import EVERY_CHAPTER, Departure, rule
from replay.rules.wagering import PROGRESSIVE_SECTION
from replay.settlement.stakes import progressive_accepted, stakes
from replay.settlement.table_layout import abandoned_wagers
from rulebook.chapters.money import show_money
from rulebook.chapters.rulebook import Rulebook

TYPE_OF_GAME = "gegr-002138.Type of game"
DOCUMENTED = "11(h)(3)(i)(B)(4)"


@rule("PAY-SOURCE", on=EVERY_CHAPTER)
def paid_by(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """In California the player-dealer pays all winning wagers and the house none; elsewhere no one but the house pays."""
    by_player_dealer = book.has(TYPE_OF_GAME)
    for fact in round_.of(model.WagerPaid):
        event = fact.payload
        if event.winnings_cents and (event.source == "player_dealer") != by_player_dealer:
            yield Departure(
                TYPE_OF_GAME if by_player_dealer else "11(f)",
                expected="winnings paid by the player-dealer" if by_player_dealer else "winnings paid by the dealer",
                observed=f"{show_money(event.winnings_cents)} paid by "
                + ("a player-dealer" if not by_player_dealer else "slip" if event.source == "slip" else "the house"),
                evidence=(fact,),
                seat=event.seat,
                wager=event.wager,
            )


@rule("PAY-DOCUMENTED", on=("11(h)(3)(i)(B)(4)",))
def documented_as_paid(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """The document of a payout states the amount paid by slip (§ 688a.11(h)(3)(i)(B)(4))."""
    for key in dict.fromkeys((f.payload.seat, f.payload.wager) for f in round_.of(model.PayoutDocumented)):
        if key[1] != "progressive":
            continue  # the section speaks of progressive payouts
        documents = [f for f in round_.of(model.PayoutDocumented) if (f.payload.seat, f.payload.wager) == key]
        slips = [f for f in round_.of(model.WagerPaid) if (f.payload.seat, f.payload.wager) == key and f.payload.source == "slip"]
        paid_cents = sum(fact.payload.winnings_cents for fact in slips)
        cents = {fact.payload.amount_cents for fact in documents} | {sum(f.payload.amount_cents for f in documents)}
        if slips and paid_cents not in cents:
            yield Departure(
                DOCUMENTED,
                expected=f"a document of {show_money(paid_cents)}",
                observed=f"a document of {show_money(documents[-1].payload.amount_cents)}",
                evidence=(*slips, *documents),
                seat=key[0],
                wager=key[1],
            )


@rule("WAGER-BASE", on=("686a.6(e)", "686a.7(g)"))
def own_ante(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """A Bonus Wager, an over or an under belongs to a player who placed an ante at that hand (§§ 686a.6(e), 686a.7(g))."""
    if round_.lost:
        return
    placed, base = stakes(round_, book), book.chapter.base
    antes = {stake.seat: stake for stake in placed.values() if stake.wager == base and stake.in_time_cents > 0}
    for stake in placed.values():
        ante = antes.get(stake.seat)
        if ante is None or stake.wager == base or stake.on_layout_cents <= 0:
            continue  # without any ante it is found in `wagering.py`
        players = {patron for patron, cents in ante.cents_by_patron.items() if cents > 0}
        others = [patron for patron, cents in stake.cents_by_patron.items() if cents > 0 and patron not in players]
        if others:
            yield Departure(
                "686a.6(e)" if stake.wager == "bonus" else "686a.7(g)",
                expected=f"{stake.wager} of a player with an ante at the hand",
                observed=f"{stake.wager} of another",
                evidence=(*ante.facts, *(fact for fact in stake.facts if fact.payload.bettor in others)),
                seat=stake.seat,
                wager=stake.wager,
            )


PLAYING = (model.HandExamined, model.HandSet, model.DecisionMade, model.Surrendered, model.HandElected)


@rule("WAGER-SEATED", on=("7(b)",))
def stays_seated(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """A patron who wagered and got cards stays seated to the end of the round: one who left does not play on (§ 688a.7(b)).

    A patron whose wagers are taken as abandoned does not play on, no matter who sets the hands. A patron who left before the
    cards and let a wager lie does not play on either (D549).
    """
    first, seen, abandoned = round_.first_card, set[int](), abandoned_wagers(round_)
    at_boxes = {
        (stake.seat, patron)
        for stake in stakes(round_, book).values()
        for patron, cents in stake.cents_by_patron.items()
        if cents > 0
    }
    for left in round_.of(model.PatronLeft):
        seat = left.payload.seat
        is_playing = (seat, left.payload.patron) in at_boxes
        if first is None or not is_playing or seat in seen or seat in abandoned:
            continue
        since = max(left.seq, first.seq)
        back = _next(_seated(round_).get(seat, ()), left.seq)
        act = _next(_acts(round_).get(seat, ()), since)
        if act is not None and (back is None or act.seq < back.seq):
            seen.add(seat)
            yield Departure(
                "7(b)",
                expected="the player seated until the round is over",
                observed="left, and played on",
                evidence=(left, act),
                seat=seat,
            )


def _next(facts: Sequence[RecordedEvent], seq: int) -> RecordedEvent | None:
    """Return the first of some facts, which are in order, after a number."""
    at = bisect_right(facts, seq, key=attrgetter("seq"))
    return facts[at] if at < len(facts) else None


@derived
def _seated(round_: Round) -> dict[int, list[RecordedEvent]]:
    """Return when patrons sat down, in order, by seat."""
    found: defaultdict[int, list[RecordedEvent]] = defaultdict(list)
    for fact in round_.in_order(model.PatronSeated):
        found[fact.payload.seat].append(fact)
    return dict(found)


@derived
def _acts(round_: Round) -> dict[int, list[RecordedEvent]]:
    """Return what players did, in order, by seat: looked, set the hands, decided, elected, surrendered, wagered."""
    found: defaultdict[int, list[RecordedEvent]] = defaultdict(list)
    for fact in round_.in_order(*PLAYING, model.WagerPlaced):
        event = fact.payload
        if not isinstance(event, model.HandSet):
            found[event.seat].append(fact)
        elif event.by == "player" and event.position != "dealer":
            found[event.position].append(fact)
    return dict(found)


OFFERED = "687a.7(d)(2)"
"""What 687a says of progressive wagers at a table with an automated shoe; .8(c) and .9(b) are of other ways of dealing."""


@rule("WAGER-PROGRESSIVE", on=("8(b)(2)", "9(a)(3)(ii)", "10(a)(2)(ii)", OFFERED))
def accepted_as_placed(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """The system accepts each progressive wager for what it is; if it counts wagers, it has each of them (§ 688a.8(b)(2)).

    That no single wager is on record says something only if the meter's readings were on record before (D527). If no lock is
    asked for, the seats with such wagers are compared too (D509).
    """
    section = PROGRESSIVE_SECTION[book.deal_method]
    section = section if book.has(section) else OFFERED
    if not round_.covers("progressive") or not book.has(section):
        return
    placed = {stake.seat: stake for stake in stakes(round_, book).values() if stake.wager == "progressive"}
    accepted = progressive_accepted(round_, book)
    seats = {fact.payload.seat for fact in accepted}
    if section == OFFERED and accepted and round_.covers("wagering"):
        seats |= placed.keys()
    for seat in sorted(seats):
        stake, facts = placed.get(seat), [fact for fact in accepted if fact.payload.seat == seat]
        cents = sum(fact.payload.amount_cents for fact in facts)
        if stake is not None and not stake.doubt and cents != stake.in_time_cents:
            yield Departure(
                section,
                expected=f"{show_money(stake.in_time_cents)} accepted, as placed",
                observed=f"{show_money(cents)} accepted",
                evidence=(*stake.facts, *facts),
                seat=seat,
                wager="progressive",
            )
    locked = round_.first(model.ProgressiveLocked)
    if locked is not None and locked.payload.accepted and not accepted and book.meter in round_.before.readings:
        yield Departure(
            section,
            expected=f"{locked.payload.accepted} wagers accepted, as the system counts",
            observed="none on record",
            evidence=(locked,),
            wager="progressive",
        )


@rule("WAGER-LOCKOUT", on=("8(b)(2)", "9(a)(3)(ii)", "10(a)(2)(ii)"))
def locked_where_offered(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """If the progressive is offered, the system locks it out before the deal, whether or not anyone plays it.

    Not in 687a, where the game is started on the keypad if a player placed one (§ 687a.8(c)). If wagers were accepted,
    `wagering.py` finds it.
    """
    section, first = PROGRESSIVE_SECTION[book.deal_method], round_.first_card
    if "progressive" not in book.offers or not book.has(section) or first is None or book.has(OFFERED):
        return
    locked = round_.first(model.ProgressiveLocked)
    whole = round_.covers("progressive") and round_.covers("wagering") and round_.covers("deal")
    if whole and (locked is None or locked.seq > first.seq) and not progressive_accepted(round_, book):
        yield Departure(
            section,
            expected="progressive wagers locked out before the deal",
            observed="locked after the first card" if locked else "not locked",
            evidence=(first, *((locked,) if locked else ())),
        )


@rule("WAGER-LOCKOUT", on=("687a.7(c)", "645c.3(c)(3)"))
def accepted_before_the_deal(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """If no lock is asked for, no progressive wager and no contribution to a bonus is accepted after the deal has begun.

    That is with an automated shoe in 687a, and of the Must-Hit-By bonus, whose order of contributions says who wins it.
    """
    first = round_.first_card
    if first is None or not (round_.covers("progressive") or round_.covers("mystery")):
        return
    if book.mystery_meter is not None:
        section, facts = "645c.3(c)(3)", round_.of(model.ProgressiveAccepted)
        facts = [fact for fact in facts if fact.payload.meter == book.mystery_meter]
    else:
        section, facts = "687a.7(c)", progressive_accepted(round_, book)
    if book.has(PROGRESSIVE_SECTION[book.deal_method]) and book.mystery_meter is None:
        return
    for fact in facts:
        if fact.seq > first.seq and round_.certainly_before(first, fact):
            yield Departure(
                section,
                expected="no progressive wager accepted after the first card",
                observed=f"{show_money(fact.payload.amount_cents)} accepted",
                evidence=(first, fact),
                seat=fact.payload.seat,
            )
