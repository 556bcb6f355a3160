"""The verdict on a round, or on one seat of it, and its reason: the sentence that page, packet and command all print. Pure.

Invariant: a sentence and its outcome come from one decision, so that nothing can be marked as right that the sentence
does not call right. Money is claimed only if a finding claims it, and not as certain if the finding names another reading.
An UNDETERMINED round is UNDETERMINED at each of its seats.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final

import msgspec

from replay.findings import NOTHING_SETTLED, Verdict
from replay.narrative.findings import finding_title
from replay.narrative.names import amount, listed, readable, wager_name, wager_with_number

MEANING: Final[Mapping[Verdict, str]] = {
    "UPHELD": "the record shows nothing against the rules",
    "VARIANCE": "what was done is not what the rules say",
    "VOID": "the round was void, and nothing in it is against the rules for a void round",
    "UNDETERMINED": "evidence is missing or contradicts itself",
}
"""Every verdict, and what it says."""


MOST_DETAILS: Final = 2
"""Of more findings of money than these a sentence says what they come to, and not what each wager was due."""


MOST_DUES: Final = 6
"""Of more wagers than these a sentence says what each seat is due, and not each wager."""


class SentenceOutcome(StrEnum):
    """The outcome of a sentence. Only `AS_DUE` may be marked as right."""

    UNDERPAID = "underpaid"
    OVERPAID = "overpaid"
    AS_DUE = "as_due"
    NOT_CONDUCTED = "not_conducted"
    """The money is as due, or none was at stake; the round was not conducted as the rules say."""
    UNDETERMINED = "undetermined"
    NOT_SETTLED = "not_settled"
    NO_WAGER = "no_wager"


class Settled(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of a settlement for a sentence: see `replay.findings.Settlement`."""

    seat: int
    wager: str
    number: int | None
    staked_cents: int
    due_cents: int | None
    done_cents: int | None
    cite: str


