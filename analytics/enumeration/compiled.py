"""Functions compiled by Numba, in memory, with the types that they were written with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Return a function compiled when it is first called."""
    return cast(Function, numba.njit(function))
