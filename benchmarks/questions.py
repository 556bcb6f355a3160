"""Every question of a page or command to a warehouse, by page (a test compares this list with the pages).

For a page with choices, the list has the first view, each breakdown, and parts of the floor that differ in size: everything, a
month, a table, a dealer.
"""

from collections.abc import Callable
from datetime import UTC, date
from functools import partial
from typing import Any, Final

from analytics import integrity, live, rules
from analytics.errors import dealer_errors, queue
from analytics.fairness import fairness
from analytics.hold import against_theory, control_charts, figure_detail, hold, periods, win_parts
from analytics.questions import QUESTIONS as REGISTRY
from analytics.questions import Question as Registered
from analytics.search import disputes, search_words
from analytics.search.disputes import Remembered
from analytics.search.remembered import cards_typed, time_typed
from analytics.warehouse import floor_data, round_data
from analytics.warehouse.selection import Selection
from analytics.warehouse.warehouse import Warehouse

Question = Callable[[Warehouse], Any]

LAST_DAY: Final = date(2026, 10, 27)
TABLE: Final = Selection(table="fu-007")
DEALER: Final = Selection(dealer="d-007")
WEEK: Final = Selection(first=date(2026, 10, 21), last=LAST_DAY)
MONTH: Final = Selection(first=date(2026, 10, 1), last=LAST_DAY)
FINDING: Final = "f7"
"""A finding that is there however many rounds there are."""
DONE: Final = queue.QueueFilters(
    without=tuple(f"f{round_ * 100 + table}" for round_ in range(10_000) for table in range(100) if (round_ + table) % 200 == 7)
)
"""The findings that wait, when as many are disposed of."""
A_SENTENCE: Final = "seat 3 last night around nine, $25 on the base wager, had ace king"
A_HAND: Final = cards_typed("ace of spades, king of hearts, queen").cards


def _registered(question: Registered, db: Warehouse, by: str = "", part: Selection | None = None) -> object:
    """Ask a question of the registry; of a period compared with the one before, the last day if no part is named."""
    whole = Selection(first=LAST_DAY, last=LAST_DAY) if question.compared else Selection()
    options = dict.fromkeys((*question.takes, *question.named.values()))
    given = options | {"by": by or question.by, "part": part or whole, "period": "month", "money_only": True}
    return question.ask(db, given)


def _of_page(subject: str) -> dict[str, Question]:
    """Return the questions that a page asks, by each dimension that it offers, and of a month."""
    shown = [each for each in REGISTRY if each.subject == subject and each.view]
    by_dimension: dict[str, Question] = {
        f"{each.name}, by {by}": partial(_registered, each, by=by) for each in shown for by in each.offered()
    }
    return by_dimension | {f"{each.name}, a month": partial(_registered, each, part=MONTH) for each in shown if each.takes}


def _what_if(db: Warehouse) -> object:
    filed = rules.filings(db)[0]
    submission = rules.read(filed.toml, filed.readings)
    assert isinstance(submission, rules.ReadSubmission), submission
    answer = rules.what_if(db, submission, "fortune_bonus", "2")
    assert answer is not None
    return answer, rules.what_if_anywhere(db, submission, "fortune_bonus", "2")


def _last_page(db: Warehouse) -> object:
    findings = queue.queue_totals(db)["incidents"][0]
    return queue.incidents_queue(db, limit=50, offset=max(0, findings - 50))


