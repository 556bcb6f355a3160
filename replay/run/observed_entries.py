"""Observed rounds are judged by the filing that they pin, and compared with the record that they name.

Both are in other streams, at numbers that the entry states, so that judging again reads the same events and comes to the same.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256

import msgspec

from events.errors import EventError, IntegrityError
from events.log.contract import Record
from events.vocabulary import model
from events.vocabulary.codec import read
from events.vocabulary.envelope import ReadEnvelope
from events.vocabulary.model import Event
from events.vocabulary.upcast import upcast
from replay.findings import Finding, finding_id
from replay.fold.corrections import Replacements, correction, counting
from replay.fold.observed_fold import ObservedEntry, ObservedFold
from replay.fold.round import Round
from replay.fold.table_fold import TableFold
from replay.fold.table_state import RulesOnFile
from replay.rules.log_contract import cite_contract
from replay.rules.rule import SEVERITY, Departure
from replay.run.adjudicate import Conclusion
from replay.settlement.two_records import RecordComparison, RecordDifference, compared

Elsewhere = Callable[[str, int, int], Iterable[Record]]
"""Reads records of any stream, from one number to another."""


def no_other_streams(stream: str, first: int, last: int) -> Iterator[Record]:
    """Read nothing, for a caller that has only one stream."""
    yield from ()


def pinned_rules(entry: ObservedEntry, elsewhere: Elsewhere) -> RulesOnFile | str:
    """Return the filing that an entry pins, or why it does not fit."""
    pinned, table = entry.header.rules, entry.opened.stream.partition("/")[2]
    where = f"event {pinned.seq} of table/{table}"
    try:
        filed = next((_filing(each) for each in _events(elsewhere, f"table/{table}", pinned.seq, pinned.seq)), None)
    except IntegrityError as error:
        return f"{where}, by which the round is to be judged, cannot be read ({error})"
    if filed is None:
        return f"{where}, by which the round is to be judged, files no rules"
    if sha256(filed.toml.encode()).hexdigest() != pinned.sha256:
        return f"{where} files other rules than those of SHA-256 {pinned.sha256[:16]}…, by which the round is to be judged"
    if filed.effective_gaming_day > entry.header.played_gaming_day:
        return (
            f"{where} files rules from {filed.effective_gaming_day} on, and the round was played on "
            f"{entry.header.played_gaming_day}"
        )
    return RulesOnFile(filed.effective_gaming_day, filed.toml, pinned.seq)


def misfit(entry: ObservedEntry, why: str) -> Conclusion:
    """Return the conclusion on an entry that pins no filing that it can be judged by."""
    expected = "the filing that was in force when the round was played"
    found = _finding(entry, Departure("", expected, why, code="LOG-PINNED-RULES"))
    return Conclusion(verdict="UNDETERMINED", undetermined=(why,), findings=(found,), settlements=())


def comparison(entry: ObservedEntry, round_: Round, elsewhere: Elsewhere) -> RecordComparison | None:
    """Compare an entry with the record of the round that it names; None if it names none."""
    same = entry.header.same_as
    if same is None:
        return None
    try:
        other = _other_record(same, list(_events(elsewhere, same.stream, same.first_seq, same.last_seq)))
    except IntegrityError:
        other = None
    if other is not None:
        return compared(round_, other)
    where = f"in events {same.first_seq} to {same.last_seq} of {same.stream}"
    missing = RecordDifference(seat=None, wager=None, other=f"no round {same.round_no} {where}", entered="a round", evidence=())
    return RecordComparison(cards=0, cards_alike=0, amounts=0, amounts_alike=0, differences=(missing,))


def with_differences(
    conclusion: Conclusion, entry: ObservedEntry, found: RecordComparison | None, rules_digest: str
) -> Conclusion:
    """Return a conclusion with the differences of two records: which is right is unknown, and nothing else is found."""
    same = entry.header.same_as
    if found is None or same is None or not found.differences:
        return conclusion
    other, this = f"{same.stream} round {same.round_no}", f"{entry.opened.stream} round {entry.round_no}"
    differences = [
        Departure(
            "",
            f"{other} has {each.other}",
            f"{this} has {each.entered}",
            each.evidence,
            each.seat,
            each.wager,
            code="LOG-OBSERVED-DIFFERS",
        )
        for each in found.differences
    ]
    kept = [each for each in conclusion.findings if each.code.startswith("LOG-")]
    doubts = [f"{each.line()}: {other} says otherwise" for each in conclusion.findings if each not in kept]
    return Conclusion(
        verdict="UNDETERMINED",
        undetermined=(*conclusion.undetermined, f"{other} and {this} differ", *doubts),
        findings=(*kept, *(_finding(entry, each, rules_digest) for each in differences)),
        settlements=conclusion.settlements,
    )


def numbered(conclusion: Conclusion, numbers: Mapping[int, int]) -> Conclusion:
    """Return a conclusion with the evidence under the numbers of the stream."""
    if not numbers:
        return conclusion
    return msgspec.structs.replace(conclusion, findings=tuple(_renumbered(each, numbers) for each in conclusion.findings))


def _renumbered(found: Finding, numbers: Mapping[int, int]) -> Finding:
    evidence = tuple(sorted(numbers.get(seq, seq) for seq in found.evidence))
    id_ = finding_id(found.code, found.stream, found.round_no, found.seat, found.wager, evidence, found.rules_digest)
    return msgspec.structs.replace(found, evidence=evidence, id=id_)


def _finding(entry: ObservedEntry, departure: Departure, rules_digest: str = "") -> Finding:
    code, stream = departure.code, entry.opened.stream
    departure = msgspec.structs.replace(departure, evidence=(entry.opened.seq, *departure.evidence))
    cite, severity = str(cite_contract(code)), SEVERITY[code]
    return departure.finding(code, stream, entry.round_no, cite, severity, rules_digest=rules_digest)


def _events(elsewhere: Elsewhere, stream: str, first: int, last: int) -> Iterator[ReadEnvelope[Event]]:
    for record in elsewhere(stream, first, last):
        try:
            event = read(record.data)
            yield msgspec.structs.replace(event, payload=upcast(event.payload))
        except EventError:  # nothing that the entry can rest on
            continue


def _filing(event: ReadEnvelope[Event]) -> model.RulesFiled | None:
    payload = event.payload
    if isinstance(payload, model.EventCorrected):
        replacement = correction(event.seq, payload).replacement
        payload = replacement[1] if replacement is not None else payload
    return payload if isinstance(payload, model.RulesFiled) else None


def _in_force(events: Sequence[ReadEnvelope[Event]]) -> Replacements:
    """Return the corrections among events that count for those before them."""
    made = [correction(each.seq, each.payload) for each in events if isinstance(each.payload, model.EventCorrected)]
    return {seq: each.replacement for seq, each in counting(made, {each.seq: each.event_id for each in events}).items()}


def _other_record(same: model.SameRound, events: Sequence[ReadEnvelope[Event]]) -> Round | None:
    """Return the round of another record, as the corrections among these events have it."""
    in_force = _in_force(events)
    if same.stream.startswith("observed/"):
        observed = ObservedFold(same.stream)
        observed.replacements = in_force
        for event in events:
            observed.apply(event)
        found = next((each for each in observed.entries() if each.round_no == same.round_no), None)
        return None if found is None else found.round(None)[0]
    fold, opened = TableFold(same.stream), None
    fold.replacements = {}
    for event in events:
        substitute = in_force.get(event.seq, (event.round_no, event.payload))
        if substitute is None or substitute[0] != same.round_no or isinstance(substitute[1], model.EventCorrected):
            continue
        fold.apply(msgspec.structs.replace(event, payload=substitute[1]))
        opened = opened or fold.open
    fold.leave()
    return opened
