"""A patron's dispute of a round: open it with what the patron says, decide it, both as events in the log through the desk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from analytics.hold.hold import RoundView
from dashboards.access import access
from dashboards.drawing import markup
from dashboards.drawing.names import Formats
from dashboards.parts import desk, review_panel, source
from dashboards.rulings import accounts, case_parts
from desk.review.desk import OUTCOMES, Dispute, FindingReview
from desk.review.incident_desk import incident_state
from replay.narrative.findings import finding_title

AGAINST = "Why against the record, if it is"
AGAINST_HELP = "Only for a decision that the record contradicts. A second person signs it."


def disputes_of(table: str, round_no: int) -> list[Dispute]:
    """Return the disputes of a round, in the order in which they were opened; none if these pages know no log."""
    said = desk.reviews()
    review = None if said is None else said.tables.get(table)
    return [each for each in review.disputes.values() if each.round_no == round_no] if review is not None else []


def case_ways(table: str, round_no: int, seat: int | None) -> markup.Html:
    """Return links to the cases of a round and, for whoever may review, to the form for a new one."""
    said = desk.reviews()
    if said is None:
        return markup.Html("")
    here = [each for each in said.cases() if (each.table, each.case.round_no) == (table, round_no)]
    ways = [case_parts.chips(here)]
    if access.person() is not None and access.may(access.REVIEW):
        ways.append(markup.button_link("cases", "Open a case", table=table, round=round_no, seat=seat))
    return markup.Html(f'<div class="rk-ways">{"".join(ways)}</div>' if any(ways) else "")


def panel(table: str, round_no: int, seat: int | None, here: Sequence[Dispute], formats: Formats) -> None:
    """Show the disputes of a round (`here`), and offer to open or decide one if who looks may review."""
    desk.outcome()
    source.show(case_ways(table, round_no, seat))
    for each in here:
        source.show(markup.section(f"Dispute {each.dispute}: {each.state}"))
        source.show(review_panel.history(each.history, formats))
    said = desk.reviews()
    if said is None:
        return
    review = said.tables.get(table)
    who = access.person()
    if who is None or access.refusal(access.REVIEW) is not None:
        return
    me = desk.actor(who)
    if me is None:
        return
    undecided = next((each for each in here if each.outcome is None), None)
    if undecided is None:
        _open(table, round_no, seat, len(review.disputes) if review is not None else 0, me.id)
    elif undecided.pending is not None and undecided.pending.by != me.id:
        _sign(table, undecided, me.id)
    else:
        _decide(table, undecided, me.id)


def resolution(view: RoundView, seat: int | None, formats: Formats) -> None:
    """Offer to resolve the gravest incident of a round in which money is wrong (at a seat), where who looks may review."""
    said = desk.reviews()
    if said is None or access.person() is None or access.refusal(access.REVIEW) is not None:
        return
    of_money = _of_money(view, seat)
    if of_money:
        members = of_money[0]
        states = [said.of(view.round["table_id"], each["finding_id"]) for each in members]
        with st.expander(f"{finding_title(members[0]['code'])}: {incident_words(states)}"):
            review_panel.incident_panel(members, said, formats)


def _of_money(view: RoundView, seat: int | None) -> list[list[dict[str, Any]]]:
    """The incidents of a round in which money is wrong (at a seat), the gravest first."""
    return [
        members
        for members in accounts.by_incident(view.findings.to_dicts())
        if any(each["difference_cents"] and seat in (None, each["seat"]) for each in members)
    ]


def incident_words(reviews: Sequence[FindingReview]) -> str:
    """Return what is to be done about an incident, as the title of the place to do it."""
    match incident_state(reviews):
        case "resolved":
            return "resolved"
        case "awaiting_signature":
            return "sign"
        case _:
            return "resolve"


def _open(table: str, round_no: int, seat: int | None, known: int, who: str) -> None:
    key = f"dispute {table} {round_no} {seat} {known}"
    with st.container(key="new-dispute"), st.expander("New dispute"):
        st.text_input("Patron's claim", key=f"claim {key}")

        def write() -> None:
            claim = _read(f"claim {key}")
            if claim:
                name = f"{table}-{round_no}" + (f"-seat-{seat}" if seat is not None else "") + f"-{known + 1}"
                desk.act(lambda at: at.open_dispute(table, round_no, dispute=name, claim=claim, by=who, seat=seat))

        st.button("Open dispute", key=f"open {key}", on_click=write)


def _decide(table: str, dispute: Dispute, who: str) -> None:
    key = f"decide {table} {dispute.dispute}"
    outcome: Any = st.selectbox(
        "Outcome",
        list(OUTCOMES),
        index=None,
        placeholder="Choose",
        key=f"outcome {key}",
        format_func=lambda name: OUTCOMES[name][0].upper() + OUTCOMES[name][1:],
    )
    st.text_input("Why", key=f"why {key}")
    st.text_input(AGAINST, key=f"against {key}", help=AGAINST_HELP)

    def write() -> None:
        reason = _read(f"why {key}")
        if reason and outcome is not None:
            override = _read(f"against {key}") or None
            desk.act(
                lambda at: at.close_dispute(
                    table, dispute=dispute.dispute, outcome=outcome, by=who, reason=reason, override=override
                )
            )

    st.button("Close dispute", key=f"close {key}", on_click=write, disabled=outcome is None)


def _sign(table: str, dispute: Dispute, who: str) -> None:
    """Offer the second signature under a decision against the record."""
    key = f"sign {table} {dispute.dispute}"
    st.text_input("What was checked", key=f"checked {key}")

    def write() -> None:
        reason = _read(f"checked {key}")
        if reason:
            desk.act(lambda at: at.sign_dispute(table, dispute=dispute.dispute, by=who, reason=reason))

    st.button("Sign decision", key=key, on_click=write)


def _read(name: str) -> str:
    return str(st.session_state.get(name) or "").strip()
