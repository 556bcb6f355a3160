"""One rule, one function, one citation: what a rule is, the register of codes, and what rules yield.

A rule takes a `Round` and its `Rulebook` and yields a `Departure` for each fault, or an `Indeterminate` if the evidence
contradicts itself and nothing can be said (D26). Rules are pure; `adjudicate` runs all rules of the round's game, in the order of
`order.py`: a rule that is not listed there is never run.
"""

import re
from collections.abc import Callable, Iterable, Iterator

import msgspec

from events.vocabulary.model import Event
from replay.findings import Finding, Severity, finding_id
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from rulebook.chapters.rulebook import Chapter, Rulebook

EVERY_CHAPTER = ("*",)
"""A rule that is on the log's own contract, or on what the game's module cites, holds in every chapter."""

SEVERITY: dict[str, Severity] = {
    "DEAL-TOTAL": "medium", "DEAL-START": "high", "DEAL-NOROLL": "medium", "DEAL-SHAKE": "low", "DEAL-ORDER": "medium",
    "DEAL-COUNT": "high", "DEAL-STUB": "medium", "DEAL-STUBSEEN": "low", "DEAL-DECK": "high", "DEAL-FACEUP": "medium",
    "DEAL-DRAWN": "medium", "DEAL-EXPOSED": "medium", "DEAL-ELECTION": "medium", "DEAL-DEVICE": "medium",
    "DEAL-SHUFFLE": "high", "DEAL-CUT": "medium", "DEAL-NOBETS": "medium", "DEAL-RACK": "low", "OPEN-INSPECT": "low",
    "OPEN-JOKER": "low", "OPEN-SPREAD": "low", "OPEN-IDLE": "low", "EQUIP-DECK": "medium", "EQUIP-DICE": "medium",
    "EQUIP-ALTERNATE": "medium", "WAGER-LATE": "high", "WAGER-BASE": "medium", "WAGER-LIMIT": "medium",
    "WAGER-FORM": "low", "WAGER-SEATED": "medium", "WAGER-LAMMER": "medium", "WAGER-PROGRESSIVE": "medium",
    "WAGER-LOCKOUT": "medium", "WAGER-SURRENDER": "medium", "SET-DEALER": "high", "SET-CARDS": "high",
    "SET-CHANGED": "medium", "SET-EARLY": "low", "SET-ORDER": "low", "PAY-OVER": "high", "PAY-UNDER": "high",
    "PAY-MISSED": "high", "PAY-LOSER": "high", "PAY-TAKEN": "high", "PAY-NOT-TAKEN": "high", "PAY-FOUL": "high",
    "PAY-VIG": "high", "PAY-ENVY": "high", "PAY-ENVYCALL": "low", "PAY-ANNOUNCED": "low", "PAY-REVEAL": "low",
    "PAY-METER": "high", "PAY-SOURCE": "medium", "PAY-LIGHT": "medium", "PAY-VALIDATED": "medium",
    "PAY-DOCUMENTED": "medium", "PAY-LIMIT": "high", "PAY-VOID": "high", "PAY-ORDER": "low",
    "LOG-SOURCE-GAP": "medium", "LOG-SOURCE-REPEAT": "medium", "LOG-CLOCK": "low",
    "DEAL-COVER": "medium", "DEAL-BURN": "medium", "EQUIP-BATCH": "medium", "WAGER-MIDSHOE": "medium",
    "WAGER-TOUCHED": "medium", "PLAY-ORDER": "medium",
    "DEAL-SIDE": "medium", "DEAL-STUBDUE": "medium", "EQUIP-COUNT": "medium",
    "MYST-TRIGGER": "high", "MYST-AMOUNT": "high", "MYST-RESET": "high", "MYST-CONTRIBUTION": "high",
    "MYST-COMMITMENT": "high",
    "CA-COVER": "high", "CA-ROTATE": "medium", "CA-BUTTON": "medium", "CA-PILE": "medium", "CA-BACKLINE": "medium",
    "CA-FEE": "medium",
    "LOG-CORRECTION": "high",
    "PAY-EARLY": "medium", "DEAL-FACING": "medium",
    "LOG-ROUND-REPEAT": "high",
    "LOG-PINNED-RULES": "high", "LOG-OBSERVED-DIFFERS": "high",
    "LOG-FILING": "high",
}  # fmt: skip
"""The register of codes: append-only, a code is never reused. Codes that only one game has are in its chapter (`[[finding]]`)."""

_CODE = re.compile(r"[A-Z]{2,8}(-[A-Z]{2,14}){1,2}")

OF_ORDER = frozenset(
    {
        "DEAL-ORDER", "DEAL-NOBETS", "WAGER-LATE", "WAGER-LOCKOUT", "SET-EARLY", "SET-ORDER", "PLAY-ORDER",
        "PAY-ORDER", "PAY-EARLY", "PAY-REVEAL", "DEAL-ELECTION", "DEAL-DRAWN", "WAGER-TOUCHED",
    }
)  # fmt: skip
"""The codes of what is done too early, too late or out of turn: if the order of a round was not seen, none is found."""


