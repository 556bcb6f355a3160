"""Rules of `games` that kernels compile as they stand there: one text for event replay and for columns.

Invariant: it has no rule of its own. Each is a pure function of integers; what cannot be one stands twice, side by
side with the test that names both (`tests/replay/columns/test_same_rules.py`).
"""

from __future__ import annotations

from typing import Final

from games import over_under, pai_gow_poker, player_dealer
from games.kernels.compiling import compiled
from games.settlement import bonus

is_envy_owed: Final = compiled(bonus.is_envy_owed)
"""Whether a qualifying wager is paid for a qualifying hand."""
rounded_vigorish: Final = compiled(pai_gow_poker.rounded_vigorish)
"""The vigorish of a winning base wager."""
is_houses_total: Final = compiled(over_under.is_houses_total)
"""Whether a total loses to the house."""
is_on_side: Final = compiled(over_under.is_on_side)
"""Whether a total is on the side wagered on."""
left_to_cover: Final = compiled(player_dealer.left_to_cover)
"""How much the player-dealer's wager can still cover."""
