"""Compiles kernels and caches the result.

Numba's own disk cache serves stale answers when a function that another one calls changes. So it is used only in a folder named
by a digest of all kernel sources, of Numba's version and of Python's; if no such folder can be made, the compiled code stays in
memory.
"""

import os
import platform
import sys
from collections.abc import Callable, Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import config as settings

Function = TypeVar("Function", bound=Callable[..., Any])

_HERE = Path(__file__).parent


def compiled(function: Function, **options: Any) -> Function:
    """Return a function that is compiled at its first call, without Python's lock, and cached on disk if that is safe."""
    module = sys.modules.get(function.__module__)
    folder = Path(str(module.__file__)).parent if module is not None and getattr(module, "__file__", None) else _HERE
    dispatcher: Any = numba.njit(nogil=True, **options)(function)
    kernels = cache_folder(folder)
    if kernels is None or dispatcher is function:  # the compiler is off
        return cast(Function, dispatcher)
    config: Any = settings
    before, config.CACHE_DIR = config.CACHE_DIR, str(kernels)
    try:
        dispatcher.enable_caching()
    finally:
        config.CACHE_DIR = before
    return cast(Function, dispatcher)


def inlined(function: Function) -> Function:
    """Return a function compiled into its callers: for one with many arrays, which a call would copy."""
    return compiled(function, inline="always", _nrt=False)


@cache
def cache_folder(sources: Path) -> Path | None:
    """Return the cache folder for some sources and these here, or None if it cannot be made."""
    root = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = Path(root) / "discard-rack" / f"kernels-{sources_digest({_HERE, sources})}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


def sources_digest(folders: Iterable[Path]) -> str:
    """Return the digest of all sources in some folders, of Numba's version and of Python's."""
    hasher = sha256(f"{numba.__version__} {platform.python_version()}".encode())
    for path in sorted(path for folder in folders for path in folder.glob("*.py")):
        hasher.update(f"\0{path.parent.name}/{path.name}\0".encode() + path.read_bytes())
    return hasher.hexdigest()[:24]


@compiled
def wide(value: Any) -> int:
    """Return a small integer of an array as 64 bits, which shifts and sums do not overflow."""
    small: Any = np.int64(value)
    integer: int = small
    return integer


def borrowing(function: Function) -> Function:
    """Return a compiled function that only reads arrays held by its caller, without reference counts.

    Neither it nor its callees can make arrays.
    """
    return compiled(function, _nrt=False)
