"""Other readings of ambiguous texts, named with their dues in every finding that depends on one (D750).

Invariant: another reading is the same round settled again with changed rules or facts; no amount is computed here. A filed
setting leaves no other reading. Readings of a game's text without a setting are in its record (`GameTerms.other_readings`).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import msgspec

from events.vocabulary import model
from replay.findings import Finding, Settlement
from replay.fold.derived import derived_by_rules
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.fold.wager_keys import key_in
from replay.settlement.game_terms import OtherReading, terms_of
from replay.settlement.hand_readings import dealer_position
from replay.settlement.settlement import settlements, ways_left_open
from replay.settlement.stakes import stakes
from replay.settlement.table_layout import abandoned_wagers
from rulebook.catalogue import GAMES
from rulebook.chapters.money import show_money
from rulebook.chapters.rulebook import PayLine, Rulebook

MOST_WAYS: Final = 400
"""Where the record can be read in more ways than these, it is not settled by each other reading of the text, too (D782)."""

TOO_OPEN: Final = "what other readings of the text make due was not worked out: the record leaves too much open"

Changed = tuple[Round, Rulebook]
Change = Callable[[Round, Rulebook, int], Changed | None]


def with_other_readings(found: Sequence[Finding], round_: Round, book: Rulebook) -> list[Finding]:
    """Return the findings of a round, each with the other readings that it depends on and their dues."""
    if not any(finding.seat is not None for finding in found):
        return list(found)
    readings = other_readings(book)
    if ways_left_open(round_, book) > MOST_WAYS:
        return [_unread(finding) if finding.seat is not None and finding.difference_cents else finding for finding in found]
    codes = {seat: frozenset(each.code for each in found if each.seat == seat) for seat in {each.seat for each in found}}
    return [_with_its_readings(finding, round_, book, readings, codes[finding.seat]) for finding in found]


def _unread(finding: Finding) -> Finding:
    words = [finding.other_reading] if finding.other_reading else []
    return msgspec.structs.replace(finding, other_reading="; ".join([*words, TOO_OPEN]))


def other_readings(book: Rulebook) -> list[OtherReading]:
    """Return the other readings that rules leave open: of settings not filed, of the game's text, of shared rules."""
    of_settings = [
        OtherReading(decision=rule.decision, section=rule.cite, says=says, change=_filed_as(name, value))
        for name, rule in book.chapter.settings.items()
        if rule.cite is not None and not book.files(name)
        for value, says in rule.readings.items()
    ]
    shared = [reading for reading in SHARED if not reading.section or book.has(reading.section)]
    return [*of_settings, *terms_of(book.game).other_readings, *shared]


def _with_its_readings(
    finding: Finding, round_: Round, book: Rulebook, readings: Iterable[OtherReading], at_seat: frozenset[str]
) -> Finding:
    """Return a finding with the readings that it depends on; `at_seat` are the codes of all findings at its seat."""
    words = [finding.other_reading] if finding.other_reading else []
    for reading in readings:
        named = finding.code in reading.codes
        of_money = finding.difference_cents and (reading.of_money or reading.codes & at_seat)
        if finding.seat is None or not (named or of_money):
            continue
        changed = reading.change(round_, book, finding.seat)
        if changed is None:
            continue
        money = list(_money(finding, book, settlements(round_, book), settlements(*changed)))
        if named or money:
            cite = book.cite(reading.section) if reading.section else finding.cite
            says = reading.says.format(cite=cite)
            words.append(f"{reading.decision}: {says}; so read, {'; '.join(money) or 'the same is due'}")
    return msgspec.structs.replace(finding, other_reading="; ".join(words)) if words else finding


def _money(finding: Finding, book: Rulebook, followed: Iterable[Settlement], other: Iterable[Settlement]) -> Iterator[str]:
    """Yield in words the due by another reading, if it differs: of a finding's wager, or of its seat if it names none."""
    due_by_other = {key_in(each): each.due_cents for each in other}
    for each in followed:
        if each.seat != finding.seat or finding.wager not in (None, each.wager):
            continue
        due = due_by_other.get(key_in(each), 0)
        if due != each.due_cents:
            wager = f"the {GAMES[book.game].wagers.get(each.wager, each.wager)} of seat {each.seat}"
            if due is None:
                yield f"what {wager} is due cannot be told"
            else:
                yield f"{wager} {_ends(due, each.staked_cents)}{_left(due, each.done_cents)}"


