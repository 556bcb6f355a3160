"""All questions of hold and dealer errors: name, title, answering function, and breakdowns.

`rack hold`, `rack dealer-errors`, the list in docs/analyst-guide.md and the benchmark of questions come from this table.
Answering functions are named, not imported, so that a command prints its help without them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    import polars as pl

    from analytics.warehouse.warehouse import Warehouse

Subject = Literal["hold", "errors"]
PART = ("table", "game", "dealer", "shift", "first", "last")
"""What selects a part of the floor."""
PAGES: Final[Mapping[Subject, str]] = {"hold": "Hold", "errors": "Dealer errors"}
VIEWS: Final[Mapping[Subject, Mapping[str, str]]] = {
    "hold": {
        "counted": "Counted",
        "wagers": "By wager",
        "day": "Day explained",
        "luck": "Actual vs. theoretical",
        "time": "Over time",
        "pace": "Game pace",
        "behind": "Wager detail",
    },
    "errors": {
        "rates": "Rates",
        "repeats": "Recurring errors",
        "rules": "Rules broken",
        "time": "Time to detection",
        "alarms": "False alarms",
    },
}
"""The views of each page, in their order: the name in its address, and the title."""
DIMENSIONS: Final[Mapping[str, str]] = {
    "game": "Game",
    "table": "Table",
    "wager": "Wager",
    "paytable": "Paytable",
    "dealer": "Dealer",
    "code": "Finding",
    "shift": "Shift",
    "hour": "Hour",
    "seat": "Seat",
    "gaming_day": "Gaming day",
}
"""The dimensions that a page offers, in words."""
PERIODS: Final[Mapping[str, str]] = {"month": "Month", "gaming_day": "Gaming day", "year": "Year", "all": "All days"}
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
        return tuple(
            dict.fromkeys([*(PART if "part" in self.takes else ()), *(["by"] if self.dimensions else []), *asked])
        )

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
        """What answers it."""
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


def _hold(name: str, title: str, answer: str, dimensions: str = "", by: str = "", **more: Any) -> Question:
    return Question("hold", name, title, f"hold.{answer}", dimensions and f"hold.{dimensions}", by, **more)


def _errors(name: str, title: str, answer: str, dimensions: str = "", by: str = "", **more: Any) -> Question:
    return Question("errors", name, title, f"errors.{answer}", dimensions and f"errors.{dimensions}", by, **more)


# fmt: off
QUESTIONS: tuple[Question, ...] = (
    _hold(
        "periods", "drop, win and hold % by count period (--period) of the property, a game or a table",
        "periods.hold_by_period", "periods.PER_BOX", "table", view="counted", takes=("by", "period", "part"), per_box=True,
        brief=True, of_counts=True,
        heading="By {by} and {period}",
        headings=("Table", "From", "Table days", "Drop", "Win", "Hold %", "Handle", "House win", "House win %"),
    ),
    _hold(
        "to-date", "the newest day, its month and its year to date", "periods.month_and_year_to_date", "periods.PER_BOX",
        "table", takes=("by", "last", "part"), per_box=True, brief=True, of_counts=True,
    ),
    _hold(
        "wagers", "handle, payouts, house win, house win % by game, table, wager, paytable, dealer, shift, hour or day",
        "hold.hold_by", "hold.DIMENSIONS", "wager", view="wagers",
        heading="House win by {by}",
        headings=("{by}", "Wagers", "Handle", "Payouts", "House win", "House win %", "Theory", "95 % range",
            "Paid by meters", "Not settled"),
    ),
    _hold(
        "theory", "actual vs. theoretical win for each wager: bands, p-values, alarms", "against_theory.win_against_theory",
        "against_theory.BY", "game", view="luck",
        shown=("table_id", "dealer", "shift", "hour", "gaming_day", "month", "game", "wager", "paytable", "rounds",
            "house_win_cents", "theoretical_win_cents", "low_95_cents", "high_95_cents", "z", "p_adjusted", "sentence"),
        heading="Actual vs. theoretical",
        headings=("Verdict", "Wager", "Wagers", "House win", "Theory", "95 % range", "Explanation"),
    ),
    _hold(
        "win", "actual and theoretical win, summed, with the band of chance", "theoretical.theoretical_win",
        "theoretical.BY_THEORETICAL", "game", view="luck", fixed={"bands": True},
        heading="Actual and theoretical win, summed",
    ),
    _hold(
        "change", "hold % compared with the period before (--from, --to; default: the newest day)", "changes.hold_changes",
        "periods.PER_BOX", "table", view="counted", per_box=True, compared=True, of_wagers=False, of_counts=True,
        heading="Hold % and the period before",
        headings=("Verdict", "Table", "Drop", "Win", "Hold %", "Before", "Change", "95 % range", "Chance"),
    ),
    _hold(
        "win-change", "house win of each wager compared with the period before (--from, --to; default: the newest day)",
        "changes.house_win_changes", "changes.BY_CHANGE", "game", view="luck", compared=True,
        hidden=("chapter", "unit_cents", "prior_unit_cents", "p"),
        heading="House win and the period before",
        headings=("Verdict", "Wager", "House win %", "Before", "Change", "95 % range", "Chance"),
    ),
    _hold(
        "reconcile", "house win of the wagers, reconciled with the win as counted", "reconciliation.reconciliation",
        "reconciliation.BY_RECONCILIATION", "table", view="counted", per_box=True, brief=True, of_counts=True,
        heading="Win and house win reconciled",
    ),
    _hold(
        "day", "the parts of a table's day (--table, --from, --to), which sum to its win: volume, edge, luck, errors, counts",
        "day.parts_of_win", view="day", takes=("part",), per_box=True, of_counts=True,
        shown=("title", "cents", "count", "probability"),
        heading="Parts of the win",
        headings=("Part", "Amount", "What is known of it", "Detail"),
    ),
    _hold(
        "funnel", "dealers (or tables, …) side by side, with limits that narrow with volume", "control.funnel",
        "control.BY_FUNNEL", "dealer", view="luck", takes=("by", "part", "wager"),
        hidden=("unit_cents", "low_997_percent", "high_997_percent", "p"),
        heading="Comparison with the floor", off_page=("gaming_day",),
    ),
    _hold(
        "chart", "actual vs. theoretical by day: CUSUM and EWMA", "control.over_time", "control.BY_TIME", "gaming_day",
        view="time", takes=("by", "part", "wager"),
        heading="Day by day",
        headings=("Verdict", "Gaming day", "CUSUM", "Weighted mean", "House win", "Theory"),
    ),
    _hold(
        "investigate", "periods whose hold % requires a written investigation; --open records them in --log",
        "investigations.written_investigations", "periods.PER_BOX", "table", view="counted", takes=("by", "period", "part"),
        per_box=True, of_wagers=False, of_counts=True,
        shown=("table_id", "game", "period", "ended", "drop_cents", "win_cents", "hold_percent", "prior_hold_percent",
            "low_95_percent", "high_95_percent", "sentence"), also=("open", "by_person", "log"),
        heading="Written investigations",
        headings=("Verdict", "Table", "Month", "Hold %", "Month before", "Explanation"),
    ),
    _hold(
        "pace", "rounds and decisions per hour", "pace.pace", "pace.BY_PACE", "table",
    ),
    _hold(
        "pace-audit", "pace compared with the usual pace of the game and hour", "pace.pace_audit", "pace.BY_PACE", "dealer",
        view="pace", without=("property",),
        heading="Pace by {by}",
        headings=("Who", "Rounds", "Rounds an hour", "Expected rounds", "Index"),
    ),
    _hold(
        "average", "average wagers", "pace.average_wagers", "pace.BY_PACE", "game",
    ),
    _hold(
        "take-up", "take-up of side wagers", "pace.side_wager_take_up", "pace.BY_PACE", "game", view="pace",
        heading="Take-up of side wagers",
        headings=("Game", "Wager", "Made", "Of base wagers", "Average"),
    ),
    _hold(
        "tray", "table days whose inventory does not reconcile", "periods.tray_differences", takes=("part",), per_box=True,
        of_counts=True,
        shown=("table_id", "gaming_day", "game", "expected_closer_cents", "closer_cents", "difference_cents", "unsettled",
            "repeated_slips", "findings"),
    ),
    _hold(
        "behind", "the wagers of a figure (--wager, --paytable, --hour, --seat)", "behind.wagers_behind",
        view="behind", takes=("part",),
        named={"wager": "wager", "paytable": "paytable", "hour": "hour", "seat": "seat"},
        hidden=("handle_cents", "payouts_cents", "bettor", "number"),
        heading="Wagers in detail",
        headings=("Round", "Where", "Wager", "Staked", "House win", "Why"),
    ),
    _hold(
        "counts", "the counts of drop, win and hold %", "behind.counts_behind", view="counted", takes=("part",),
        per_box=True, of_wagers=False, of_counts=True,
        heading="Every count",
        headings=("Table", "Gaming day", "Event", "Count", "Amount", "Slip or box", "Remark"),
    ),
    _errors(
        "rates",
        "errors per 1,000 rounds and wagers, by dealer, table, game, code, shift, hour or seat (--procedure: all findings)",
        "mistakes.error_rates", "mistakes.BY_MISTAKES", "dealer", view="rates", worked_out=("money_only",),
        hidden=("per_1000_wagers_low", "per_1000_wagers_high", "p"), also=("procedure",),
        heading="Mispayments by {by}", off_page=("gaming_day",),
        headings=("{by}", "Verdict", "Rounds", "Mispayments", "Overpaid", "Underpaid", "Mispaid rounds per 1,000",
            "Observed, expected", "Mispaid wagers per 1,000"),
    ),
    _errors(
        "change",
        "rounds with a mispayment per 1,000, compared with the period before (--from, --to; default: the newest day)",
        "rate_changes.error_rate_changes", "rate_changes.BY_CHANGE", "dealer", view="rates", compared=True,
        heading="Mispayments and the period before",
        headings=("Verdict", "{by}", "Now", "Before", "Change", "Chance"),
    ),
    _errors(
        "patterns", "repeated errors by dealer, patron token and direction: where to look, not an accusation",
        "patterns.repeat_patterns", view="repeats", takes=("part",),
        shown=("kind", "times", "of", "expected", "amount_cents", "p_adjusted", "sentence"),
        heading="Recurring errors",
        headings=("Verdict", "Recurring error", "Times", "By chance", "Money"),
    ),
    _errors(
        "rules", "the rules of play broken most often", "mistakes.error_prone_rules", view="rules", takes=("part",),
        heading="Rules broken",
        headings=("Rule", "Game", "Findings", "Dealers", "Most by one", "Per 1,000 rounds"),
    ),
    _errors(
        "detection", "time to detection, by code, dealer, …", "mistakes.time_to_detection", "mistakes.BY_MISTAKES", "code",
        view="time",
        heading="Time to detection",
        headings=("Finding", "Findings", "Until the round closed", "Until first looked at", "Until disposed of",
            "Not looked at yet"),
    ),
    _errors(
        "alarms", "how many findings of each code reviewers and corrections confirmed", "mistakes.false_alarms",
        view="alarms", takes=(),
        heading="False alarms",
        headings=("Finding", "In force", "Withdrawn", "Disposed of", "Confirmed", "False alarms", "Record wrong",
            "False alarm rate"),
    ),
    _errors(
        "behind", "the findings of a figure (--code, --seat, --patron)", "mistakes.findings_behind", takes=("part",),
        named={"code": "code", "seat": "seat", "bettor": "patron"}, hidden=("finding_id", "bettor", "severity", "hour"),
    ),
)
# fmt: on
"""In the order in which they are listed."""
