"""The changes from adopting a shadow: every differing verdict, finding, amount due and calculation, with its money. Pure.

Lines are yielded one by one and counted in groups, so that memory does not grow with the number of rounds.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal

import msgspec

from desk.review.desk_memory import is_withdrawal
from events.log.contract import ChainedResult, ResultStore
from events.log.result_chain import check_chains
from replay.findings import Adjudication, Finding, LedgerEntry, Settlement, read_result
from replay.run.shadow import VerdictChange, changes

Kind = Literal["verdict", "finding", "due", "calculation", "ledger"]

_DECISION = re.compile(r"\bD\d{1,4}\b")
_CONCLUDED = ("verdict", "undetermined", "findings", "settlements")
"""The fields of an adjudication that its lines are about; what else differs is one line of its own."""
_HISTORY = ("revision", "supersedes", "as_of", "engine", "withdrawn", "last_seq", "adopted")


class VerdictDifference(msgspec.Struct, frozen=True, kw_only=True):
    """A line: its round (None: a meter or an account), its rule, and its values before and after.

    `rule` is the code of a finding, else the wager; `decision` holds the decision numbers in its texts. Money is in cents from
    the patron's side: a finding's difference, otherwise the amount due.
    """

    stream: str
    round_no: int | None
    gaming_day: str
    game: str
    kind: Kind
    change: Literal["new", "withdrawn", "changed"]
    rule: str
    cite: str
    decision: str
    before: str
    after: str
    before_cents: int | None = None
    after_cents: int | None = None

    @property
    def moved_cents(self) -> int:
        """The change of the money."""
        return (self.after_cents or 0) - (self.before_cents or 0)


class DifferenceGroup(msgspec.Struct, kw_only=True):
    """The number of lines of one kind for a rule and decision, and the change of their money."""

    game: str
    kind: Kind
    change: str
    rule: str
    cite: str
    decision: str
    lines: int = 0
    rounds: int = 0
    up_cents: int = 0
    down_cents: int = 0


class DifferenceGroups:
    """Lines by rule and decision, and the number of their rounds."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, ...], DifferenceGroup] = {}
        self._last: dict[tuple[str, ...], tuple[str, int | None]] = {}
        self.rounds, self.days = 0, ("~", "")
        self._round: tuple[str, int | None] | None = None

    def counting(self, lines: Iterable[VerdictDifference]) -> Iterator[VerdictDifference]:
        """Count lines while passing them on."""
        for line in lines:
            self.add(line)
            yield line

    def add(self, line: VerdictDifference) -> None:
        """Count a line; a round's lines must be consecutive."""
        key = (line.game, line.kind, line.change, line.rule, line.cite, line.decision)
        if key not in self._groups:
            self._groups[key] = DifferenceGroup(
                game=line.game, kind=line.kind, change=line.change, rule=line.rule, cite=line.cite, decision=line.decision
            )
        group, place = self._groups[key], (line.stream, line.round_no)
        group.lines += 1
        group.rounds += line.round_no is not None and self._last.get(key) != place
        group.up_cents += max(0, line.moved_cents)
        group.down_cents += min(0, line.moved_cents)
        self._last[key] = place
        if line.round_no is not None and self._round != place:
            self.rounds, self._round = self.rounds + 1, place
        if line.gaming_day:
            self.days = min(self.days[0], line.gaming_day), max(self.days[1], line.gaming_day)

    def all(self) -> list[DifferenceGroup]:
        """Return the groups: most money first, then most lines."""
        return sorted(
            self._groups.values(),
            key=lambda each: (each.down_cents - each.up_cents, -each.lines, each.kind, each.rule, each.change, each.cite),
        )


def differences(shadow: ResultStore, results: ResultStore) -> Iterator[VerdictDifference]:
    """Yield the changes from adopting a shadow. Raises `ResultBroken` if the shadow was altered."""
    for fault in check_chains(shadow).broken.values():
        raise fault
    for stream in sorted(shadow.chain_heads()):
        for each in changes(shadow, results.latest, stream):
            yield from lines_of(each) if isinstance(each, VerdictChange) else _lines_of_result(each, results)


def lines_of(change: VerdictChange) -> Iterator[VerdictDifference]:
    """Yield the lines of a round."""
    before, after = change
    if (before.verdict, before.undetermined) != (after.verdict, after.undetermined):
        texts = (*before.undetermined, *after.undetermined)
        yield _line(
            after,
            kind="verdict",
            change="changed",
            rule=f"{before.verdict} to {after.verdict}",
            cite="",
            decision=_decisions(texts),
            before=_verdict(before),
            after=_verdict(after),
        )
    yield from _of_findings(before, after)
    yield from _of_settlements(before, after)
    neutral = (*_CONCLUDED, *_HISTORY)
    fields = [name for name in after.__struct_fields__ if name not in neutral]
    changed = [name for name in fields if getattr(before, name) != getattr(after, name)]
    if changed:
        yield _line(
            after,
            kind="calculation",
            change="changed",
            rule=", ".join(changed),
            cite="",
            decision="",
            before="; ".join(str(getattr(before, name)) for name in changed),
            after="; ".join(str(getattr(after, name)) for name in changed),
        )


