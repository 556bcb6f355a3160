"""Facts about single games for the models, as rows of small tables from the catalogues: no statement names a game.

Invariant: facts come from the records of the games (`rulebook.catalogue`, `analytics.theory.catalogue`) alone.
"""

from collections.abc import Sequence
from typing import Final

from analytics.theory.catalogue import RETURNS
from rulebook.catalogue import GAMES

Rows = Sequence[tuple[object, ...]]

FACT_TABLES: Final = {
    "raw_patron_banked": "game VARCHAR",
    "raw_combined_wagers": "game VARCHAR, wager VARCHAR, theory_wager VARCHAR, has_unit BOOLEAN",
    "raw_other_readings": "wager VARCHAR, setting VARCHAR, value VARCHAR",
}
"""The tables and their columns: games whose bank a patron holds; wagers that theory counts as one; settings by which a wager is
settled by another reading than theory counts."""


def game_facts() -> dict[str, Rows]:
    """Return the rows of each of `FACT_TABLES`, sorted.

    >>> game_facts()["raw_patron_banked"]
    [('player_dealer',)]
    """
    records = RETURNS.values()
    return {
        "raw_patron_banked": sorted((game.name,) for game in GAMES.values() if game.patron_banked),
        "raw_combined_wagers": sorted(
            (record.game, wager, record.theory_wager, wager == record.combined[0])
            for record in records
            if record.combined != (record.theory_wager,)
            for wager in record.combined
        ),
        "raw_other_readings": sorted(
            {(other.wager, other.setting, other.value) for record in records for other in record.other_readings}
        ),
    }
