"""The controller of a Must-Hit-By meter: it draws a hidden target, commits to it, and names the winner (§ 645c.3(c), D21).

Targets are drawn slightly above the meter, so that a simulated day has many hits; each is between the filed minimum and maximum.
"""

from hashlib import sha256
from random import Random

from events.vocabulary.envelope import Draft
from events.vocabulary.model import MysteryArmed, MysteryHit
from floor.table.meters import CONTROLLER, Meter
from rulebook.chapters.paytables import Paytable
from rulebook.settlement.progressive import contribution

CONTRIBUTIONS = range(7, 40)
"""A target is this many of the smallest contributions above the meter."""


class MysteryMeter(Meter):
    """A Must-Hit-By meter: its value, its target, and the nonce that hides the target behind its commitment."""

    def __init__(self, meter: str, chapter: str, paytable: Paytable, random: Random) -> None:
        super().__init__(meter, chapter, paytable, random)
        self.random = random
        self.value = self.minimum
        self.target = 0
        self.nonce = ""
        self.armed: MysteryArmed | None = None

    @property
    def minimum(self) -> int:
        """The minimum that is filed, in hundredths of a cent."""
        return self.paytable.seed_cents * 100

    @property
    def maximum(self) -> int:
        """The maximum that is filed, in hundredths of a cent."""
        return self.paytable.maximum_cents * 100

    def open_day(self, gaming_day: str, at_us: int) -> list[Draft]:
        """Open a gaming day; on the first the meter is put into service and armed."""
        drafts = super().open_day(gaming_day, at_us)
        if self.armed is None:
            self.now_us += 1_000_000
            armed = self.arm()
            drafts.append(self.stream.draft(CONTROLLER, armed, self.now_us, None))
        return drafts

    def arm(self, below_minimum: bool = False, instead: Paytable | None = None) -> MysteryArmed:
        """Draw a target and commit to it. A fault draws it below the minimum, or under a configuration that was not filed."""
        filed = instead or self.paytable
        step = contribution(self.paytable.least_wager_cents, self.paytable.rate_bp)
        above = self.random.choice(CONTRIBUTIONS) * step + self.random.randrange(step)
        self.target = min(max(self.value, self.minimum) + above, self.maximum) // 100 * 100
        if below_minimum:
            self.target = self.minimum - 100 * self.random.randrange(1, 500)
        self.nonce = f"{self.random.getrandbits(96):024x}"
        self.seq += 1
        self.armed = MysteryArmed(
            meter=self.id,
            minimum_cents=filed.seed_cents,
            maximum_cents=filed.maximum_cents,
            rate_bp=filed.rate_bp,
            reading_centicents=self.value,
            commitment=sha256(f"{self.target}:{self.nonce}".encode()).hexdigest(),
        )
        return self.armed

    def needed(self, wager_cents: int) -> int:
        """Return how many wagers of an amount pass the target."""
        return max(1, (self.target - self.value) // contribution(wager_cents, self.paytable.rate_bp) + 1)

    def hit(self, table: str, round_no: int, seat: int, reading: int, after: int, target: int) -> MysteryHit:
        """Record a winner; the meter goes on from `after`."""
        self.value = after
        self.seq += 1
        return MysteryHit(
            meter=self.id,
            table=table,
            round_no=round_no,
            seat=seat,
            reading_centicents=reading,
            target_centicents=target,
            nonce=self.nonce,
            after_centicents=after,
        )