def _of_findings(before: Adjudication, after: Adjudication) -> Iterator[VerdictDifference]:
    old, new = ({each.id: each for each in made.findings} for made in (before, after))
    for id_ in dict.fromkeys((*old, *new)):
        was, now = old.get(id_), new.get(id_)
        if was == now:
            continue
        found = now or was
        assert found is not None
        yield _line(
            after,
            kind="finding",
            change="new" if was is None else "withdrawn" if now is None else "changed",
            rule=found.code,
            cite=found.cite,
            decision=_decisions((found.cite, found.expected, found.observed, found.other_reading or "")),
            before="" if was is None else _finding(was),
            after="" if now is None else _finding(now),
            before_cents=None if was is None else was.difference_cents,
            after_cents=None if now is None else now.difference_cents,
        )


def _of_settlements(before: Adjudication, after: Adjudication) -> Iterator[VerdictDifference]:
    old, new = ({_place(each): each for each in made.settlements} for made in (before, after))
    for place in dict.fromkeys((*old, *new)):
        was, now = old.get(place), new.get(place)
        if was == now:
            continue
        settled = now or was
        assert settled is not None
        is_due = was is None or now is None or was.due_cents != now.due_cents
        yield _line(
            after,
            kind="due" if is_due else "calculation",
            change="new" if was is None else "withdrawn" if now is None else "changed",
            rule=settled.wager,
            cite=settled.cite,
            decision=_decisions((settled.cite, settled.line)),
            before="" if was is None else _settled(was),
            after="" if now is None else _settled(now),
            before_cents=None if was is None else was.due_cents,
            after_cents=None if now is None else now.due_cents,
        )


def _lines_of_result(each: ChainedResult, results: ResultStore) -> Iterator[VerdictDifference]:
    """Yield the line of a meter's finding or of a table's account."""
    stored = results.latest(each.kind, each.key)
    if each.kind == "ledger":
        now = read_result(each.kind, each.key, each.data, LedgerEntry)
        was = read_result(each.kind, each.key, stored, LedgerEntry) if stored is not None else None
        yield VerdictDifference(
            stream=each.stream,
            round_no=None,
            gaming_day=now.gaming_day,
            game="",
            kind="ledger",
            change="new" if was is None else "changed",
            rule=now.kind,
            cite="",
            decision="",
            before="" if was is None else f"{was.kind} event {was.seq}",
            after=f"{now.kind} event {now.seq}",
            before_cents=None if was is None else was.amount_cents,
            after_cents=now.amount_cents,
        )
        return
    withdrawn = is_withdrawal(each.key, each.data)
    data = stored if withdrawn else each.data
    if data is None or (withdrawn and is_withdrawal(each.key, data)):
        return
    found = read_result(each.kind, each.key, data, Finding)
    cents = found.difference_cents
    yield VerdictDifference(
        stream=each.stream,
        round_no=None,
        gaming_day="",
        game="",
        kind="finding",
        change="withdrawn" if withdrawn else "new" if stored is None else "changed",
        rule=found.code,
        cite=found.cite,
        decision=_decisions((found.cite, found.expected, found.observed)),
        before=_finding(found) if withdrawn else "",
        after="" if withdrawn else _finding(found),
        before_cents=cents if withdrawn else None,
        after_cents=None if withdrawn else cents,
    )


def _line(verdict: Adjudication, **values: Any) -> VerdictDifference:
    return VerdictDifference(
        stream=verdict.stream, round_no=verdict.round_no, gaming_day=verdict.gaming_day, game=verdict.game, **values
    )


def _place(each: Settlement) -> tuple[Any, ...]:
    return each.seat, each.wager, each.number, each.bettor


def _verdict(made: Adjudication) -> str:
    return ": ".join(filter(None, (made.verdict, "; ".join(made.undetermined))))


def _finding(found: Finding) -> str:
    return f"{found.line()}: expected {found.expected}; observed {found.observed}"


def _settled(each: Settlement) -> str:
    paytable = f", paytable {each.paytable}" if each.paytable else ""
    return f"seat {each.seat} {each.wager}: {each.line}{paytable}"


def _decisions(texts: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(number for text in texts for number in _DECISION.findall(text)))
