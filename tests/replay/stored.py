"""What a replay has stored, as tests ask for it."""

import msgspec

from events.log.contract import ResultStore
from events.log.result_chain import CHAINED
from replay.findings import Adjudication
from replay.run.replayer import MemoryResults, replay
from tests.replay.tables import MemoryLog, Table

Stored = dict[str, list[tuple[str, bytes]]]


def stored(results: ResultStore) -> Stored:
    """Return everything that is stored, of each stream in its order."""
    return {kind: list(results.results(kind)) for kind in CHAINED}


def by_stream(results: ResultStore) -> dict[str, list[tuple[str, str, bytes]]]:
    """Return what is stored of each stream, in its order."""
    found: dict[str, list[tuple[str, str, bytes]]] = {}
    for kind in CHAINED:
        for key, data in results.results(kind):
            stream = key.partition("#")[0] if kind != "findings" else msgspec.json.decode(data)["stream"]
            found.setdefault(stream, []).append((kind, key, data))
    return found


def verdicts(results: ResultStore) -> list[tuple[int, int, str]]:
    """Return (round, revision, verdict) of everything that was ever said."""
    said = [msgspec.json.decode(data, type=Adjudication) for _, data in results.results("adjudications")]
    return [(each.round_no, each.revision, each.verdict) for each in said]


def one_run(*tables: Table) -> MemoryResults:
    results = MemoryResults()
    replay(MemoryLog(tables), results)
    return results
