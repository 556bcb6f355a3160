"""The player-dealer position of California from round to round: who held it, and to whom it was offered."""

from __future__ import annotations

import msgspec


class Offer(msgspec.Struct, frozen=True):
    """The player-dealer position was offered to a seat, while these seats were taken."""

    seat: int
    accepted: bool
    seq: int
    seated: tuple[int, ...]


class Held(msgspec.Struct, frozen=True):
    """The player-dealer position (California): who had it last, for how many rounds since it was offered, the offers since.

    `taken` is who has it in the open round, by seat and token; `offered`: offers came before that; `dealt`: its
    first card was dealt. `asked`: how many of the offers came before the first card, if no one had it by then on record.
    """

    seat: int = 0
    holder: str = ""
    rounds: int = 0
    offers: tuple[Offer, ...] = ()
    taken: tuple[int, str] | None = None
    offered: bool = False
    dealt: bool = False
    asked: int | None = None

    def take(self, seat: int, holder: str) -> Held:
        """Return the position when somebody took it; if that is reported after the cards, offers since are for the next."""
        asked = len(self.offers) if self.asked is None else self.asked
        return Held(
            self.seat,
            self.holder,
            self.rounds,
            self.offers[asked:],
            (seat, holder),
            self.offered or asked > 0,
            self.asked is not None,
        )

    def deal(self) -> Held:
        """Return the position when the first card of a round was dealt."""
        if self.taken is not None:
            return msgspec.structs.replace(self, dealt=True)
        return msgspec.structs.replace(self, asked=len(self.offers))

    def after_round(self) -> Held:
        """Return the position when the round is over."""
        if self.taken is None:
            return Held(offers=self.offers)
        seat, holder = self.taken
        same = holder == self.holder and not self.offered
        return Held(seat, holder, self.rounds + 1 if same else 1, self.offers)
