"""What people call the games and their wagers, for pages and reports; the words stand in the records of the games."""

from __future__ import annotations

from analytics.theory.catalogue import RETURNS
from games.catalogue import GAMES, wager_titles


def game_title(game: str) -> str | None:
    """Return what people call a game; null for a game that no record has.

    >>> game_title("over_under"), game_title("roulette")
    ('Over/Under', None)
    """
    record = GAMES.get(game)
    return record.title if record is not None else None


def wager_title(wager: str) -> str | None:
    """Return what people call a wager, or wagers that theory counts as one; null for a wager that no record has.

    >>> wager_title("bad_beat"), wager_title("ante_blind_raise"), wager_title("no_such_wager")
    ('Two-Way Bad Beat', 'Ante, Blind and Raise', None)
    """
    titles = wager_titles()
    if wager in titles:
        return titles[wager]
    for record in RETURNS.values():
        if record.theory_wager == wager:
            *first, last = (titles[each] for each in record.combined)
            return f"{', '.join(first)} and {last}" if first else last
    return None
