"""What a replayer left in its results, as objects: each round's newest adjudication, and the findings that hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from events.log import ResultStore
from replay.findings import Adjudication, Finding, LedgerEntry

_adjudication = msgspec.json.Decoder(Adjudication)
_finding = msgspec.json.Decoder(Finding)
_entry = msgspec.json.Decoder(LedgerEntry)


def adjudications(results: ResultStore) -> Iterator[Adjudication]:
    """Yield every revision of every round, in the order committed."""
    return (_adjudication.decode(data) for _, data in results.results("adjudications"))


def ledger(results: ResultStore) -> Iterator[LedgerEntry]:
    """Yield the entries of the tables' accounting."""
    return (_entry.decode(data) for _, data in results.results("ledger"))


def stream_findings(results: ResultStore) -> list[Finding]:
    """Return the findings that belong to no round (in a meter's stream, in the log itself)."""
    found = (_finding.decode(data) for _, data in results.results("findings"))
    return [finding for finding in found if finding.round_no is None]


def newest(revisions: Iterable[Adjudication]) -> dict[tuple[str, int], Adjudication]:
    """Return the newest revision of each round."""
    found: dict[tuple[str, int], Adjudication] = {}
    for each in revisions:
        before = found.get((each.stream, each.round_no))
        if before is None or each.revision >= before.revision:
            found[each.stream, each.round_no] = each
    return found
