"""Every page: its place in the navigation, title, question, shortcut key, and the roles that may see it."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class Role(StrEnum):
    """A role of people. The secrets file maps values of the claim to roles."""

    SURVEILLANCE = "surveillance"
    ANALYST = "analyst"
    AUDITOR = "auditor"
    ADMINISTRATOR = "administrator"
    PIT = "pit"
    COMPLIANCE = "compliance"
    COUNT = "count"


class Place(StrEnum):
    """The places of the navigation in order; a second row shows the pages of each."""

    FLOOR = "Floor"
    WORK = "Work"
    ANALYSIS = "Analysis"
    REPORTS = "Reports"
    TRUST = "Trust"


class PageEntry(NamedTuple):
    """A page of the navigation. People who may see a page with `is_start` start there after signing in."""

    place: Place
    title: str
    key: str
    question: str
    roles: frozenset[Role]
    is_start: bool = False


FLOOR, WORK, ANALYSIS, REPORTS, TRUST = Place
_ROOM = frozenset({Role.SURVEILLANCE, Role.AUDITOR})
_ANALYST, _COMPLIANCE, _ADMINISTRATOR = {Role.ANALYST}, {Role.COMPLIANCE}, {Role.ADMINISTRATOR}

# fmt: off
PAGES: Mapping[str, PageEntry] = {
    "floor": PageEntry(FLOOR, "Floor", "f", "How is each table doing?", _ROOM | _ANALYST | _COMPLIANCE | _ADMINISTRATOR),
    "pit": PageEntry(FLOOR, "Pit", "t", "What happens at the tables: openings, dealers, fills, credits, closings.",
                     frozenset({Role.PIT}), is_start=True),
    "count": PageEntry(FLOOR, "Count", "b", "What did the drop boxes of the day hold? Entered twice, by two people.",
                       frozenset({Role.COUNT}), is_start=True),
    "queue": PageEntry(WORK, "Queue", "q", "What has to be looked at, and in which order?", _ROOM),
    "round": PageEntry(WORK, "Round", "r", "What happened in a round, what should have happened, and what proves it?",
                       _ROOM | _ANALYST),
    "dispute": PageEntry(WORK, "Dispute", "d", "Was the patron paid right? Find the round from what is remembered.", _ROOM),
    "cases": PageEntry(WORK, "Cases", "c", "Which disputes have to be answered, by when, and what is in each one's file?", _ROOM),
    "surveillance": PageEntry(WORK, "Surveillance log", "l",
                              "What happened on this shift, and what does the next one take over?", _ROOM),
    "entry": PageEntry(WORK, "Entry", "n", "What was due? Type a round as it was seen.", _ROOM | _ANALYST),
    "observations": PageEntry(WORK, "Observations", "o",
                              "Which rounds are watched, what is left to do, what do they show about a dealer or game?", _ROOM),
    "hold": PageEntry(ANALYSIS, "Hold", "h", "What did the tables win, and on what?", _ROOM | _ANALYST | _COMPLIANCE),
    "dealers": PageEntry(ANALYSIS, "Dealer errors", "e", "Where do things go wrong at the table, and who or what needs a look?",
                         _ROOM),
    "fairness": PageEntry(ANALYSIS, "Fairness", "a", "Do dice, cards and shufflers give everybody the same chance?",
                          _ROOM | _ANALYST),
    "reports": PageEntry(REPORTS, "Reports", "p", "What has to be filed for a day or a month?", _ROOM | _COMPLIANCE),
    "integrity": PageEntry(TRUST, "Integrity", "i", "Is the record as it was written, and who can vouch for it?",
                           _ROOM | _ADMINISTRATOR),
    "rules": PageEntry(TRUST, "Rules", "u", "Which rules hold at a table, and what do its wagers return?",
                       _ROOM | _ANALYST | _COMPLIANCE | _ADMINISTRATOR),
    "filing": PageEntry(TRUST, "Filing", "g", "Which rules apply at which tables, and from when? One files, another signs.",
                        frozenset(_COMPLIANCE), is_start=True),
    "setup": PageEntry(TRUST, "Setup", "m", "Is every part of the house in order, and what is still to be done?",
                       frozenset(_COMPLIANCE | _ADMINISTRATOR)),
    "health": PageEntry(TRUST, "Health", "s", "Does everything run?", _ROOM | _ADMINISTRATOR),
}
# fmt: on
"""Name of the page, which is its file in `pages` and its address → its entry, in the order of the navigation."""


def start_page(may_see: frozenset[str], *, is_known: bool, records_rounds: bool = True) -> str:
    """Return a person's start page: the first they may see; for a known person, the first with `is_start`.

    If no device records rounds (`records_rounds` is false), it is the page that answers what was due.

    >>> start_page(frozenset({"floor", "pit"}), is_known=True), start_page(frozenset({"floor", "pit"}), is_known=False)
    ('pit', 'floor')
    >>> start_page(frozenset({"floor", "entry"}), is_known=True, records_rounds=False)
    'entry'
    """
    offered = [name for name in PAGES if name in may_see] or list(PAGES)
    first = "entry" if not records_rounds and "entry" in may_see else offered[0]
    return next((name for name in offered if is_known and PAGES[name].is_start), first)
