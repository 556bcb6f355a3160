"""The cost of ten sessions for the pages' server, and of each page when a newer warehouse replaces the old one.

A session uses a WebSocket as a browser does: it keeps a page open, and reads the drawing. The server's processor time for each
drawing and its cleanup is counted, and its memory.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from benchmarks.measuring import cpu_s_of
from scripts.screenshots import served

PAGES = ("floor", "queue", "round", "dispute", "hold", "dealers", "fairness", "surveillance", "integrity", "health")
"""A page for each session."""
BEGUN_S = 10.0
"""What the server begins next to its first page has ended after so long."""
SETTLED_S = 0.5
"""What a drawing leaves behind is put away after so long."""
WAIT_LIMIT_S = 120.0


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
                    answer.WhichOneof("type") == "script_finished"
                    and answer.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
                )

        yield draw