def _ends(due_cents: int, staked_cents: int) -> str:
    if not due_cents:
        return "neither wins nor loses" if staked_cents else "is due nothing"
    return f"{'wins' if due_cents > 0 else 'loses'} {show_money(abs(due_cents))}"


def _left(due_cents: int, done_cents: int | None) -> str:
    """Return in words the error that remains by another reading."""
    if done_cents is None:
        return ""
    difference = done_cents - due_cents
    if not difference:
        return ", as was done"
    return f", and the patron has {show_money(abs(difference))} too {'much' if difference > 0 else 'little'}"


# --------------------------------------------------------------------------------------- the readings that games share


def _filed_as(setting: str, value: bool | str) -> Change:
    """Return a change that gives a setting another value."""

    made: list[tuple[Changed, Changed]] = []  # the same for all seats, so that it is settled once

    def change(round_: Round, book: Rulebook, seat: int) -> Changed | None:
        if not made or made[-1][0] != (round_, book):
            made[:] = [((round_, book), (round_.reading({}), book.with_setting(setting, value)))]
        return made[-1][1]

    return change


def _as_first_set(round_: Round, book: Rulebook, seat: int) -> Changed | None:
    """A player's hands count as they were first set, whatever was done with them after (D249)."""
    made = [fact for fact in round_.in_order(model.HandSet, model.HandReset) if fact.payload.position == seat]
    if len(made) < 2 or seat == dealer_position(round_):
        return None
    return round_.reading({}, made[1:]), book


def _no_surrender(round_: Round, book: Rulebook, seat: int) -> Changed | None:
    """The player did not surrender: the hand is compared (D111)."""
    facts = [_not_surrendered(fact, seat) for fact in round_.facts]
    kept = [fact for fact in facts if fact is not None]
    return (round_.made_of(kept), book) if kept != round_.facts else None


def _not_surrendered(fact: RecordedEvent, seat: int) -> RecordedEvent | None:
    event = fact.payload
    if isinstance(event, model.Surrendered) and event.seat == seat:
        return None
    if isinstance(event, model.WagerTaken) and (event.seat, event.reason) == (seat, "surrendered"):
        return msgspec.structs.replace(fact, payload=msgspec.structs.replace(event, reason="lost"))
    return fact


def _no_surrender_of_player(round_: Round, book: Rulebook, seat: int) -> Changed | None:
    """A player who placed an optional wager at either of two boxes may surrender neither (D11)."""
    at_table = [stake for stake in stakes(round_, book).values() if stake.in_time_cents > 0]
    players = {stake.bettor for stake in at_table if stake.seat == seat and stake.wager == book.chapter.base}
    rules = book.chapter.wagers
    optional = {
        stake.seat
        for stake in at_table
        if stake.bettor in players
        and stake.wager != book.chapter.base
        and stake.wager in rules
        and rules[stake.wager].closes != "activation"
    }
    return _no_surrender(round_, book, seat) if optional - {seat} and seat not in optional else None


def _within_limits(round_: Round, book: Rulebook, seat: int) -> Changed | None:
    """Return the round as if the part of a wager above its limit, and the whole of a wager below it, were returned (D752)."""
    facts = list(round_.facts)
    for stake in stakes(round_, book).values():
        offer = book.offers.get(stake.wager)
        if stake.seat != seat or offer is None or stake.in_time_cents <= 0:
            continue
        if offer.min_cents <= stake.in_time_cents <= offer.max_cents:
            continue
        most = offer.max_cents if stake.in_time_cents > offer.max_cents else 0
        facts = [fact for each in facts if (fact := _of_at_most(each, stake.facts, most)) is not None]
    return (round_.made_of(facts), book) if facts != round_.facts else None


