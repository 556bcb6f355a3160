"""Which games are screened, and what fills the rows of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from games.rulebook.rulebook import Rulebook
from replay.columns import dj_wild, over_under, player_dealer, seven_cards
from replay.columns.row_course import Fill, Row
from replay.fold.round import Round

ROW_WRITERS: Final[Mapping[str, Fill]] = {
    "face_up_pai_gow": seven_cards.face_up,
    "player_dealer": player_dealer.player_dealer,
    "pai_gow_poker": seven_cards.pai_gow_poker,
    "dj_wild": dj_wild.dj_wild,
    "fortune_asia": seven_cards.fortune_asia,
    "over_under": over_under.over_under,
}


def fill_row(row: Row, round_: Round, book: Rulebook) -> None:
    """Write a plain round of a game that is screened into an empty row. Raises `Aside` where the round is not plain."""
    ROW_WRITERS[book.game](row, round_, book)
