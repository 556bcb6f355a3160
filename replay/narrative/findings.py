"""The title of each finding's code, and why it has its severity. Pure.

Invariant: a code is registered with the rules (`replay/rules/rule.py`), in the chapter of the one game that has it, or with the
faults of the log (`events/errors.py`); its title is in `findings.toml` and nowhere else.
"""

import tomllib
from importlib.resources import files
from typing import Final

from rulebook.catalogue import finding_kinds

_FILE: Final = tomllib.loads(files(__package__).joinpath("findings.toml").read_text("utf-8"))
TITLES: Final[dict[str, str]] = _FILE["titles"]
"""Code → its title, at most four words."""
VIDEO: Final[str] = _FILE["to_do"][0]["says"]
TO_DO: Final[dict[str, str]] = {each["says"]: each["codes"] for each in _FILE["to_do"]}
"""What to do about a finding without money: the sentence → the codes, a word each."""
_TO_DO_BY_CODE: Final = {code: sentence for sentence, codes in TO_DO.items() for code in codes.split()}


def to_do_about(code: str) -> str:
    """Return what to do about a finding without an amount.

    >>> to_do_about("LOG-CLOCK"), to_do_about("XX-OWN") == VIDEO
    ("Set the device's clock.", True)
    """
    return _TO_DO_BY_CODE.get(code, VIDEO)


def finding_title(code: str) -> str:
    """Return a code's title, in at most four words; an unknown code is its own title."""
    title = TITLES.get(code)
    if title is None and code in (kinds := finding_kinds()):
        return kinds[code].title
    return title or code


def severity_reason(code: str, severity: str, difference_cents: int | None) -> str:
    """Return why a finding has its severity.

    >>> severity_reason("PAY-UNDER", "high", -10000), severity_reason("DEAL-SHAKE", "low", None)
    ('money was paid or taken in error', 'procedure only: no result and no money rests on it')
    """
    if difference_cents:
        return "money was paid or taken in error"
    if code.startswith("LOG-"):
        return "the record itself is in doubt"
    if severity == "high":
        return "the result of the round, or money, rests on it"
    if severity == "medium":
        return "a rule that protects the result was broken; no mispayment is known"
    return "procedure only: no result and no money rests on it"
