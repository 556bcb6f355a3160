"""The contract of the log as it is cited: findings about the record itself are on it, not on a text of a game.

`docs/log-contract.md` has a section under each of these names, with what the log and the devices promise, and what is found
where the promise is not kept. The codes of an `IntegrityError` (`events/errors.py`) are in the same table.
"""

from typing import Final

from rulebook.chapters.citation import Citation

SECTIONS: Final = {
    "LOG-GAP": "sequence numbers",
    "LOG-SEAL": "hash chain",
    "LOG-FORK": "one history",
    "LOG-UNREADABLE": "readable records",
    "LOG-SOURCE-GAP": "device counters",
    "LOG-SOURCE-REPEAT": "device counters",
    "LOG-CLOCK": "device clocks",
    "LOG-CORRECTION": "corrections",
    "LOG-ROUND-REPEAT": "round numbers",
    "LOG-PINNED-RULES": "observed rounds",
    "LOG-OBSERVED-DIFFERS": "observed rounds",
    "LOG-FILING": "filings",
}
"""The code of a fault of the record → the section of the contract that it breaks."""


def cite_contract(code: str) -> Citation:
    """Return the citation of the section that a fault of the record breaks. Raises `KeyError` if the code is not one.

    >>> cite_contract("LOG-CLOCK")
    'Log contract, device clocks'
    """
    return Citation(f"Log contract, {SECTIONS[code]}")
