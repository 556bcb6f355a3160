"""Runs coroutines in tests."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T], seconds: float = 60) -> T:
    """Run a coroutine in a thread of its own: in a worker that has a browser open, the main thread's loop is the browser's.

    Raises:
        TimeoutError: it took longer than `seconds`.
    """
    with ThreadPoolExecutor(1) as apart:
        return apart.submit(lambda: asyncio.run(asyncio.wait_for(coroutine, seconds))).result()
