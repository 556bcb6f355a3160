"""Another engine than the installed one: it judges otherwise, and its name says so."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import msgspec

from replay.run import engine, stream_worker
from replay.run.adjudicate import adjudicate


def judge_otherwise(round_: Any, book: Any) -> Any:
    """Find nothing in a round, whatever was paid, and take round 2 for undetermined."""
    made = adjudicate(round_, book)
    if round_.round_no == 2:
        return msgspec.structs.replace(made, verdict="UNDETERMINED", undetermined=("D1081 says so",))
    return msgspec.structs.replace(made, verdict="UPHELD", findings=())


@contextmanager
def installed(name: str = "new") -> Iterator[None]:
    """Install the engine of this name: "old" judges as this program does, every other one otherwise."""
    with (
        patch.object(engine, "_digest", lambda *_: name),
        patch.object(stream_worker, "adjudicate", adjudicate if name == "old" else judge_otherwise),
    ):
        yield