class VerdictFinding(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of a finding for a sentence: see `replay.findings.Finding`."""

    code: str
    seat: int | None
    wager: str | None
    expected: str
    observed: str
    difference_cents: int | None
    cite: str
    other_reading: str | None


class RoundVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """A verdict on a round, for sentences."""

    verdict: Verdict
    undetermined: tuple[str, ...]
    settlements: tuple[Settled, ...]
    findings: tuple[VerdictFinding, ...]

    @classmethod
    def of(cls, judged: Any) -> "RoundVerdict":
        """Return the verdict of an adjudication or a conclusion, or of a mapping with the same names (rows of the warehouse)."""
        return msgspec.convert(judged, cls, from_attributes=True)


class Narrative(msgspec.Struct, frozen=True):
    """The verdict of a round or seat in one sentence, and its outcome."""

    verdict: Verdict
    outcome: SentenceOutcome
    sentence: str

    @property
    def headline(self) -> str:
        """The sentence after its verdict; the sentence of an UNDETERMINED round already states it."""
        return self.sentence if self.verdict == "UNDETERMINED" else f"{self.verdict}: {self.sentence}"


def narrate(judged: RoundVerdict, seat: int | None = None, currency: str = "", *, settled: bool = False) -> Narrative:
    """Return the verdict on a round, or on one seat of it, in one sentence, with amounts in a currency (ISO 4217).

    `settled`: its money has been disposed of, so that none is owed.
    """
    money = [each for each in judged.findings if each.difference_cents and seat in (None, each.seat)]
    if judged.verdict == "UNDETERMINED" and judged.undetermined == (NOTHING_SETTLED,):
        due = _what_is_due([each for each in judged.settlements if seat in (None, each.seat)], seat, currency)
        return Narrative(judged.verdict, SentenceOutcome.NOT_SETTLED, f"UNDETERMINED because {NOTHING_SETTLED}; {due}.")
    if judged.verdict == "UNDETERMINED":
        sentences = f"UNDETERMINED {because(judged.undetermined)}. {what_to_do(judged.undetermined)}"
        return Narrative(judged.verdict, SentenceOutcome.UNDETERMINED, sentences)
    if money:
        return _with_money(judged, money, seat, currency, settled=settled)
    return _without_money(judged, seat)


def _what_is_due(of: Sequence[Settled], seat: int | None, currency: str) -> str:
    """Return the due of each wager if nothing else is on record; for more than `MOST_DUES` wagers, of each seat."""
    if not of:
        return f"nothing was at stake at seat {seat}"
    by_seat: dict[int, list[Settled]] = {}
    for each in of:
        by_seat.setdefault(each.seat, []).append(each)
    seats = []
    for place, lines in by_seat.items():
        dues = [f"{_net(each.due_cents, each.staked_cents, currency)} on the {_wager_of(each)}" for each in lines]
        if len(of) > MOST_DUES and len(dues) > 1:
            in_all = _net(sum(each.due_cents or 0 for each in lines), 1, currency)
            dues = [f"{in_all} in all on {len(lines)} wagers"]
        seats.append(f"seat {place} is due {listed(dues)}")
    return "; ".join(seats)


def _wager_of(each: Settled) -> str:
    return wager_with_number(each.wager, each.number)


def _wagers_of_seats(wagers: Iterable[tuple[int, str]]) -> str:
    by_seat: dict[int, dict[str, None]] = {}
    for seat, wager in wagers:
        by_seat.setdefault(seat, {})[wager] = None
    return listed(f"the {listed(names)} of seat {seat}" for seat, names in by_seat.items())


# ------------------------------------------------------------------------------------------------------ what is missing

_NUMBERS = re.compile(r"(?P<device>\S+): numbers? (?P<first>\d+)(?: to (?P<last>\d+))? never arrived")
_REFUSED = re.compile(r"a line was refused at intake \((?P<why>.+)\)", re.DOTALL)
_DUE = re.compile(r"seat (?P<seat>\d+) (?P<wager>\w+): what is due cannot be told \((?P<why>.+)\)", re.DOTALL)
_LOST = re.compile(r"(?P<line>.+): evidence was lost that may say otherwise", re.DOTALL)
_UNKNOWN_BEFORE = re.compile(
    r"(?P<line>.+): a message before this round that was lost, or came late, may say otherwise", re.DOTALL
)
_TWICE = re.compile(r"(?P<line>.+): a device said two things under one number", re.DOTALL)
_ORDER = re.compile(r"(?P<line>.+): not in the order of the devices' clocks", re.DOTALL)
_LATE = re.compile(r"(?P<line>.+): only the clock of a message that came late says so", re.DOTALL)
_CHANGED_LATE = re.compile(r"(?P<line>.+): (?P<which>event \d+ .+ came late), and may say otherwise", re.DOTALL)
_FINDING = re.compile(
    r"(?P<code>[A-Z]+-[A-Z-]+)(?: seat=(?P<seat>\d))?(?: wager=(?P<wager>\w+))?(?: (?P<sign>[+-])(?P<money>\d+\.\d\d))?"
)
"""A finding in one line, as `Finding.line` writes it."""
_WAGER = re.compile(r"(?P<seat>\bseat \d) (?P<wager>[a-z]+_[a-z_]+)\b")
_OPEN = "the round was not closed on record"
_EVIDENCE_LOST = "evidence of the round was lost"
"""Why it is not known what any wager of a round is due, where other reasons of the round say which evidence."""


def because(reasons: Sequence[str]) -> str:
    """Return why a round is UNDETERMINED, and which evidence is missing, from the reasons of an adjudication.

    >>> because(["fu-01-shoe: numbers 197 to 199 never arrived"])
    'because events of fu-01-shoe were lost; evidence missing: sequence numbers 197–199 of fu-01-shoe'
    >>> because(["seat 5 base: what is due cannot be told (the cards of seat 5 were not all read)"])
    'because what is due on the Base wager of seat 5 is not known; evidence missing: the cards of seat 5 were not all read'
    """
    causes: dict[str, None] = {}
    missing: dict[str, None] = {}
    due: list[tuple[int, str]] = []
    for reason in reasons:
        unknown = _DUE.fullmatch(reason)
        if unknown is not None and unknown["why"] == _EVIDENCE_LOST:
            continue
        if unknown is not None:
            due.append((int(unknown["seat"]), wager_name(unknown["wager"])))
            missing[unknown["why"]] = None
            continue
        cause, lacks = _cause(reason)
        causes[cause] = None
        missing |= dict.fromkeys(lacks)
    if due:
        causes[f"what is due on {_wagers_of_seats(due)} is not known"] = None
    missing = {each: None for each in missing if each not in causes}
    whole = "; ".join(causes) or "what is due is not known"
    reasons_in_words = f"because {whole}" + (f"; evidence missing: {'; '.join(missing)}" if missing else "")
    return readable(_WAGER.sub(lambda named: f"{named['seat']} {wager_name(named['wager'])}", reasons_in_words))


_TO_DO = (
    (re.compile(r"clocks? contradict|devices' clocks|only the clock of"),
     "See on the video what came first, decide by that, and set the clocks of the devices."),
    (_NUMBERS, "Have the device hand in the missing messages; if it lost them, decide by the video."),
    (_REFUSED, "Correct the refused line and hand it in again (`rack quarantine redrive`)."),
    (re.compile(r"the correction at event"),
     "Enter the correction again, with the number and the id of the event that it is about."),
    (re.compile(r"came late, and may say|came late: the rules"),
     "See on the video when what came late was done, and decide by that."),
    (re.compile(r"came where no round was open|names no round"), "Correct the number of the round in that event."),
    (re.compile(r"under one number|opened again"), "Find out which of the two reports is right, and correct the other."),
    (re.compile(_OPEN), "Report how the round ended; if nobody can, decide by the video."),
)  # fmt: skip
"""What a reason matches → what to do about it. Of evidence that was lost, the reason that says which tells it."""
_DECIDE = "Decide by the video, and correct what is on record."


def what_to_do(reasons: Sequence[str]) -> str:
    """Return what a shift manager should do about an UNDETERMINED round, a sentence for each kind of reason.

    >>> what_to_do(["the clocks contradict the order of the lock and the first card"])
    'See on the video what came first, decide by that, and set the clocks of the devices.'
    """
    kinds = {next((to_do for matches, to_do in _TO_DO if matches.search(reason)), _DECIDE) for reason in reasons}
    known = [to_do for _, to_do in _TO_DO if to_do in kinds]
    return " ".join(known or [_DECIDE])


_OF_WAGER = re.compile(r"seat (?P<seat>\d+) (?P<wager>\w+): (?P<why>.+)", re.DOTALL)


def doubts_about(seat: int, wager: str, reasons: Sequence[str], *, due_is_known: bool = False) -> list[str]:
    """Return why a wager is in doubt, from the reasons of an adjudication.

    The reason for an unknown due does not apply to a wager whose due is known: of two Match wagers at a seat, one may be known.

    >>> doubts_about(3, "base", ["seat 3 base: what is due cannot be told (the dealer's cards were not all read)"])
    ["the dealer's cards were not all read"]
    >>> doubts_about(3, "match", ["seat 3 match: what is due cannot be told (a die was not read)"], due_is_known=True)
    []
    """
    doubts: dict[str, None] = {}
    for reason in reasons:
        named = _OF_WAGER.fullmatch(reason)
        if named is not None and (int(named["seat"]), named["wager"]) == (seat, wager):
            unknown = _DUE.fullmatch(reason)
            if unknown is not None and due_is_known:
                continue
            doubts[unknown["why"] if unknown is not None else named["why"]] = None
    return list(doubts)


def _cause(reason: str) -> tuple[str, tuple[str, ...]]:
    """Return a reason as a cause, and the evidence that it names as missing."""
    if numbers := _NUMBERS.fullmatch(reason):
        first, last = numbers["first"], numbers["last"]
        lacks = f"sequence numbers {first}–{last}" if last else f"sequence number {first}"
        return f"events of {numbers['device']} were lost", (f"{lacks} of {numbers['device']}",)
    if refused := _REFUSED.fullmatch(reason):
        return f"intake refused a line ({refused['why']})", ("that line",)
    if reason == _OPEN:
        return "no event closes the round", ("the end of the round",)
    if changed := _CHANGED_LATE.fullmatch(reason):
        return f"{_found(changed['line'])} is not certain: {changed['which']}, and may contradict it", ()
    for pattern, why in (
        (_LOST, "evidence that was lost may contradict it"),
        (_UNKNOWN_BEFORE, "a message before the round that was lost, or came late, may contradict it"),
        (_TWICE, "a device reported two things under one sequence number"),
        (_ORDER, "it does not hold in the order of the device clocks"),
        (_LATE, "a message came late, and only its own clock says when it happened"),
    ):
        if doubted := pattern.fullmatch(reason):
            return f"{_found(doubted['line'])} is not certain: {why}", ()
    return reason.replace("the clocks contradict", "the device clocks contradict"), ()


def _found(line: str) -> str:
    """Return a finding's line in words; return any other line unchanged.

    >>> _found("PAY-UNDER seat=3 wager=base -25.00")
    '"Wager underpaid" (PAY-UNDER: the Base wager of seat 3, 25.00 too little)'
    """
    found = _FINDING.fullmatch(line)
    if found is None:
        return line
    where = [f"the {wager_name(found['wager'])}"] if found["wager"] else []
    where += [f"seat {found['seat']}"] if found["seat"] else []
    words = [" of ".join(where)] if where else []
    words += [f"{found['money']} too {'little' if found['sign'] == '-' else 'much'}"] if found["money"] else []
    about = f": {', '.join(words)}" if words else ""
    return f'"{finding_title(found["code"])}" ({found["code"]}{about})'


# ----------------------------------------------------------------------------------------------------------- with money


def _with_money(
    judged: RoundVerdict, money: Sequence[VerdictFinding], seat: int | None, currency: str, *, settled: bool
) -> Narrative:
    if len({each.seat for each in money}) == 1:
        seat = money[0].seat
    who, is_owed, was_paid = "The round's patrons", "were owed" if settled else "are owed", "were paid"
    if seat is not None:
        who, is_owed, was_paid = f"Seat {seat}", "was owed" if settled else "is owed", "was paid"
    short, over = _sides(money, by_seat=seat is None)
    sides = [
        (SentenceOutcome.UNDERPAID, short, f"{is_owed} {_sum(short, currency)}"),
        (SentenceOutcome.OVERPAID, over, f"{was_paid} {_sum(over, currency)} too much"),
    ]
    sides = sorted((side for side in sides if side[1]), key=lambda side: -abs(_cents(side[1])))  # the larger first
    if len(sides) > 1:
        claim = " and ".join(f"{words} ({_names(some, seat, currency)})" for _, some, words in sides)
        claim += "" if seat is None else f": {_in_all(_cents(money), currency)}"
    elif len(money) > MOST_DETAILS:
        claim = f"{sides[0][2]} ({_names(money, seat, currency)})"
    else:
        claim = f"{sides[0][2]}: {'; '.join(_detail(each, judged, seat, currency) for each in money)}"
    doubt = "; the finding names another reading of the text" if any(each.other_reading for each in money) else ""
    open_too = ""
    if judged.undetermined:
        open_too = f" In part undetermined {because(judged.undetermined)}. {what_to_do(judged.undetermined)}"
    return Narrative(judged.verdict, sides[0][0], f"{who} {claim}{doubt}.{open_too}")


def _sides(money: Sequence[VerdictFinding], *, by_seat: bool) -> tuple[list[VerdictFinding], list[VerdictFinding]]:
    """Return the findings in which patrons are short, and those in which they have too much.

    `by_seat`: a seat is on the side of its sum, as in an incident; otherwise, or if all sums are zero, each finding counts by
    itself.
    """
    sums: dict[int | None, int] = {}
    for each in money:
        sums[each.seat] = sums.get(each.seat, 0) + (each.difference_cents or 0)
    by_seat = by_seat and any(sums.values())
    side_of = [sums[each.seat] if by_seat else each.difference_cents or 0 for each in money]
    short = [each for each, cents in zip(money, side_of, strict=True) if cents < 0]
    return short, [each for each, cents in zip(money, side_of, strict=True) if cents > 0]


def _in_all(cents: int, currency: str) -> str:
    if not cents:
        return "nothing in all"
    return f"{amount(cents, currency)} too {'little' if cents < 0 else 'much'} in all"


def _cents(findings: Sequence[VerdictFinding]) -> int:
    return sum(each.difference_cents or 0 for each in findings)


def _sum(findings: Sequence[VerdictFinding], currency: str) -> str:
    """Return the sum of findings' differences, as a bound if one of them states a bound."""
    cents = amount(_cents(findings), currency)
    return f"at least {cents}" if any(is_bound(each.expected) for each in findings) else cents


def is_bound(expected: str) -> bool:
    """Return whether a finding states the most or the least that can be due, so that the difference is at least what it says.

    >>> is_bound("at most 10.00 paid"), is_bound("10.00 paid (win)")
    (True, False)
    """
    return expected.startswith(("at most ", "at least "))


def _names(findings: Sequence[VerdictFinding], seat: int | None, currency: str) -> str:
    """Return the wagers of findings; if there are many, the sum of each seat."""
    seats = sorted({each.seat for each in findings if each.seat is not None})
    if len(findings) <= MOST_DETAILS or len(seats) < 2:
        return ", ".join(_name(each, seat) for each in findings)
    sums = {place: _sum([each for each in findings if each.seat == place], currency) for place in seats}
    return listed(f"seat {place} {cents}" for place, cents in sums.items())


def _name(each: VerdictFinding, seat: int | None) -> str:
    what = wager_name(each.wager) if each.wager is not None else each.code
    return what if each.seat in (None, seat) else f"{what} of seat {each.seat}"


def _detail(found: VerdictFinding, judged: RoundVerdict, seat: int | None, currency: str) -> str:
    """Return the due and paid amount of a finding's wager; for a fee or commission, the expected and observed one."""
    for each in sorted(judged.settlements, key=lambda each: each.wager != found.wager):
        if (each.seat, _difference(each)) == (found.seat, found.difference_cents):
            due, done = (_net(cents, each.staked_cents, currency) for cents in (each.due_cents, each.done_cents))
            of = "" if found.seat == seat else f" of seat {each.seat}"
            return f"the {_wager_of(each)}{of} was due {due} and got {done} ({each.cite})"
    code = "" if found.wager is None else f" ({found.code})"
    expected, observed = readable(found.expected, currency), readable(found.observed, currency)
    return f"{_name(found, seat)}{code}: expected {expected}, observed {observed} ({found.cite})"


def _difference(each: Settled) -> int | None:
    return None if each.due_cents is None or each.done_cents is None else each.done_cents - each.due_cents


def _net(cents: int | None, staked_cents: int, currency: str) -> str:
    if cents is None:
        return "not known"
    if not cents:
        return "nothing beyond its stake" if staked_cents else "nothing"
    return f"a {'win' if cents > 0 else 'loss'} of {amount(cents, currency)}"


# -------------------------------------------------------------------------------------------------------- without money


def _without_money(judged: RoundVerdict, seat: int | None) -> Narrative:
    where = f"at seat {seat}" if seat is not None else "in this round"
    of = [each for each in judged.settlements if seat in (None, each.seat)]
    found = [each for each in judged.findings if not each.code.startswith("LOG-")]
    here = list(dict.fromkeys(each.code for each in found if seat is None or each.seat in (None, seat)))
    outcome, settled = _settlement(judged, of, where)
    if here:
        joined_by = ";"
        if outcome in (SentenceOutcome.AS_DUE, SentenceOutcome.NO_WAGER):
            outcome, joined_by = SentenceOutcome.NOT_CONDUCTED, ", but"
        settled += f"{joined_by} the round was not conducted as the rules say ({', '.join(here)})"
    elif others := sorted({each.seat for each in found if each.seat is not None and seat not in (None, each.seat)}):
        settled += f"; what was found is about seat {', '.join(map(str, others))}"
    elif judged.verdict == "VOID":
        settled = f"The round was voided, and {settled[0].lower()}{settled[1:]}"
    is_open = outcome is SentenceOutcome.UNDETERMINED and judged.undetermined
    to_do = f" {what_to_do(judged.undetermined)}" if is_open else ""
    return Narrative(judged.verdict, outcome, f"{settled}.{to_do}")


def _settlement(judged: RoundVerdict, of: Sequence[Settled], where: str) -> tuple[SentenceOutcome, str]:
    """Return how the wagers without a money finding were settled."""
    if any(each.due_cents is None for each in of) or (of and judged.undetermined):
        return (SentenceOutcome.UNDETERMINED, f"What is due {where} is in part undetermined {because(judged.undetermined)}")
    if not of:
        return SentenceOutcome.NO_WAGER, f"Nothing was at stake {where}"
    if unrecorded := [each for each in of if each.done_cents is None]:
        what = "they were"
        if len(unrecorded) < len(of):
            wagers = _wagers_of_seats((each.seat, _wager_of(each)) for each in unrecorded)
            what = f"{wagers} {'was' if len(unrecorded) == 1 else 'were'}"
        return SentenceOutcome.NOT_SETTLED, (
            f"What every wager {where} is due is known, but the record does not say how {what} settled"
        )
    return SentenceOutcome.AS_DUE, f"Every wager {where} was settled as the rules say"