def _as_much_as_it_follows(round_: Round, book: Rulebook, seat: int) -> Changed | None:
    """Of a wager whose amount follows from another so much counts as that asks for, of one that is less nothing (D752)."""
    facts, placed = list(round_.facts), stakes(round_, book)
    for stake in placed.values():
        rule = book.chapter.wagers.get(stake.wager)
        other = placed.get((seat, rule.of, None, "")) if rule is not None and rule.of is not None else None
        if stake.seat != seat or rule is None or other is None or stake.in_time_cents <= 0:
            continue
        must = rule.times * other.in_time_cents
        if must > 0 and must != stake.in_time_cents:  # less than nothing: more was withdrawn than is on record as placed
            most = must if stake.in_time_cents > must else 0
            facts = [fact for each in facts if (fact := _of_at_most(each, stake.facts, most)) is not None]
    return (round_.made_of(facts), book) if facts != round_.facts else None


def _played_out(round_: Round, book: Rulebook, seat: int) -> Changed | None:
    """A player who elected too late to void the hand plays it out (D1227)."""
    facts = [
        msgspec.structs.replace(fact, payload=msgspec.structs.replace(fact.payload, election="play"))
        if isinstance(fact.payload, model.HandElected) and (fact.payload.seat, fact.payload.election) == (seat, "void")
        else fact
        for fact in round_.facts
    ]
    return (round_.made_of(facts), book) if facts != round_.facts else None


def _abandoned_is_lost(round_: Round, book: Rulebook, seat: int) -> Changed | None:
    """A base wager that was collected as abandoned is lost as a surrendered one is, whatever the dealer has (D1228)."""
    base = book.chapter.base
    if base not in abandoned_wagers(round_).get(seat, ()):
        return None
    facts = [
        msgspec.structs.replace(fact, payload=msgspec.structs.replace(fact.payload, reason="surrendered"))
        if isinstance(fact.payload, model.WagerTaken)
        and (fact.payload.seat, fact.payload.wager, fact.payload.reason) == (seat, base, "abandoned")
        else fact
        for fact in round_.facts
        if not (isinstance(fact.payload, model.WagerAbandoned) and fact.payload.seat == seat)
    ]
    return round_.made_of(facts), book


def _settled_stays(round_: Round, book: Rulebook, seat: int) -> Changed | None:
    """A wager that was settled before the round was declared void stays settled (D1229)."""
    return _leaving_what_was_settled(round_, book) if round_.voided is not None else None


@derived_by_rules
def _leaving_what_was_settled(round_: Round, book: Rulebook) -> Changed:
    """Return the round with rules that keep settlements made before a void in force, for every seat."""
    rules = book.chapter.wagers.items()
    wagers = {name: msgspec.structs.replace(rule, stands=(*rule.stands, "settled")) for name, rule in rules}
    chapter = msgspec.structs.replace(book.chapter, wagers=wagers)
    return round_.reading({}), msgspec.structs.replace(book, chapter=chapter)


def _without_optional_wagers(round_: Round, book: Rulebook, seat: int) -> Changed | None:
    """The wagers on the cards at a box without a base wager do not count (D114)."""
    known = book.chapter.wagers
    on_cards = {name for name, rule in known.items() if name != book.chapter.base and rule.closes != "activation"}
    facts = [
        msgspec.structs.replace(fact, payload=msgspec.structs.replace(fact.payload, amount_cents=0))
        if isinstance(fact.payload, model.WagerPlaced) and fact.payload.seat == seat and fact.payload.wager in on_cards
        else fact
        for fact in round_.facts
    ]
    return (round_.made_of(facts), book) if facts != round_.facts else None


def _of_at_most(fact: RecordedEvent, of_stake: Sequence[RecordedEvent], most_cents: int) -> RecordedEvent | None:
    """Limit a stake to `most_cents`: its first placing gets it, its other events become None; other events stay."""
    if fact not in of_stake:
        return fact
    first = next((each for each in of_stake if isinstance(each.payload, model.WagerPlaced)), None)
    if fact is not first or not most_cents:
        return None
    return msgspec.structs.replace(fact, payload=msgspec.structs.replace(fact.payload, amount_cents=most_cents))


