"""The simulated property: its tables, their filings, and its days."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from math import inf
from typing import cast

from events.vocabulary.model import DealMethod, Shuffler
from floor.table.streams import DAY_US, HOUR_US
from rulebook.chapters.rulebook import simple_submission

PROPERTY = "property/main"
TIME_ZONE, CUTOVER, CURRENCY = "America/New_York", "06:00", "USD"
ADJACENT, LINKED = "adjacent_boxes", "linked"
WITHOUT_LIMITS = ("progressive", "mystery")
"""Wagers that are filed with a paytable, and whose amounts the paytable has."""


@dataclass(frozen=True, slots=True)
class SimulatedFiling:
    """A table's filing: the paytable of each optional wager, its meter, and other settings of the submission."""

    paytables: Mapping[str, str]
    meter: str
    settings: Mapping[str, str]
    linked: bool = False


@dataclass(frozen=True, slots=True)
class TableSpec:
    """A table: its equipment, its filing for the first day, and (`later`) for the second."""

    id: str
    chapter: str
    deal_method: DealMethod
    shuffler: Shuffler
    decks: int
    starting: str
    first: SimulatedFiling
    later: SimulatedFiling | None = None
    adjacent_boxes: bool = False

    @property
    def has_dice(self) -> bool:
        """Whether dice decide the starting position."""
        return self.starting in ("shaker", "player_shaker")

    def submission(self, filing: SimulatedFiling, effective: str) -> str:
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


def filed_tables(
    chapter: str, columns: str, limits: Mapping[str, str], rows: str, always: Mapping[str, str] | None = None
) -> tuple[TableSpec, ...]:
    """Return the tables of a game from a text with a row for each: name and equipment, then what it files, each after a `|`.

    The equipment is deal method, shuffler and number of decks, then if they apply the starting method and `adjacent_boxes`. A
    filing has a word for each of `columns`, then `key=value` for its special settings, and `linked` if its meter is. A name
    without a dot in `limits` or in the chapter's paytables is a wager with its paytable, `meter` the meter, any other a setting.
    `limits` are each filed wager's lowest and highest amount; all tables file `always`.
    """
    specs = []
    for row in re.split(r"\n\s*(?=[a-z]+-\d+ )", rows.strip()):
        equipment, *filings = row.split("|")
        table, deal_method, shuffler, decks, *more = equipment.split()
        first, later = [*(_filing(words.split(), columns.split(), limits, always or {}) for words in filings), None][:2]
        assert first is not None, f"{table} files nothing"
        starting = "".join(word for word in more if word != ADJACENT)
        methods = cast("tuple[DealMethod, Shuffler]", (deal_method, shuffler))
        specs.append(TableSpec(table, chapter, *methods, int(decks), starting, first, later, ADJACENT in more))
    return tuple(specs)


def _filing(words: list[str], columns: list[str], limits: Mapping[str, str], always: Mapping[str, str]) -> SimulatedFiling:
    """Parse the words of one filing."""
    filed = dict(zip(columns, words, strict=False))
    extras = dict(word.split("=", 1) for word in words[len(columns) :] if word != LINKED)
    named = {name: value for name, value in {**filed, **extras}.items() if name in limits or name in WITHOUT_LIMITS}
    settings = {name: value for name, value in filed.items() if name not in named and name != "meter"}
    for wager in named:
        settings |= zip((f"{wager}.min", f"{wager}.max"), limits.get(wager, "").split(), strict=False)
    settings |= {**always, **{name: value for name, value in extras.items() if name not in named}}
    return SimulatedFiling(named, filed.get("meter", ""), settings, LINKED in words)


def grown(models: Sequence[TableSpec], tables: int, own: Callable[[SimulatedFiling, str], SimulatedFiling]) -> list[TableSpec]:
    """Return this many tables: the models, then more of the same kinds with further numbers.

    `own` gives a filing the table's own meters, from the table's number and, for a later filing, `b`. Raises `ValueError` for
    fewer tables than models, which together use everything that can be filed.
    """
    prefix = models[0].id[:3]
    if tables < len(models):
        raise ValueError(f"{tables} tables {prefix}…; there are at least {len(models)}, which use all that can be filed")
    specs = list(models)
    for number in range(len(models), tables):
        model, name = models[number % len(models)], f"{number + 1:02d}"
        later = model.later and own(model.later, f"{name}b")
        specs.append(replace(model, id=f"{prefix}{name}", first=own(model.first, name), later=later))
    return specs


def as_filed(filing: SimulatedFiling, name: str) -> SimulatedFiling:
    """Return a filing unchanged, for `grown`: its game has no meters."""
    return filing


def with_meter(prefix: str) -> Callable[[SimulatedFiling, str], SimulatedFiling]:
    """Return a function that gives a filing a progressive meter of the table's own, for `grown`."""
    return lambda filing, name: replace(filing, meter=f"{prefix}{name}", linked=False)


@dataclass(frozen=True, slots=True)
class Calendar:
    """The property's gaming days by number from 0. `first_cutover_us` is the beginning of the first (UTC microseconds).

    `opening_us` is when tables open on the first day, if later. On `watched` days, no table plays on into the next day.

    >>> SIMULATED.gaming_day(1)
    '2026-04-07'
    """

    first_day: date
    first_cutover_us: int
    opening_us: int = 0
    watched: bool = False

    def gaming_day(self, number: int) -> str:
        """Return a gaming day by number."""
        return (self.first_day + timedelta(days=number)).isoformat()

    def cutover_us(self, number: int) -> int:
        """Return when a gaming day begins, as UTC microseconds."""
        return self.first_cutover_us + number * DAY_US

    def closing_us(self, number: int) -> float:
        """Return when the last round of a gaming day may begin, as UTC microseconds."""
        return self.cutover_us(number + 1) - HOUR_US if self.watched else inf


SIMULATED = Calendar(date(2026, 4, 6), int(datetime(2026, 4, 6, 10, 0, tzinfo=UTC).timestamp()) * 1_000_000)
"""The days of a simulation that no one watches while it goes on."""