def _far_behind(db: Warehouse) -> object:
    return figure_detail.wagers_behind(db, limit=100, offset=figure_detail.sums_behind(db)["wagers"][0] // 2)


_EVERY_PAGE: Final[dict[str, Question]] = {
    "property": floor_data.property_facts,
    "choices of a part of the floor": floor_data.choices,
    "tables": floor_data.tables,
    "any round": round_data.has_rounds,
    "gaming days": floor_data.gaming_days,
    "shifts": floor_data.shifts,
}
_FLOOR: Final[dict[str, Question]] = {
    "now": live.base,
    "a day": partial(floor_data.floor_overview, gaming_day=LAST_DAY),
    "all days": floor_data.floor_overview,
    "findings of a day": partial(queue.queue_totals, filters=queue.QueueFilters(gaming_day=LAST_DAY)),
}
_QUEUE: Final[dict[str, Question]] = {
    "choices": queue.queue_choices,
    "totals": queue.queue_totals,
    "first page": partial(queue.incidents_queue, limit=50),
    "first page, alike as one": partial(queue.incidents_queue, together=True, limit=50),
    "first page, 5,000 done": partial(queue.incidents_queue, filters=DONE, limit=50),
    "the whole list, to export": queue.findings_listed,
    "totals, 5,000 done": partial(queue.queue_totals, filters=DONE),
    "last page": _last_page,
    "a finding": partial(queue.incident, finding_id=FINDING),
    "those alike": partial(queue.alike, finding_id=FINDING),
}
_ROUND: Final[dict[str, Question]] = {
    "a round": lambda db: round_data.round_view(db, "table/fu-042", 50),
    "rounds of a table and day": partial(round_data.rounds_of, table="fu-042", gaming_day=LAST_DAY),
}
_DISPUTE: Final[dict[str, Question]] = {
    "the wagers": disputes.wagers,
    "when a day was played": partial(search_words.played_between, remembered=Remembered(gaming_day=LAST_DAY)),
    "an example": partial(search_words.example, zone=UTC, currency="USD"),
    "a sentence, read": partial(search_words.read, text=A_SENTENCE, today=LAST_DAY),
    "a sentence": partial(search_words.search, text=A_SENTENCE, today=LAST_DAY),
    "a day": partial(disputes.find, statement=Remembered(gaming_day=LAST_DAY)),
    "day, time, seat": partial(disputes.find, statement=Remembered(gaming_day=LAST_DAY, time=time_typed("9:15 pm"), seat=3)),
    "day, time, seat, cards": partial(
        disputes.find, statement=Remembered(gaming_day=LAST_DAY, time=time_typed("9:15"), seat=3, cards=A_HAND)
    ),
    "table, day, time, seat, cards": partial(
        disputes.find, statement=Remembered(table="fu-042", gaming_day=LAST_DAY, time=time_typed("9:15"), seat=3, cards=A_HAND)
    ),
}
_HOLD: Final[dict[str, Question]] = {
    "totals": hold.hold_totals,
    "table days": hold.hold_by_table_day,
    **{f"periods, by {period}": partial(periods.hold_by_period, by="table", period=period) for period in periods.PERIODS},
    "incidents with money": win_parts.incidents_of,
    "counts, a table": partial(figure_detail.counts_behind, selection=TABLE),
    "wagers, by wager, a dealer": partial(hold.hold_by, dimension="wager", selection=DEALER),
    "theory, a dealer": partial(against_theory.win_against_theory, selection=DEALER),
    "chart, a wager": partial(control_charts.over_time, wager="fortune_bonus"),
    "chart, a table": partial(control_charts.over_time, selection=TABLE),
    "behind, sums": figure_detail.sums_behind,
    "behind, first page": partial(figure_detail.wagers_behind, limit=100),
    "behind, a page half way": _far_behind,
    "behind, the largest of a paytable": partial(figure_detail.largest_wagers, wager="fortune_bonus", paytable="1", limit=5),
    "behind, sums of a paytable": partial(figure_detail.sums_behind, wager="fortune_bonus", paytable="1"),
    "behind, first page of a paytable": partial(figure_detail.wagers_behind, wager="fortune_bonus", paytable="1", limit=100),
    "behind, first page of a dealer": partial(figure_detail.wagers_behind, selection=DEALER, limit=100),
    "behind, first page of a month": partial(figure_detail.wagers_behind, selection=MONTH, limit=100),
}
_FAIRNESS: Final[dict[str, Question]] = {
    **{f"by {by}": partial(fairness.fairness, by=by) for by in fairness.BY_FAIRNESS},
    **{f"by {by}, a month": partial(fairness.fairness, by=by, selection=MONTH) for by in fairness.BY_FAIRNESS},
    **{f"counts of {family}": partial(fairness.fairness_counts, family=family, by="table") for family in fairness.COUNTED},
}
_INTEGRITY: Final[dict[str, Question]] = {"about the log": integrity.about_the_log}
_RULES: Final[dict[str, Question]] = {"filed": rules.filings, "editions": rules.editions, "what if": _what_if}
_HEALTH: Final[dict[str, Question]] = {"generation": floor_data.generation, "devices": integrity.devices}
_COMMANDS: Final[dict[str, Question]] = {
    **{f"{each.subject} {each.name}": partial(_registered, each) for each in REGISTRY},
    "hold theory by dealer, a month": partial(against_theory.win_against_theory, by="dealer", selection=MONTH),
    "hold theory by dealer": partial(against_theory.win_against_theory, by="dealer"),
    "hold theory by table, a week": partial(against_theory.win_against_theory, by="table", selection=WEEK),
    "hold behind, a table's day": partial(
        figure_detail.wagers_behind, selection=Selection(table="fu-007", first=LAST_DAY, last=LAST_DAY)
    ),
    "hold behind, a seat": partial(figure_detail.wagers_behind, selection=TABLE, seat=3),
    "errors behind, a dealer": partial(dealer_errors.findings_behind, selection=DEALER),
    "errors by gaming day": partial(dealer_errors.error_rates, by="gaming_day"),
    "errors by dealer and table": partial(dealer_errors.error_rates, by="dealer_table"),
}

QUESTIONS: Final[dict[str, Question]] = {
    f"{where}: {what}": question
    for where, asked in {
        "Every page": _EVERY_PAGE,
        "Floor": _FLOOR,
        "Queue": _QUEUE,
        "Round": _ROUND,
        "Dispute": _DISPUTE,
        "Hold": _of_page("hold") | _HOLD,
        "Dealers": _of_page("errors"),
        "Fairness": _FAIRNESS,
        "Integrity": _INTEGRITY,
        "Rules": _RULES,
        "Health": _HEALTH,
        "rack": _COMMANDS,
    }.items()
    for what, question in asked.items()
}
"""“page: question” → the question."""
