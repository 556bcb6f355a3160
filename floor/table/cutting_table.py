"""A table whose preshuffled decks wait for their cut (§§ 659a.5(b)(2), 687a.5(b))."""

from __future__ import annotations

from floor.table.table import Table


class CuttingTable(Table):
    """A table at which every deck is cut that no machine shuffled."""

    cuts_preshuffled = True
