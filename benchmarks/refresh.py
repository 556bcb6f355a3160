"""The cost of one more round after this many, each operation in a process of its own.

A floor of all games with its faults is simulated, appended, judged, verified, signed and brought into a warehouse. Then three
more rounds are appended, one after the other, and each operation runs: CPU and peak memory are those of its process, imports
included. Meanwhile ten sessions have pages open, each by a WebSocket as a browser has it, and load them again after each round.
The peer is a bare DuckDB `COPY` of the warehouse's events. `--refresh-rounds N …` (default 1,000, 10,000 and 100,000); with
`--kafka HOST:PORT` the log is on that broker, in topics of its own, which stay. The goal is one second of CPU and 300 MB, with
any history, and 500 MB for the server of the pages.
"""

import os
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, chdir, closing, contextmanager
from pathlib import Path
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from benchmarks.measuring import RACK, command, cpu_s_of
from benchmarks.reporting import say
from events.open import open_log
from events.vocabulary.envelope import Draft
from floor.catalogue import SIMULATIONS
from floor.day.gaming_day import play
from floor.table.casino import SIMULATED
from floor.table.streams import Group
from scripts.screenshots import served
from trial.demo import batches

ROUNDS = (1_000, 10_000, 100_000)
SEED = 688
ROUNDS_MORE = 3
HELD_GROUPS = 2_000
"""This many of the last groups wait until the floor has closed: among them are the rounds that are held back."""
COMMIT_EVENTS = 4_000
GOAL_CPU_S, GOAL_MIB, GOAL_SERVER_MIB = 1.0, 300, 500
WAREHOUSE = "warehouse.duckdb"
COPY = """
import duckdb, sys
db = duckdb.connect(":memory:")
db.execute("ATTACH ? AS w (READ_ONLY)", [sys.argv[1]])
db.execute(f"COPY w.round_events TO '{sys.argv[2]}' (FORMAT parquet)")
"""
METRICS = """
import sys
from rack.commands.analysis.metrics import metrics_of
print(len(list(metrics_of(sys.argv[1]).collect())))
"""
PAGES = ("floor", "queue", "round", "dispute", "hold", "dealers", "fairness", "surveillance", "integrity", "health")
"""A page for each session."""
BEGUN_S = 10.0
"""After this time the server's other work at the start has ended."""
SETTLED_S = 0.5
"""After this time the leftovers of a drawing are removed."""
WAIT_LIMIT_S = 120.0


def measure(folder: Path, rounds: int, broker: str | None = None) -> dict[str, Any]:
    """Return each operation's CPU seconds and peak memory for one more round after `rounds`."""
    say(f"a floor of {rounds:,} rounds …")
    address = f"kafka://{broker}/{folder.name}" if broker else f"sqlite://{folder}/floor.db"
    with chdir(folder):  # where what belongs to a log on Kafka is kept
        events, held_back = append_floor(address, rounds)
        operations = build_all(folder, address)
        after, pages = one_more(folder, address, held_back)
    return {
        "rounds": rounds,
        "events": events,
        "load_average": round(os.getloadavg()[2]),
        "warehouse_mib": (folder / WAREHOUSE).stat().st_size >> 20,
        "operations": operations | after,
        "pages": pages,
    }


def measure_each(folder: Path, sizes: Sequence[int] = ROUNDS, broker: str | None = None) -> list[dict[str, Any]]:
    """Measure after each of these numbers of rounds; each log is removed before the next is made."""
    found = []
    for rounds in sizes:
        with tempfile.TemporaryDirectory(prefix=f"refresh-{rounds}-", dir=folder) as place:
            found.append(measure(Path(place), rounds, broker))
        for name in _missed(found[-1]):
            say(f"missed at {rounds:,} rounds: {name}")
    return found


def build_all(folder: Path, address: str) -> dict[str, dict[str, float]]:
    """Judge a log, build its warehouse in a folder, sign and verify it; return the costs."""
    log = ["--log", address, "--quiet"]
    found = {
        "full replay": _run([*RACK, "replay", *log]),
        "full build": _run([*RACK, "warehouse", "build", *log, "--warehouse", str(folder / WAREHOUSE)]),
    }
    _run([*RACK, "keys", "new", str(folder / "key"), "--by", "bench", *log])
    _run([*RACK, "checkpoint", "--key", str(folder / "key"), *log])
    found["full verification"] = _run([*RACK, "verify", *log])
    return found


