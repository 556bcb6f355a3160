"""All questions of hold and dealer errors: name, title, answering function, and breakdowns.

`rack hold`, `rack dealer-errors`, the list in docs/analyst-guide.md and the benchmark of questions come from `questions.toml`.
Answering functions are named, not imported, so that a command prints its help without them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    import polars as pl

    from analytics.warehouse.warehouse import Warehouse

Subject = Literal["hold", "errors"]
PART = ("table", "game", "dealer", "shift", "first", "last")
"""The options that select a part of the floor."""
PAGES: Final[Mapping[Subject, str]] = {"hold": "Hold", "errors": "Dealer errors"}
_FILE: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
VIEWS: Final[Mapping[Subject, Mapping[str, str]]] = _FILE["views"]
"""The views of each page, in their order: the name in its address, and the title."""
DIMENSIONS: Final[Mapping[str, str]] = _FILE["dimensions"]
"""The dimensions that a page offers, in words."""
PERIODS: Final[Mapping[str, str]] = _FILE["periods"]
"""The count periods in words, in the order in which a page offers them."""
# fmt: off
SHORT: Final = ("Dealer", "Detail", "From", "Gaming day", "Hour", "Month", "Round", "Seat", "Shift", "Slip or box", "Table",
    "Verdict", "Where")
TEXT: Final = ("CUSUM", "Count", "Explanation", "Finding", "Game", "Part", "Paytable", "Recurring error", "Remark", "Rule",
    "Wager", "Weighted mean", "What is known of it", "Who", "Why")
# fmt: on
"""Headings whose columns are words, which are not broken over lines if they are short; the others are numbers."""


@dataclass(frozen=True)
class Question:
    """A question to a warehouse.

    `answer` is `module.function`, and takes the warehouse, then what `takes` names: `by` (the dimension), `part` (the part of the
    floor), or an option. `named` maps parameters to options, `worked_out` are parameters that the command computes, `fixed` are
    values. `dimensions` is `module.NAME`, less those in `without`, and `by` the first of them.

    `view` is the view of its page that shows it, under `heading`, as a table with `headings`; in both `{by}` is the dimension.
    `off_page` are the dimensions that the page does not offer.

    `per_box`: figures are counted per drop box. `compared`: with the period before. `of_wagers`, `of_counts`: the source of the
    figures. `shown` are the columns for a screen, `hidden` those left out; without either, all are shown or, with `brief`, all
    that say anything. `also` are options of the command alone.
    """

    subject: Subject
    name: str
    title: str
    answer: str
    dimensions: str = ""
    by: str = ""
    view: str = ""
    heading: str = ""
    headings: Sequence[str] = ()
    off_page: Sequence[str] = ()
    takes: Sequence[str] = ("by", "part")
    named: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    worked_out: Sequence[str] = ()
    without: Sequence[str] = ()
    per_box: bool = False
    compared: bool = False
    of_wagers: bool = True
    of_counts: bool = False
    brief: bool = False
    shown: Sequence[str] = ()
    hidden: Sequence[str] = ()
    also: Sequence[str] = ()

    @property
    def options(self) -> tuple[str, ...]:
        """The options of the question."""
        asked = [name for name in (*self.takes, *self.named.values(), *self.also) if name not in ("part", "by")]
        return tuple(dict.fromkeys([*(PART if "part" in self.takes else ()), *(["by"] if self.dimensions else []), *asked]))

    def breakdowns(self) -> tuple[str, ...]:
        """Return the dimensions that the answer can be broken down by."""
        return tuple(name for name in _found(self.dimensions) if name not in self.without) if self.dimensions else ()

    @property
    def page(self) -> str:
        """The page and the view that show it; empty if none does."""
        return self.view and f"{PAGES[self.subject]}, {VIEWS[self.subject][self.view]}"

    def offered(self) -> tuple[str, ...]:
        """Return the dimensions that its page offers."""
        return tuple(name for name in self.breakdowns() if name in DIMENSIONS and name not in self.off_page)

    def title_on_page(self, *about: Any) -> str:
        """Return the title of an answer on its page; `about` has a value for each name in `takes`."""
        given = dict(zip(self.takes, about, strict=False))
        by, period = DIMENSIONS.get(given.get("by", ""), ""), PERIODS.get(given.get("period", ""), "")
        return self.heading.format(by=by.lower(), period=period.lower())

    def columns_on_page(self, by: str = "") -> dict[str, str]:
        """Return the headings of its table on a page in their order, each with the kind of its column."""
        names = [name.format(by=DIMENSIONS.get(by, "")) for name in self.headings]
        return {name: "short" if name in SHORT else "text" if name in TEXT else "number" for name in names}

    @property
    def function(self) -> Callable[..., pl.DataFrame]:
        """The function that answers the question."""
        answer: Callable[..., pl.DataFrame] = _found(self.answer)
        return answer

    def ask(self, db: Warehouse, given: Mapping[str, Any]) -> pl.DataFrame:
        """Return the answer; `given` has a value for each name in `takes`, `named` and `worked_out`."""
        named = {parameter: given[option] for parameter, option in self.named.items()}
        named |= {parameter: given[parameter] for parameter in self.worked_out}
        return self.function(db, *(given[name] for name in self.takes), **named, **self.fixed)

    def columns(self, frame: pl.DataFrame) -> list[str]:
        """Return the columns of an answer for a screen, in order."""
        if self.shown:
            return [column for column in self.shown if column in frame.columns]
        unsaid = _unsaid(frame) if self.brief else set()
        return [column for column in frame.columns if column not in {*self.hidden, *unsaid}]


def _unsaid(frame: pl.DataFrame) -> set[str]:
    """Return the columns without news: all table days have wagers, and nothing was entered twice."""
    zero = [name for name in ("repeated_drops", "repeated_slips", "win_without_wagers_cents") if name in frame.columns]
    unsaid: set[str] = {name for name in zero if not (frame[name] != 0).any()}
    if frame["table_days"].equals(frame["table_days_with_wagers"]):
        unsaid.add("table_days_with_wagers")
    return unsaid


def _found(dotted: str) -> Any:
    module, _, name = dotted.rpartition(".")
    return getattr(import_module(f"analytics.{module}"), name)


def questions(subject: Subject) -> dict[str, Question]:
    """Return the questions of a subject by name, in listed order."""
    return {each.name: each for each in QUESTIONS if each.subject == subject}


def _question(subject: Subject, entry: Mapping[str, Any]) -> Question:
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
    return Question(subject, **fields)


QUESTIONS: Final = tuple(_question(subject, entry) for subject in PAGES for entry in _FILE[subject])
"""In the order in which they are listed."""
