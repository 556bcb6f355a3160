"""The questions of hold and dealer errors, each once: name and title, what answers it, and how the answer can be broken down.

`rack hold`, `rack dealer-errors`, the list in docs/analyst-guide.md and the benchmark of questions are made of this table. What
answers is named and not imported, so that a command prints its help without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import polars as pl

    from analytics.warehouse.warehouse import Warehouse

Subject = Literal["hold", "errors"]
PART = ("table", "game", "dealer", "shift", "first", "last")
"""What selects a part of the floor."""


@dataclass(frozen=True)
class Question:
    """A question that is asked of a warehouse.

    `answer` is `module.function`, and takes the warehouse, then what `takes` names: `by` (the dimension), `part` (the part of the
    floor), or an option. `named` maps parameters to options, `worked_out` are parameters that the command works out, `fixed` are
    values. `dimensions` is `module.NAME`, less those in `without`, and `by` the first of them. `page` is the view that shows it.

    `per_box`: figures are counted per drop box. `compared`: with the period before. `of_wagers`, `of_counts`: what figures
    are made of. `shown` are the columns that a screen has room for, `hidden` those that it has none for; neither: all are shown,
    with `brief` but for those that say nothing. `also` are options of the command alone.
    """

    subject: Subject
    name: str
    title: str
    answer: str
    dimensions: str = ""
    by: str = ""
    page: str = ""
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
        """The options that the question takes."""
        asked = [name for name in (*self.takes, *self.named.values(), *self.also) if name not in ("part", "by")]
        return tuple(
            dict.fromkeys([*(PART if "part" in self.takes else ()), *(["by"] if self.dimensions else []), *asked])
        )

    def breakdowns(self) -> tuple[str, ...]:
        """Return the dimensions that the answer can be broken down by."""
        return tuple(name for name in _found(self.dimensions) if name not in self.without) if self.dimensions else ()

    def ask(self, db: Warehouse, given: Mapping[str, Any]) -> pl.DataFrame:
        """Return the answer; `given` has a value for each name in `takes`, `named` and `worked_out`."""
        named = {parameter: given[option] for parameter, option in self.named.items()}
        named |= {parameter: given[parameter] for parameter in self.worked_out}
        frame: pl.DataFrame = _found(self.answer)(db, *(given[name] for name in self.takes), **named, **self.fixed)
        return frame

    def columns(self, frame: pl.DataFrame) -> list[str]:
        """Return the columns of an answer that a screen shows, in their order."""
        if self.shown:
            return [column for column in self.shown if column in frame.columns]
        unsaid = _unsaid(frame) if self.brief else set()
        return [column for column in frame.columns if column not in {*self.hidden, *unsaid}]


def _unsaid(frame: pl.DataFrame) -> set[str]:
    """Return the columns that say what goes without saying: all table days have wagers, and nothing was entered twice."""
    zero = [name for name in ("repeated_drops", "repeated_slips", "win_without_wagers_cents") if name in frame.columns]
    unsaid: set[str] = {name for name in zero if not (frame[name] != 0).any()}
    if frame["table_days"].equals(frame["table_days_with_wagers"]):
        unsaid.add("table_days_with_wagers")
    return unsaid


def _found(dotted: str) -> Any:
    module, _, name = dotted.rpartition(".")
    return getattr(import_module(f"analytics.{module}"), name)


def questions(subject: Subject) -> dict[str, Question]:
    """Return the questions of a subject by name, in the order in which they are listed."""
    return {each.name: each for each in QUESTIONS if each.subject == subject}


def _hold(
    name: str, title: str, answer: str, dimensions: str = "", by: str = "", page: str = "", **more: Any
) -> Question:
    page = page and f"Hold, {page}"
    answer, dimensions = f"hold.{answer}", dimensions and f"hold.{dimensions}"
    return Question("hold", name, title, answer, dimensions, by, page, **more)


def _errors(
    name: str, title: str, answer: str, dimensions: str = "", by: str = "", page: str = "", **more: Any
) -> Question:
    page = page and f"Dealer errors, {page}"
    answer, dimensions = f"errors.{answer}", dimensions and f"errors.{dimensions}"
    return Question("errors", name, title, answer, dimensions, by, page, **more)


# fmt: off
QUESTIONS: tuple[Question, ...] = (
    _hold(
        "periods", "drop, win and hold % by count period (--period) of the property, a game or a table",
        "periods.hold_by_period", "periods.PER_BOX", "table", page="Counted", takes=("by", "period", "part"), per_box=True,
        brief=True, of_counts=True,
    ),
    _hold(
        "to-date", "the newest day, its month and its year to date", "periods.month_and_year_to_date", "periods.PER_BOX",
        "table", takes=("by", "last", "part"), per_box=True, brief=True, of_counts=True,
    ),
    _hold(
        "wagers", "handle, payouts, house win, house win % by game, table, wager, paytable, dealer, shift, hour or day",
        "hold.hold_by", "hold.DIMENSIONS", "wager", page="By wager",
    ),
    _hold(
        "theory", "actual vs. theoretical win for each wager: bands, p-values, alarms", "against_theory.win_against_theory",
        "against_theory.BY", "game", page="Actual vs. theoretical",
        shown=("table_id", "dealer", "shift", "hour", "gaming_day", "month", "game", "wager", "paytable", "rounds",
            "house_win_cents", "theoretical_win_cents", "low_95_cents", "high_95_cents", "z", "p_adjusted", "sentence"),
    ),
    _hold(
        "win", "actual and theoretical win, summed, with the band of chance", "theoretical.theoretical_win",
        "theoretical.BY_THEORETICAL", "game", page="Actual vs. theoretical", fixed={"bands": True},
    ),
    _hold(
        "change", "hold % compared with the period before (--from, --to; default: the newest day)", "changes.hold_changes",
        "periods.PER_BOX", "table", page="Counted", per_box=True, compared=True, of_wagers=False, of_counts=True,
    ),
    _hold(
        "win-change", "house win of each wager compared with the period before (--from, --to; default: the newest day)",
        "changes.house_win_changes", "changes.BY_CHANGE", "game", page="Actual vs. theoretical", compared=True,
        hidden=("chapter", "unit_cents", "prior_unit_cents", "p"),
    ),
    _hold(
        "reconcile", "house win of the wagers, reconciled with the win as counted", "reconciliation.reconciliation",
        "reconciliation.BY_RECONCILIATION", "table", page="Counted", per_box=True, brief=True, of_counts=True,
    ),
    _hold(
        "day", "the parts of a table's day (--table, --from, --to), which sum to its win: volume, edge, luck, errors, counts",
        "day.parts_of_win", page="Day explained", takes=("part",), per_box=True, of_counts=True,
        shown=("title", "cents", "count", "probability"),
    ),
    _hold(
        "funnel", "dealers (or tables, …) side by side, with limits that narrow with volume", "control.funnel",
        "control.BY_FUNNEL", "dealer", page="Actual vs. theoretical", takes=("by", "part", "wager"),
        hidden=("unit_cents", "low_997_percent", "high_997_percent", "p"),
    ),
    _hold(
        "chart", "actual vs. theoretical by day: CUSUM and EWMA", "control.over_time", "control.BY_TIME", "gaming_day",
        page="Over time", takes=("by", "part", "wager"),
    ),
    _hold(
        "investigate", "periods whose hold % requires a written investigation; --open records them in --log",
        "investigations.written_investigations", "periods.PER_BOX", "table", page="Counted", takes=("by", "period", "part"),
        per_box=True, of_wagers=False, of_counts=True,
        shown=("table_id", "game", "period", "ended", "drop_cents", "win_cents", "hold_percent", "prior_hold_percent",
            "low_95_percent", "high_95_percent", "sentence"), also=("open", "by_person", "log"),
    ),
    _hold(
        "pace", "rounds and decisions per hour", "pace.pace", "pace.BY_PACE", "table", page="Game pace",
    ),
    _hold(
        "pace-audit", "pace compared with the usual pace of the game and hour", "pace.pace_audit", "pace.BY_PACE", "dealer",
        page="Game pace", without=("property",),
    ),
    _hold(
        "average", "average wagers", "pace.average_wagers", "pace.BY_PACE", "game",
    ),
    _hold(
        "take-up", "take-up of side wagers", "pace.side_wager_take_up", "pace.BY_PACE", "game", page="Game pace",
    ),
    _hold(
        "tray", "table days whose inventory does not reconcile", "periods.tray_differences", takes=("part",), per_box=True,
        of_counts=True,
        shown=("table_id", "gaming_day", "game", "expected_closer_cents", "closer_cents", "difference_cents", "unsettled",
            "repeated_slips", "findings"),
    ),
    _hold(
        "behind", "the wagers of a figure (--wager, --paytable, --hour, --seat)", "behind.wagers_behind",
        page="Wager detail", takes=("part",),
        named={"wager": "wager", "paytable": "paytable", "hour": "hour", "seat": "seat"},
        hidden=("handle_cents", "payouts_cents", "bettor", "number"),
    ),
    _hold(
        "counts", "the counts of drop, win and hold %", "behind.counts_behind", page="Counted", takes=("part",),
        per_box=True, of_wagers=False, of_counts=True,
    ),
    _errors(
        "rates",
        "errors per 1,000 rounds and wagers, by dealer, table, game, code, shift, hour or seat (--procedure: all findings)",
        "mistakes.error_rates", "mistakes.BY_MISTAKES", "dealer", page="Rates", worked_out=("money_only",),
        hidden=("per_1000_wagers_low", "per_1000_wagers_high", "p"), also=("procedure",),
    ),
    _errors(
        "change",
        "rounds with a mispayment per 1,000, compared with the period before (--from, --to; default: the newest day)",
        "rate_changes.error_rate_changes", "rate_changes.BY_CHANGE", "dealer", page="Rates", compared=True,
    ),
    _errors(
        "patterns", "repeated errors by dealer, patron token and direction: where to look, not an accusation",
        "patterns.repeat_patterns", page="Recurring errors", takes=("part",),
        shown=("kind", "times", "of", "expected", "amount_cents", "p_adjusted", "sentence"),
    ),
    _errors(
        "rules", "the rules of play broken most often", "mistakes.error_prone_rules", page="Rules broken", takes=("part",),
    ),
    _errors(
        "detection", "time to detection, by code, dealer, …", "mistakes.time_to_detection", "mistakes.BY_MISTAKES", "code",
        page="Time to detection",
    ),
    _errors(
        "alarms", "how many findings of each code reviewers and corrections confirmed", "mistakes.false_alarms",
        page="False alarms", takes=(),
    ),
    _errors(
        "behind", "the findings of a figure (--code, --seat, --patron)", "mistakes.findings_behind", takes=("part",),
        named={"code": "code", "seat": "seat", "bettor": "patron"}, hidden=("finding_id", "bettor", "severity", "hour"),
    ),
)
# fmt: on
"""In the order in which they are listed."""
