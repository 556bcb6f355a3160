"""Full-text search over findings and people's texts: notes, disputes, cases, entries, the surveillance log.

Invariant: a text is found if every search word is the beginning of one of its words, ignoring case and accents; so the beginning
of an id finds its records. A word of one or two letters must match a whole word. There is no index: the texts are read from the
log and searched.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal

import msgspec

from desk.review.cases import PatronCase, cases_of
from desk.review.desk import Desk, TableReview
from desk.review.disputes import Dispute, Entry
from desk.review.observed_table import ObservedTable, recorded, verdict_of
from desk.review.state import SURVEILLANCE
from replay.findings import Finding
from replay.narrative.incidents import finding_sentence
from replay.narrative.names import table_name
from replay.narrative.verdicts import RoundVerdict, narrate

Kind = Literal["case", "dispute", "entry", "note", "finding"]
KINDS: Final[tuple[Kind, ...]] = ("case", "dispute", "entry", "note", "finding")
"""The kinds of results, in the order shown."""


SHORTEST_BEGINNING: Final = 3


class FoundText(msgspec.Struct, frozen=True, kw_only=True):
    """A text: its subject (`id`: a finding, a dispute, a case, an entry), place, time, readable text, and words."""

    kind: Kind
    id: str
    table: str
    round_no: int | None
    at_us: int
    says: str
    words: tuple[str, ...]

    @property
    def place(self) -> str:
        """The table and round, in words."""
        if self.table == SURVEILLANCE:
            return "Surveillance log"
        return table_name(self.table) + ("" if self.round_no is None else f", round {self.round_no:,}")


def texts(desk: Desk, currency: str) -> list[FoundText]:
    """Return every text of the log, with its money in a currency. Raises an `IntegrityError` if a review is broken."""
    found = [_finding(each.finding, currency) for each in desk.cases() if not each.withdrawn]
    for name in desk.log.streams():
        kind, _, table = name.partition("/")
        if kind == "review":
            found += _of_review(table, desk.review(table))
        elif kind == "observed":
            found += _entries(desk, table, currency)
    return found


def search(found: Iterable[FoundText], asked: str, limit: int = 20) -> list[FoundText]:
    """Return the texts with every search word: cases, disputes, notes, findings, each newest first."""
    wanted = words_of(asked)
    if not wanted:
        return []
    hits = [each for each in found if all(_has(each.words, part) for part in wanted)]
    return sorted(hits, key=lambda each: (KINDS.index(each.kind), -each.at_us, each.table, each.round_no or 0))[:limit]


def _has(words: Sequence[str], part: str) -> bool:
    return part in words or (len(part) >= SHORTEST_BEGINNING and any(word.startswith(part) for word in words))


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text in the form used to compare them.

    >>> words_of("Señor paid $1,250.00, FU-01-C3")
    ('senor', 'paid', '1250', '00', 'fu', '01', 'c3')
    """
    plain = unicodedata.normalize("NFKD", re.sub(r"(?<=\d),(?=\d{3})", "", text)).casefold()
    return tuple(re.findall(r"[^\W_]+", "".join(each for each in plain if not unicodedata.combining(each))))


def _finding(found: Finding, currency: str) -> FoundText:
    table, says = found.stream.partition("/")[2], finding_sentence(found, currency)
    more = f"{found.code} {found.id} {found.cite} {found.wager or ''} {found.expected} {found.observed}"
    return _text("finding", found.id, table, found.round_no, 0, says, more)


def _entries(desk: Desk, table: str, currency: str) -> Iterator[FoundText]:
    """Yield the rounds entered at a table, each with its recorder and its findings."""
    state = ObservedTable(desk.log, table)
    for number, entered in state.rounds.items():
        if entered.is_withdrawn:
            continue
        judged = verdict_of(desk.results, f"{state.stream}#{number}")
        shown = "not judged yet" if judged is None else narrate(RoundVerdict.of(judged), currency=currency).headline
        codes = " ".join(each.code for each in judged.findings) if judged is not None else ""
        header, of = entered.header, f"{state.stream}#{number}"
        more = f"observed {of} {codes} {header.dealer or ''} {header.observation or ''} {header.camera or ''}"
        says = f"{shown} ({recorded(entered)})"
        yield _text("entry", of, state.stream, number, entered.entered_us, says, more)


def _of_review(table: str, review: TableReview) -> Iterator[FoundText]:
    for finding_id, state in review.findings.items():
        yield from _notes(table, finding_id, state.history)
    for dispute in review.disputes.values():
        if review.case_of(dispute.dispute) is None:
            yield _dispute(table, dispute)
    for filed in cases_of(table, review):
        yield _case(filed)
    for entry in review.surveillance:
        yield from _notes(table, SURVEILLANCE, [entry.entry])


def _notes(table: str, of: str, history: Sequence[Entry]) -> Iterator[FoundText]:
    for each in history:
        yield _text("note", of, table, each.round_no, each.at_us, f"{each.by} {each.says}", of)


def _dispute(table: str, dispute: Dispute) -> FoundText:
    state = dispute.state
    more = " ".join([dispute.dispute, dispute.patron or "", *(f"{each.by} {each.says}" for each in dispute.history)])
    says = f"“{dispute.claim}” ({state})"
    return _text("dispute", dispute.dispute, table, dispute.round_no, dispute.history[-1].at_us, says, more)


def _case(filed: PatronCase) -> FoundText:
    case = filed.case
    more = [case.dispute, case.patron or "", case.owner or "", *(f"{each.by} {each.says}" for each in case.history)]
    says = f"{filed.name}: “{case.claim}” ({case.state})"
    return _text("case", filed.name, filed.table, case.round_no, case.history[-1].at_us, says, " ".join(more))


def _text(kind: Kind, of: str, table: str, round_no: int | None, at_us: int, says: str, more: str) -> FoundText:
    place = f"{table} round {round_no}" if round_no is not None else table
    return FoundText(
        kind=kind,
        id=of,
        table=table,
        round_no=round_no,
        at_us=at_us,
        says=says,
        words=tuple(dict.fromkeys(words_of(f"{says} {place} {more}"))),
    )
