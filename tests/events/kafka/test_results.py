"""What a commit of results to Kafka takes of memory; no broker."""

import tracemalloc
from types import SimpleNamespace
from typing import Any

from events.kafka.results import IN_MEMORY, composed
from events.kafka.results_reader import NONE
from events.log.contract import Head
from events.log.result_chain import ResultChains

MANY, SIZE = 3_000, 10_000


def test_a_commit_holds_little_of_its_results_in_memory() -> None:
    stored: Any = SimpleNamespace(
        chains=ResultChains(),
        digest=lambda name: b"",
        generation=lambda scope: NONE,
        findings=("floor.findings", 0),
        state=("floor.state", 1),
    )
    records = (("adjudications", f"table/a#{number}", b"%*d" % (SIZE, number)) for number in range(MANY))
    tracemalloc.start()
    try:
        with composed(stored, "", "engine", {"table/a": Head(7, b"7" * 32)}, {}, records, ["table/a"]) as commit:
            for _ in range(2):  # it is sent again if no one knows whether it was stored
                sent = ((message.key, message.value) for message in commit.messages)
                assert next(sent) == (b"restart/table/a", b"{}")
                for number in range(MANY):
                    assert next(sent) == (b"adjudications/table/a#%d" % number, b"%*d" % (SIZE, number))
                assert [key for key, _ in sent] == [b"replay/position/table/a", b"replay/snapshot/table/a", b"replay/generation"]
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert commit.findings == 1 + MANY
    assert most < 2 * IN_MEMORY + 300 * MANY, f"{most:,} bytes for {MANY * SIZE:,} bytes of results"
