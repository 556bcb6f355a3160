"""The simulated property: what a table is and files, and the property's days."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

from events.vocabulary.model import DealMethod, Shuffler
from floor.table.streams import DAY_US
from games.rulebook.rulebook import simple_submission

PROPERTY = "property/main"
TIME_ZONE, CUTOVER, CURRENCY = "America/New_York", "06:00", "USD"
FIRST_DAY = date(2026, 4, 6)
FIRST_CUTOVER_US = int(datetime(2026, 4, 6, 10, 0, tzinfo=UTC).timestamp()) * 1_000_000


@dataclass(frozen=True, slots=True)
class Filing:
    """What a table files: the paytable of each optional wager, its meter, and other settings of the submission."""

    paytables: Mapping[str, str]
    meter: str
    settings: Mapping[str, str]
    linked: bool = False


@dataclass(frozen=True, slots=True)
class TableSpec:
    """A table: its equipment, and what it files for the first day and (`later`) for the second."""

    id: str
    chapter: str
    deal_method: DealMethod
    shuffler: Shuffler
    decks: int
    starting: str
    first: Filing
    later: Filing | None = None
    adjacent_boxes: bool = False

    @property
    def has_dice(self) -> bool:
        """Whether the start is found with dice."""
        return self.starting in ("shaker", "player_shaker")

    def submission(self, filing: Filing, effective: str) -> str:
        """Return the rules submission, as TOML."""
        more: dict[str, str | bool] = {"starting": self.starting} if self.starting else {}
        if filing.meter:
            more |= {"meter": filing.meter, "linked": filing.linked}
        return simple_submission(
            self.chapter,
            paytables=filing.paytables,
            name=f"{self.id} {effective}",
            effective=effective,
            deal_method=self.deal_method,
            shuffler=self.shuffler,
            decks=self.decks,
            adjacent_boxes=self.adjacent_boxes,
            **more,
            **filing.settings,
        )


def grown(
    models: Sequence[TableSpec], tables: int, prefix: str, own: Callable[[Filing, str], Filing]
) -> list[TableSpec]:
    """Return so many tables: the models, and beyond them more of the same kinds, named on from the prefix.

    `own` gives a filing with meters of the table's own, from the table's number and, for a later filing, `b`. Raises
    `ValueError` where there are fewer than the models, which between them use all that can be filed.
    """
    if tables < len(models):
        raise ValueError(
            f"{tables} tables {prefix}…; there are at least {len(models)}, which use all that can be filed"
        )
    specs = list(models)
    for number in range(len(models), tables):
        model, name = models[number % len(models)], f"{number + 1:02d}"
        later = model.later and own(model.later, f"{name}b")
        specs.append(replace(model, id=f"{prefix}{name}", first=own(model.first, name), later=later))
    return specs


def with_meter(prefix: str) -> Callable[[Filing, str], Filing]:
    """Return what gives a filing a progressive meter of the table's own, for `grown`."""
    return lambda filing, name: replace(filing, meter=f"{prefix}{name}", linked=False)


def gaming_day(number: int) -> str:
    """Return a gaming day by number, from 0.

    >>> gaming_day(1)
    '2026-04-07'
    """
    return (FIRST_DAY + timedelta(days=number)).isoformat()


def cutover_us(number: int) -> int:
    """Return when a gaming day begins, as UTC microseconds."""
    return FIRST_CUTOVER_US + number * DAY_US
