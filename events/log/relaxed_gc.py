"""Less frequent garbage collection, for work that makes very many objects and no cycles among them."""

import contextlib
import gc
import threading
from collections.abc import Iterator
from typing import Final

SELDOM: Final = 50_000
"""New objects between two looks; Python's own measure is some hundreds."""

_lock = threading.Lock()
_inside = 0
_usual: tuple[int, int, int] = gc.get_threshold()


@contextlib.contextmanager
def relaxed_gc() -> Iterator[None]:
    """Collect cyclic garbage seldom inside this block, in any number of threads."""
    global _inside, _usual
    with _lock:
        if not _inside:
            _usual = gc.get_threshold()
            gc.set_threshold(SELDOM, *_usual[1:])
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                gc.set_threshold(*_usual)