def _best_paid_progressive(round_: Round, book: Rulebook, seat: int) -> Changed | None:
    """The Progressive pays the best of the lines that the hand makes, not the first printed (D751)."""
    offer = book.offers.get("progressive")
    paytable = offer.paytable if offer is not None else None
    won = {each.line for each in settlements(round_, book) if (each.seat, each.wager) == (seat, "progressive")}
    if paytable is None or paytable.picks != "first_printed" or won.isdisjoint(line.hand for line in paytable.lines):
        return None
    alone = [(round_.reading({}), _paying_only(book, line)) for line in paytable.lines]
    return max(alone, key=lambda changed: _due_of_progressive(settlements(*changed), seat))


def _paying_only(book: Rulebook, line: PayLine) -> Rulebook:
    offer = book.offers["progressive"]
    assert offer.paytable is not None, "a progressive has a paytable"
    paytable = msgspec.structs.replace(offer.paytable, lines=(line,))
    offers = {**book.offers, "progressive": msgspec.structs.replace(offer, paytable=paytable)}
    return msgspec.structs.replace(book, offers=offers)


def _due_of_progressive(settled: Iterable[Settlement], seat: int) -> int:
    dues = [each.due_cents for each in settled if (each.seat, each.wager) == (seat, "progressive")]
    return max((cents for cents in dues if cents is not None), default=0)


SHARED: Final = (
    OtherReading(
        decision="D11",
        section="11(d)",
        says="a surrender goes by the wagers of its box; {cite} can as well be read of the player, so that an optional wager "
        "at the player's other box rules it out",
        change=_no_surrender_of_player,
    ),
    OtherReading(
        decision="D111",
        section="",
        says="a surrender against the rules counts; {cite} can as well be read to make it none, so that the hand is compared",
        change=_no_surrender,
        codes=frozenset({"WAGER-SURRENDER"}),
        of_money=False,
    ),
    OtherReading(
        decision="D114",
        section="7(e)",
        says="a wager without a base wager is settled as placed; by {cite} it can as well be read to be none, and goes back",
        change=_without_optional_wagers,
        codes=frozenset({"WAGER-BASE"}),
        of_money=False,
    ),
    OtherReading(
        decision="D249",
        section="11(b)(3)",
        says="the hands as first set are compared, because by {cite} they may not be changed",
        change=_as_first_set,
        codes=frozenset({"SET-CHANGED"}),
    ),
    OtherReading(
        decision="D751",
        section="12(d)",
        says="of the lines that a hand makes the first printed is paid; {cite} can as well be read to pay the best, as the "
        "Fortune Bonus does (D15)",
        change=_best_paid_progressive,
    ),
    OtherReading(
        decision="D752",
        section="7(d)",
        says="a wager that lay there in time counts whole; {cite} can as well be read to let it count within its limits "
        "alone, so that what is above goes back, and all of one below",
        change=_within_limits,
        codes=frozenset({"WAGER-LIMIT"}),
    ),
    OtherReading(
        decision="D752",
        section="",
        says="a wager that lay there in time counts whole; {cite} can as well be read to let so much of it count as it asks "
        "for, so that the rest goes back, and all of one that is less",
        change=_as_much_as_it_follows,
        codes=frozenset({"WAGER-LIMIT"}),
    ),
    OtherReading(
        decision="D1227",
        section="13(d)",
        says="an election to void the hand counts though it came too late; {cite} can as well be read to leave none, so that "
        "the hand is played out",
        change=_played_out,
        codes=frozenset({"DEAL-ELECTION"}),
        of_money=False,
    ),
    OtherReading(
        decision="D1228",
        section="7(b)",
        says="the dealer's hand that pushes all base wagers pushes an abandoned one, too; {cite} can as well be read to treat "
        "it as losing all the same",
        change=_abandoned_is_lost,
    ),
    OtherReading(
        decision="D1229",
        section="",
        says="a void gives back a wager on the cards that was settled before, too; {cite} can as well be read to give back what "
        "is not settled yet",
        change=_settled_stays,
    ),
)
