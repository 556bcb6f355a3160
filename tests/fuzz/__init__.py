"""Bad input: whatever the bytes, a reader says what is wrong and where, or reads what they say. No crash, no hang."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.fuzz.targets import Target


def all_targets() -> dict[str, Target]:
    """Return every reader of foreign bytes, by name."""
    importlib.import_module("tests.fuzz.evidence")
    return dict(importlib.import_module("tests.fuzz.targets").TARGETS)
