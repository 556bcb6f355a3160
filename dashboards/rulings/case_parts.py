"""Cases as markup: the list by deadline, a case's facts and attachments, and due dates. Pure functions."""

from collections.abc import Mapping, Sequence
from datetime import date
from textwrap import shorten

from dashboards.drawing import markup
from dashboards.drawing.markup import Html
from dashboards.drawing.names import day_name
from desk.review.cases import CaseFile, Decision, PatronCase
from replay.narrative.names import capitalized, plural, table_name

LIST = {"Case": "short", "Due": "short", "State": "text", "Owner": "short", "Where": "text", "Claim": "text"}
FILES = {"File": "text", "Bytes": "number", "SHA-256": "short", "What it is": "text", "Checked now": "short"}
SOON_DAYS = 7
MOST_DUE = 5
SHOWN_OF_CLAIM = 160
"""Characters of a claim that a list shows."""


def days_left(case: CaseFile, today: str) -> int:
    """Return the days until a case is due; negative if it is overdue."""
    return (date.fromisoformat(case.due) - date.fromisoformat(today)).days


def due_words(case: CaseFile, today: str) -> str:
    """Return the due date of a case in words.

    >>> due_words(CaseFile(number=1, dispute="d", round_no=1, seat=1, patron=None, claim="x", due="2026-03-01", opened_by="a",
    ...     opened_us=0), "2026-03-03")
    'overdue by 2 days'
    """
    left = days_left(case, today)
    if left < 0:
        return f"overdue by {plural(-left, 'day')}"
    return "due today" if left == 0 else f"due in {plural(left, 'day')}"


def is_due_soon(case: CaseFile, today: str) -> bool:
    """Return whether a case is open and overdue or due within a week."""
    return case.decision is None and days_left(case, today) <= SOON_DAYS


def state_words(case: CaseFile) -> str:
    """Return the state of a case, by shape and word."""
    if case.decision is not None:
        return f"✔︎ {capitalized(case.decision.words)}"
    if case.pending is not None:
        return f"◈ {capitalized(case.pending.words)}"
    return "↺ Appealed, open again" if case.appeals else "○ Open"


def listed(found: Sequence[PatronCase], today: str) -> Html:
    """Return the cases as a table; overdue ones are highlighted."""
    rows = [
        [
            markup.link("cases", each.name, case=each.name),
            _due(each.case, today),
            state_words(each.case),
            each.case.owner or "–",
            _where(each),
            shorten(each.case.claim, SHOWN_OF_CLAIM, placeholder=" …"),
        ]
        for each in found
    ]
    return markup.table(LIST, rows, "Cases", marked=[i for i, each in enumerate(found) if each.case.overdue(today)])


def due_cases(found: Sequence[PatronCase], today: str) -> Html:
    """Return the open cases as links with their deadlines, overdue ones first; empty if none is open."""
    due = [each for each in found if each.case.decision is None]
    links = [markup.link("cases", f"{each.name} {due_words(each.case, today)}", case=each.name) for each in due[:MOST_DUE]]
    if len(due) > MOST_DUE:
        links.append(markup.link("cases", f"{len(due) - MOST_DUE} more"))
    late = any(each.case.overdue(today) for each in due)
    if not links:
        return Html("")
    return Html(f'<p class="rk-due{" rk-late" if late else ""}"><strong>Open cases</strong> {" · ".join(links)}</p>')


def facts(found: PatronCase, today: str) -> Html:
    """Return the facts of a case: claim, deadline, owner, patron, and decision."""
    case = found.case
    pairs = {
        "Claim": f"“{case.claim}”",
        "Due": f"{day_name(date.fromisoformat(case.due))}" + ("" if case.decision is not None else f", {due_words(case, today)}"),
        "Owner": case.owner or "No one yet",
        "Patron": case.patron or "Token not on record",
        "Video": "; ".join(f"{each.by} {each.says}" for each in found.videos) or "None marked for this round",
    }
    if case.decision is not None:
        pairs["Decision"] = decision_words(case.decision)
    elif case.pending is not None:
        pairs["Decision"] = decision_words(case.pending)
    lines = "".join(f"<dt>{name}</dt><dd>{markup.text(words)}</dd>" for name, words in pairs.items())
    return Html(f'<div class="rk-answer rk-a-none"><dl class="rk-pair">{lines}</dl></div>')


def decision_words(of: Decision) -> str:
    """Return the decision, by whom and why."""
    by = f"{of.by} and {of.second_by}" if of.second_by else of.by
    against = f" Against the record because: {of.override}" if of.override else ""
    return f"{capitalized(of.words)}, by {by}: {of.reason}{against}"


def attachments(case: CaseFile, faults: Mapping[str, str]) -> Html:
    """Return the attachments of a case; `faults` maps SHA-256 to the fault of one that cannot be opened whole."""
    rows = [
        [
            each.name,
            f"{each.size:,}",
            f"{each.digest[:12]}…",
            each.note,
            f"✗ {faults[each.digest]}" if each.digest in faults else "✓ as attached",
        ]
        for each in case.attachments
    ]
    marked = [i for i, each in enumerate(case.attachments) if each.digest in faults]
    return markup.table(FILES, rows, "Attachments", marked=marked)


def chips(found: Sequence[PatronCase]) -> Html:
    """Return links to the cases of a round."""
    return Html("".join(markup.button_link("cases", f"Case {each.name}", case=each.name) for each in found))


def _due(case: CaseFile, today: str) -> Html:
    words = "" if case.decision is not None else due_words(case, today)
    return markup.two_lines(day_name(date.fromisoformat(case.due)), words)


def _where(found: PatronCase) -> str:
    seat = "" if found.case.seat is None else f", seat {found.case.seat}"
    return f"{table_name(found.table)}, round {found.case.round_no:,}{seat}"