def one_more(
    folder: Path, address: str, held_back: Sequence[tuple[str, Sequence[Draft]]]
) -> tuple[dict[str, dict[str, float]], dict[str, Any]]:
    """Append rounds one at a time and run every operation after each; return costs of operations and pages."""
    warehouse = folder / WAREHOUSE
    log, found = ["--log", address, "--quiet"], {}
    with opened(warehouse, address) as pages:
        of_pages: dict[str, Any] = {"mib_before": pages.memory_mib()}
        for groups in held_back:
            with closing(open_log(address)) as store:
                store.append_groups([groups])
            found["restart of replay, tally"] = _run([*RACK, "replay", *log])
            found["refresh of the warehouse"] = _run([*RACK, "warehouse", "build", *log, "--warehouse", str(warehouse)])
            of_pages["reload_cpu_s"] = pages.reload()
        of_pages["mib_after"] = pages.memory_mib()
    found["verification since"] = _run([*RACK, "verify", "--since", *log])
    found["review list"] = _run([*RACK, "review", "list", *log])
    found["metrics"] = _run([sys.executable, "-c", METRICS, address])
    found["queue page's question"] = _run([sys.executable, "-c", QUEUE, str(warehouse)])
    found["bare DuckDB COPY of the events"] = _run([sys.executable, "-c", COPY, str(warehouse), str(folder / "events.parquet")])
    return found, of_pages


QUEUE = """
import sys
from analytics.errors.queue import incidents_queue
from analytics.warehouse.warehouse import reading
with reading(sys.argv[1]) as db:
    print(incidents_queue(db).height)
"""


def append_floor(address: str, rounds: int) -> tuple[int, list[tuple[str, Sequence[Draft]]]]:
    """Append a simulated floor but for one table's last rounds; return the number of events and those rounds."""
    latest: deque[Group] = deque()
    games, count = list(SIMULATIONS), 0
    turns = play(SEED, -(-rounds // len(games)), games, SIMULATED, days=2)

    def before() -> Iterator[Group]:
        for turn in turns:
            latest.extend(turn.groups)
            while len(latest) > HELD_GROUPS:
                yield latest.popleft()

    with closing(open_log(address, create=True, property_id="bench")) as log:
        for batch in batches(before(), COMMIT_EVENTS):
            log.append_groups(batch)
            count += sum(len(drafts) for _, drafts in batch)
        rounds_at = [
            (stream, at)
            for at, (stream, drafts) in enumerate(latest)
            if stream.startswith("table/") and any(each.round_no for each in drafts)
        ]
        table = rounds_at[-1][0]
        held = [at for stream, at in rounds_at if stream == table][-ROUNDS_MORE:]
        rest = [group for at, group in enumerate(latest) if at not in held and (group[0] != table or at < held[0])]
        log.append_groups(rest)
    return count + sum(len(drafts) for _, drafts in rest), [latest[at] for at in held]


def _run(words: Sequence[str]) -> dict[str, float]:
    """Run a command to its end; return its CPU seconds and peak memory."""
    timing, peak_mib = command(*words)
    return {"cpu_s": round(timing.cpu_s, 2), "peak_mib": peak_mib}


def _missed(measured: dict[str, Any]) -> Iterator[str]:
    """Yield the missed goals."""
    for name, used in measured["operations"].items():
        if not name.startswith(("full", "bare")) and (used["cpu_s"] > GOAL_CPU_S or used["peak_mib"] > GOAL_MIB):
            yield name
    pages = measured["pages"]
    yield from (f"reload of {page}" for page, cpu_s in pages["reload_cpu_s"].items() if cpu_s > GOAL_CPU_S)
    if pages["mib_after"] > GOAL_SERVER_MIB or pages["mib_after"] - pages["mib_before"] > GOAL_MIB:
        yield "memory of the server of the pages"


class Sessions:
    """Ten open sessions, each with a drawn page."""

    def __init__(self, server: int, draw: dict[str, Callable[[], None]]) -> None:
        self._server, self._draw = server, draw

    def reload(self) -> dict[str, float]:
        """Have each session draw its page again; return page → CPU seconds of the server."""
        used = {}
        for page, draw in self._draw.items():
            before = cpu_s_of(self._server)
            draw()
            time.sleep(SETTLED_S)
            used[page] = round(cpu_s_of(self._server) - before, 2)
        return used

    def memory_mib(self) -> int:
        """Return the server's memory in MiB."""
        pages = int(Path(f"/proc/{self._server}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") >> 20


@contextmanager
def opened(warehouse: Path, log: str) -> Iterator[Sessions]:
    """Start a server, and open ten sessions."""
    with served(warehouse, log) as (address, server), ExitStack() as stack:
        sessions = Sessions(server, {page: stack.enter_context(_session(address, page)) for page in PAGES})
        sessions.reload()
        time.sleep(BEGUN_S)
        yield sessions


@contextmanager
def _session(address: str, page: str) -> Iterator[Callable[[], None]]:
    """Open a session; yield a function that draws its page and waits for the end."""
    asked = BackMsg()
    asked.rerun_script.page_name = page
    stream = f"ws{address.removeprefix('http')}/_stcore/stream"
    with connect(stream, origin=Origin(address), subprotocols=[Subprotocol("streamlit")], max_size=None) as socket:

        def draw() -> None:
            socket.send(asked.SerializeToString())
            until_s, drawn = time.monotonic() + WAIT_LIMIT_S, False
            while not drawn:
                message = socket.recv(timeout=until_s - time.monotonic())
                if not isinstance(message, bytes):
                    raise SystemExit(f"the server does not draw the page {page}: {message}")
                answer = ForwardMsg.FromString(message)
                drawn = (
                    answer.WhichOneof("type") == "script_finished" and answer.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
                )

        yield draw
