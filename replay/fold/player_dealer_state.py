"""The player-dealer position of California from round to round: who held it, and to whom it was offered."""

from __future__ import annotations

from collections.abc import Callable

import msgspec


class Offer(msgspec.Struct, frozen=True):
    """The player-dealer position was offered to a seat, while these seats were taken."""

    seat: int
    accepted: bool
    seq: int
    seated: tuple[int, ...]


class HeldPosition(msgspec.Struct, frozen=True):
    """The player-dealer position (California): who had it last, for how many rounds since it was offered, the offers since.

    `taken` is who has it in the open round, by seat and token; `offered`: offers came before that; `dealt`: its first card was
    dealt. `asked`: the number of offers before the first card, if by the record no one had it by then. `forgotten`: the same as
    recorded before a message was lost that may change it; None if nothing is unknown.
    """

    seat: int = 0
    holder: str = ""
    rounds: int = 0
    offers: tuple[Offer, ...] = ()
    taken: tuple[int, str] | None = None
    offered: bool = False
    dealt: bool = False
    asked: int | None = None
    forgotten: HeldPosition | None = None

    def forget(self) -> HeldPosition:
        """Return the position after a message about it was lost."""
        return HeldPosition(forgotten=self.forgotten or self)

    def offer(self, made: Offer) -> HeldPosition:
        """Return the position after one more offer."""
        return self._with(msgspec.structs.replace(self, offers=(*self.offers, made)), lambda each: each.offer(made))

    def _with(self, now: HeldPosition, step: Callable[[HeldPosition], HeldPosition]) -> HeldPosition:
        """Apply a step to the position and to the `forgotten` position; drop the latter once both are equal."""
        forgotten = step(self.forgotten) if self.forgotten is not None else None
        known = msgspec.structs.replace(now, forgotten=None)
        return known if forgotten == known else msgspec.structs.replace(known, forgotten=forgotten)

    def take(self, seat: int, holder: str) -> HeldPosition:
        """Return the position after a seat took it; if reported after the cards, the offers since are for the next round."""
        asked = len(self.offers) if self.asked is None else self.asked
        taken = HeldPosition(
            self.seat,
            self.holder,
            self.rounds,
            self.offers[asked:],
            (seat, holder),
            self.offered or asked > 0,
            self.asked is not None,
        )
        return self._with(taken, lambda each: each.take(seat, holder))

    def deal(self) -> HeldPosition:
        """Return the position after the first card of a round."""
        dealt = {"dealt": True} if self.taken is not None else {"asked": len(self.offers)}
        return self._with(msgspec.structs.replace(self, **dealt), HeldPosition.deal)

    def after_round(self) -> HeldPosition:
        """Return the position after the round."""
        after = HeldPosition(offers=self.offers)
        if self.taken is not None:
            seat, holder = self.taken
            same = holder == self.holder and not self.offered
            after = HeldPosition(seat, holder, self.rounds + 1 if same else 1, self.offers)
        return self._with(after, HeldPosition.after_round)
