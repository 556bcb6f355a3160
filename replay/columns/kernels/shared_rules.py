"""Rules of `games` that kernels compile as they stand there: one text for event replay and for columns.

The law of this file: it has no rule of its own. Each is a pure function of integers; what cannot be one stands twice, side by
side with the test that names both (`tests/replay/columns/test_same_rules.py`).
"""

from __future__ import annotations

from typing import Final

from games import over_under, pai_gow_poker, player_dealer
from games.kernels.compiling import compiled
from games.settlement import bonus, pai_gow, progressive

contribution: Final = compiled(progressive.contribution)
"""What a wager adds to a progressive meter, and to a Must-Hit-By meter."""
is_envy_owed: Final = compiled(bonus.is_envy_owed)
"""Whether a qualifying wager is paid for a qualifying hand."""
starting_place: Final = compiled(pai_gow.starting_place)
"""The position that gets the first card."""
rounded_vigorish: Final = compiled(pai_gow_poker.rounded_vigorish)
"""The vigorish of a winning base wager."""
is_houses_total: Final = compiled(over_under.is_houses_total)
"""Whether a total loses to the house."""
is_on_side: Final = compiled(over_under.is_on_side)
"""Whether a total is on the side wagered on."""
first_seat: Final = compiled(player_dealer.first_seat)
"""The seat that gets the first hand, where a patron deals."""
action_after: Final = compiled(player_dealer.action_after)
"""The seat that gets the action button, where a patron deals."""
left_to_cover: Final = compiled(player_dealer.left_to_cover)
"""How much the player-dealer's wager can still cover."""
