"""The games whose rounds are settled in columns: one record each (`game_columns.GameColumns`).

Invariant: nothing else in this room asks which game it is. A game without a record here is settled by event replay. A
new game of the package is one file in `games`, one kernel in `kernels`, and one entry here; a game from outside the package is
added with `add_columns`.
"""

from __future__ import annotations

from typing import Final

from replay.columns.game_columns import GameColumns
from replay.columns.games import dj_wild, face_up_pai_gow, fortune_asia, over_under, pai_gow_poker, player_dealer
from replay.columns.row_schemas import RowSchema
from replay.run.outside_code import outside_packages

_OF_THE_PACKAGE: Final = (
    face_up_pai_gow.COLUMNS,
    player_dealer.COLUMNS,
    pai_gow_poker.COLUMNS,
    dj_wild.COLUMNS,
    fortune_asia.COLUMNS,
    over_under.COLUMNS,
)
_GAMES: Final[dict[str, GameColumns]] = {record.name: record for record in _OF_THE_PACKAGE}


def games_in_columns() -> tuple[GameColumns, ...]:
    """Return the record of every game whose rounds are settled in columns."""
    return tuple(_GAMES.values())


def columns_of(game: str) -> GameColumns | None:
    """Return the record of a game by its name, null where its rounds are settled by event replay only."""
    return _GAMES.get(game)


def schema_of(game: str) -> RowSchema:
    """Return the row schema of a game. Rows of a game without a record are never settled; they take the smallest schema."""
    return _GAMES.get(game, face_up_pai_gow.COLUMNS).schema


def add_columns(record: GameColumns) -> None:
    """Settle the rounds of a game from outside the package in columns, too, from its first round on.

    The game and its rules are added before. Raises `ValueError`, and adds nothing, where the game has a record already, or where
    its row writer or kernel lies in another package than its rules of play: the engine's digest would not cover that code.
    """
    if record.name in _GAMES:
        raise ValueError(f"there are columns of {record.name} already; give the new game another name")
    covered = outside_packages()
    for module in (record.write_layout.__module__, record.kernel):
        if module.partition(".")[0] not in covered:
            raise ValueError(
                f"{record.name}: {module} lies outside the packages of added games ({', '.join(covered) or 'none'}); "
                "add the game and its rules first, and keep all its code in one package"
            )
    _GAMES[record.name] = record


def remove_columns(game: str) -> None:
    """Remove a record that was added; KeyError for one of the package or one that is not there."""
    if game in {record.name for record in _OF_THE_PACKAGE}:
        raise KeyError(game)
    del _GAMES[game]
