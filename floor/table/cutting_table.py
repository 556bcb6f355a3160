"""A table whose preshuffled decks need a cut (§§ 659a.5(b)(2), 687a.5(b))."""

from floor.table.table import Table


class CuttingTable(Table):
    """A table at which every deck not shuffled by a machine is cut."""

    cuts_preshuffled = True