class Indeterminate(msgspec.Struct, frozen=True):
    """A reason why something of the round cannot be told."""

    reason: str


class Departure(msgspec.Struct, frozen=True):
    """A fault that a rule finds: its section, as in `Chapter.cite` or a whole citation; evidence are facts or their numbers.

    A rule that can find several codes names the code.
    """

    section: str
    expected: str
    observed: str
    evidence: Iterable[RecordedEvent | int] = ()
    seat: int | None = None
    wager: str | None = None
    difference_cents: int | None = None
    other_reading: str | None = None
    code: str = ""

    def finding(
        self,
        code: str,
        stream: str,
        round_no: int | None,
        cite: str,
        severity: Severity,
        number: Callable[[int], int] = int,
        *,
        assumed: bool = False,
        rules_digest: str = "",
    ) -> Finding:
        """Return the finding of a stream; `number` gives an event's number on record."""
        evidence = tuple(sorted({number(each if isinstance(each, int) else each.seq) for each in self.evidence}))
        return Finding(
            id=finding_id(code, stream, round_no, self.seat, self.wager, evidence, rules_digest),
            code=code,
            stream=stream,
            round_no=round_no,
            seat=self.seat,
            wager=self.wager,
            expected=self.expected,
            observed=self.observed,
            difference_cents=self.difference_cents,
            evidence=evidence,
            cite=cite,
            other_reading=self.other_reading,
            severity=severity,
            assumed=assumed,
            rules_digest=rules_digest,
        )


class Early(msgspec.Struct, frozen=True):
    """Lets a rule find something in a round that is still open: what it finds then is in the verdict too.

    It is not in the verdict if the table put it right: then an event of one of the `remedies` came after (a correction, or the
    void of the round, puts everything right). `in_steps`: codes of what is done in several steps: these are found once the table
    has gone on to something else. `stands_at`: what one of these events did can be undone until the next of them comes; nothing
    is found before that.
    """

    why: str
    remedies: tuple[type[Event], ...] = ()
    in_steps: frozenset[str] = frozenset()
    stands_at: tuple[type[Event], ...] = ()


RuleFunction = Callable[[Round, Rulebook], Iterator[Departure | Indeterminate]]


class Rule(msgspec.Struct, frozen=True):
    """A rule: the codes it can find, the sections that it is on, and the function.

    A section without a chapter is 688a's number, for which every chapter names its own (`Chapter.sections`); one named whole
    (`687a.11(b)`) is of that chapter only. The rule holds in the chapters that have any of them. `over_readings`: the rule weighs
    all readings of a round together; any other rule finds what it finds in each of them (`round_readings.py`). `early`: it may
    find something before the round is over; any other rule waits, because what is missing may still come.
    """

    codes: tuple[str, ...]
    on: tuple[str, ...]
    evaluate: RuleFunction
    over_readings: bool = False
    early: Early | None = None

    def holds_in(self, chapter: Chapter) -> bool:
        """Return whether the rule holds in a chapter."""
        return self.on == EVERY_CHAPTER or any(chapter.has(section) for section in self.on)

    def judge(self, round_: Round, book: Rulebook) -> Iterator[Finding | Indeterminate]:
        """Yield what the rule finds in a round, and what it cannot tell."""
        for result in self.evaluate(round_, book):
            if isinstance(result, Indeterminate):
                yield result
                continue
            code, cite = result.code or self.codes[0], book.cite(result.section)
            severity = severity_of(code, book.chapter)
            yield result.finding(
                code,
                round_.stream,
                round_.round_no,
                str(cite),
                severity,
                round_.number,
                assumed=cite.assumed,
                rules_digest=book.digest,
            )


def rule(
    *codes: str, on: tuple[str, ...], over_readings: bool = False, early: Early | None = None
) -> Callable[[RuleFunction], Rule]:
    """Make a function a rule that can find these codes and is on these sections.

    A code is in the register, or in the chapter of its game. Raises `ValueError` for an unknown code or a missing section.
    """

    def make(function: RuleFunction) -> Rule:
        unknown = [code for code in codes if _CODE.fullmatch(code) is None]
        if unknown or not on:
            raise ValueError(f"rule {function.__name__}: unknown code {unknown} or no section")
        return Rule(codes, on, function, over_readings, early)

    return make


def severity_of(code: str, chapter: Chapter) -> Severity:
    """Return how severe a finding with a code is. Raises `ValueError` if neither the register nor the chapter has the code."""
    severity = SEVERITY.get(code)
    if severity is not None:
        return severity
    if code not in chapter.findings:
        raise ValueError(f"{code} is no code: declare it in the chapter {chapter.key} as a [[finding]]")
    return chapter.findings[code].severity
