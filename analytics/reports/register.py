"""The errors and disputes register: every incident and dispute with its outcome, and savings and losses.

Invariant: overpayments and underpayments are those of the findings, never netted (D27); a finding that was no fault (a false
alarm, a wrong record, a duplicate) has no money (D692); a patron who holds the bank bears overpayments; money counts as
recovered, paid or held only if the disposition is in force (D585).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
import polars as pl

from analytics.reports.sources import Sources, table_of
from analytics.warehouse.loading import schema_of
from desk.report.content import Report, ReportingRule, ReportTable
from desk.review.desk import FindingReview, TableReview
from desk.review.disputes import CaseFile, case_name
from replay.narrative.findings import finding_title
from replay.narrative.reviews import DISPOSITIONS, OUTCOMES
from rulebook.catalogue import GAMES

NAME, TITLE = "errors-disputes", "Errors and disputes register"
RULES: Final = (
    ReportingRule(cite="9 NYCRR 5314.3", role="helps", asks="log of surveillance: what was seen, what was done about it"),
    ReportingRule(cite="N.J.A.C. 13:69D-1.34", role="helps", asks="exceptions and adjustments of the month"),
    ReportingRule(cite="PGCB, complaints", role="helps", asks="disputes of patrons with their outcome"),
)
NO_FAULT: Final = frozenset({"false_alarm", "record_wrong", "duplicate"})
"""Dispositions by which nothing went wrong at the table, or nothing else than another finding says."""


class IncidentMoney(msgspec.Struct):
    """The money of an incident, in cents."""

    overpaid: int
    underpaid: int
    recovered: int = 0
    paid: int = 0
    patron_banked: bool = False

    @property
    def loss(self) -> int:
        """Overpayments not recovered, borne by the house, so 0 if a patron holds the bank."""
        return 0 if self.patron_banked else max(0, self.overpaid - self.recovered)

    @property
    def owed(self) -> int:
        """Underpayments neither paid nor held for the patrons."""
        return max(0, self.underpaid - self.paid)


def errors_and_disputes(sources: Sources) -> Report:
    """Return the report: sums by table and dealer, the incidents, and the disputes."""
    reviews = sources.reviews()
    incidents = [(row, *money_of(row, reviews)) for row in _incidents(sources).iter_rows(named=True)]
    money = [(row, spent) for row, spent, _ in incidents]
    tables = [
        _summed("by-table", "By table", "table_id", money),
        _summed("by-dealer", "By dealer", "dealer", money),
        _listed(incidents),
        _disputes(sources, reviews),
    ]
    observed = _observed(sources)
    if not observed.is_empty():
        tables.append(table_of("observed", "Observed rounds", observed))
    limits = [
        "What is found rests on the events of the devices; what was settled at the table without being recorded is not here.",
        "Incidents of no round (gaps in the log, a meter's own stream) have no gaming day and are not here: see meters.",
        "A dealer's figures are a place to look and no finding about a person; rack dealer-errors has rates with intervals.",
        "Amounts recovered, paid and held are those that people stated and signed, not receipts.",
    ]
    return sources.report(NAME, TITLE, rules=RULES, tables=tables, limits=limits)


def _observed(sources: Sources) -> pl.DataFrame:
    """Return the observations with a round in the period; only a sample has a rate (D903)."""
    return sources.rows(
        """
        SELECT
            m.table_id, m.observation, replace(m.basis, '_', ' ') AS counts_as, m.dealer, m.entered AS observed_rounds,
            m.known AS known_rounds, m.wrong AS wrong_rounds, m.unread AS unread_rounds, m.patron_short_cents,
            m.house_short_cents, m.says AS shows
        FROM mart_observations AS m
        SEMI JOIN (
            SELECT stream, coalesce(observation, '') AS observation FROM fct_observed_rounds
            WHERE gaming_day BETWEEN $first AND $last
        ) AS r USING (stream, observation)
        ORDER BY m.table_id, m.observation
        """
    )


def _incidents(sources: Sources) -> pl.DataFrame:
    return sources.rows(
        """
        SELECT
            i.incident_id, i.finding_ids, i.stream, i.table_id, i.gaming_day, i.round_no, i.dealer, i.code, i.severity,
            i.game, f.overpaid, f.underpaid
        FROM fct_incidents AS i
        INNER JOIN (
            SELECT
                incident_id,
                list(overpaid_cents ORDER BY finding_id) AS overpaid,
                list(underpaid_cents ORDER BY finding_id) AS underpaid
            FROM fct_findings
            GROUP BY incident_id
        ) AS f USING (incident_id)
        WHERE i.gaming_day BETWEEN $first AND $last
        ORDER BY i.gaming_day, i.table_id, i.round_no, i.incident_id
        """
    )


def money_of(row: Mapping[str, Any], reviews: Mapping[str, TableReview]) -> tuple[IncidentMoney, list[FindingReview]]:
    """Return the money of an incident after its dispositions, and the reviews of its findings, the cause first."""
    review = reviews.get(row["table_id"])
    ids = sorted(row["finding_ids"], key=lambda each: each != row["incident_id"])
    found = [review.finding(each) if review is not None else FindingReview(finding_id=each) for each in ids]
    standing = [each.resolution for each in found if each.state == "resolved" and each.resolution is not None]
    cleared = {
        each.finding_id
        for each in found
        if each.state == "resolved" and each.resolution is not None and each.resolution.disposition in NO_FAULT
    }
    game = GAMES.get(row["game"])
    overpaid, underpaid = (
        sum(cents for each, cents in zip(row["finding_ids"], row[side], strict=True) if each not in cleared)
        for side in ("overpaid", "underpaid")
    )
    stated = [(each.disposition, each.amount_cents or 0) for each in standing]
    return IncidentMoney(
        overpaid,
        underpaid,
        recovered=sum(cents for name, cents in stated if name == "confirmed_recovered"),
        paid=sum(cents for name, cents in stated if name in ("confirmed_paid_patron", "confirmed_held_for_patron")),
        patron_banked=game is not None and game.patron_banked,
    ), found


def _summed(name: str, title: str, by: str, money: Sequence[tuple[Mapping[str, Any], IncidentMoney]]) -> ReportTable:
    """Return savings and losses, a row for each value; incidents without a dealer are under none."""
    sums: dict[str | None, list[int]] = {}
    for row, of in money:
        figures = (1, of.overpaid, of.recovered, of.loss, of.underpaid, of.paid, of.owed)
        so_far = sums.get(row[by] or None, [0] * len(figures))
        sums[row[by] or None] = [a + b for a, b in zip(so_far, figures, strict=True)]
    columns = ("incidents", "overpaid_cents", "recovered_cents", "loss_cents", "underpaid_cents", "paid_cents", "owed_cents")
    rows = [(value, *sums[value]) for value in sorted(sums, key=lambda each: each or "")]
    schema: dict[str, Any] = {by: pl.String, **dict.fromkeys(columns, pl.Int64)}
    return table_of(name, title, pl.DataFrame(rows, schema=schema, orient="row"))


_INCIDENT: Final = schema_of(
    "gaming_day DATE, table_id VARCHAR, round_no BIGINT, dealer VARCHAR, incident VARCHAR, severity VARCHAR, "
    "overpaid_cents BIGINT, recovered_cents BIGINT, underpaid_cents BIGINT, paid_cents BIGINT, disposition VARCHAR, "
    "signed_by VARCHAR"
)


def _listed(incidents: Sequence[tuple[Mapping[str, Any], IncidentMoney, list[FindingReview]]]) -> ReportTable:
    """Return every incident in the order played; unresolved ones are marked."""
    rows: list[dict[str, Any]] = []
    marked: list[int] = []
    for row, money, found in incidents:
        disposition, signed_by = _dispositions(found)
        if any(each.state != "resolved" for each in found):
            marked.append(len(rows))
        rows.append(
            {
                **{name: row[name] for name in ("gaming_day", "table_id", "round_no", "dealer", "severity")},
                "incident": finding_title(row["code"]),
                "overpaid_cents": money.overpaid,
                "recovered_cents": money.recovered,
                "underpaid_cents": money.underpaid,
                "paid_cents": money.paid,
                "disposition": disposition,
                "signed_by": signed_by,
            }
        )
    frame = pl.DataFrame(rows, schema=_INCIDENT)
    return table_of("incidents", "Incidents", frame, empty="No incident in this period.", marked=tuple(marked))


def _dispositions(found: Sequence[FindingReview]) -> tuple[str, str | None]:
    """Return the dispositions of an incident's findings in words, each once, and all their signers."""
    words, people = [], []
    for each in found:
        if each.resolution is None:
            words.append("open" if each.assigned_to is None else f"open, assigned to {each.assigned_to}")
            continue
        waits = each.state == "awaiting_signature"
        words.append(DISPOSITIONS[each.resolution.disposition] + (", awaits the second signature" if waits else ""))
        people += [each.resolution.by, *([each.resolution.second_by] if each.resolution.second_by else [])]
    return "; ".join(dict.fromkeys(words)), ", ".join(dict.fromkeys(people)) or None


