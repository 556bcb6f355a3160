"""A round of Fortune Asia Poker: the dealer cuts, a preshuffled deck too (58 Pa. Code §§ 659a.5, 659a.7 to 659a.11)."""

from collections.abc import Iterator

from floor.round.pai_gow_play import PaiGowPlay


class FortuneAsiaPlay(PaiGowPlay):
    """Writes the script of one round."""

    cut_depths = (10, 44)

    def cut_offers(self) -> Iterator[tuple[int, bool]]:
        """The dealer cuts, and asks no one."""
        return iter(())