_DISPUTE: Final = schema_of(
    "dispute VARCHAR, table_id VARCHAR, gaming_day DATE, round_no BIGINT, seat BIGINT, patron VARCHAR, claim VARCHAR, "
    "opened_by VARCHAR, opened_at_us BIGINT, outcome VARCHAR, closed_by VARCHAR, closed_at_us BIGINT, case VARCHAR, "
    "due VARCHAR, owner VARCHAR, appeals BIGINT"
)


def _case(table: str, case: CaseFile | None) -> dict[str, Any]:
    """Return the columns of a dispute's case; None if it has none."""
    if case is None:
        return dict.fromkeys(("case", "due", "owner", "appeals"))
    return {"case": case_name(table, case.number), "due": case.due, "owner": case.owner, "appeals": case.appeals}


def _disputes(sources: Sources, reviews: Mapping[str, TableReview]) -> ReportTable:
    """Return the disputes of rounds of the period, open ones marked; one of a round without a verdict is in every period."""
    days = (
        {
            (table, number): day
            for table, number, day in sources.rows("SELECT table_id, round_no, gaming_day FROM fct_rounds").iter_rows()
        }
        if any(review.disputes for review in reviews.values())
        else {}
    )
    rows = []
    for table, review in reviews.items():
        for each in review.disputes.values():
            day = days.get((table, each.round_no))
            if day is not None and not sources.first <= day <= sources.last:
                continue
            opened, closed = each.history[0], each.history[-1] if each.outcome is not None else None
            case = review.case_of(each.dispute)
            rows.append(
                {
                    "dispute": each.dispute,
                    "table_id": table,
                    "gaming_day": day,
                    "round_no": each.round_no,
                    "seat": each.seat,
                    "patron": each.patron,
                    "claim": each.claim,
                    "opened_by": each.opened_by,
                    "opened_at_us": opened.at_us,
                    "outcome": OUTCOMES[each.outcome] if each.outcome is not None else "open",
                    "closed_by": closed.by if closed else None,
                    "closed_at_us": closed.at_us if closed else None,
                    **_case(table, case),
                }
            )
    return table_of(
        "disputes",
        "Disputes of patrons",
        pl.DataFrame(rows, schema=_DISPUTE),
        empty="No dispute about a round of this period.",
        marked=tuple(i for i, row in enumerate(rows) if row["outcome"] == "open"),
    )
