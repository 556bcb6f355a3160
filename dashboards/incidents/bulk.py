"""Several incidents chosen in the queue: their total, and one action on all of them with one reason."""

from collections import Counter
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

import streamlit as st

from dashboards.access import access
from dashboards.drawing import markup
from dashboards.drawing.names import STATES, Formats
from dashboards.parts import desk, drafts, review_panel, source
from dashboards.parts.desk import Reviews
from desk.review.desk import Entry, FindingReview
from desk.review.incident_desk import OF_INCIDENTS, IncidentDesk, incident_state
from replay.narrative.names import plural, table_name
from replay.narrative.reviews import DISPOSITIONS, MOVES_MONEY

OFFERED = ("resolve", "assign", "sign", "reopen")
FITS = {
    "resolve": {"open", "assigned", "reopened"},
    "assign": {"open", "assigned", "reopened"},
    "sign": {"awaiting_signature"},
    "reopen": {"awaiting_signature", "resolved"},
}
"""Action → the states of the incidents that it is about; the others of those chosen are left as they are."""

Act = Callable[[IncidentDesk, str], list[Entry]]


def panel(chosen: Sequence[dict[str, Any]], said: Reviews | None, formats: Formats) -> None:
    """Show the total of the chosen incidents, and offer actions on all; `chosen` are rows of the queue."""
    under, over = (sum(row[name] for row in chosen) for name in ("underpaid_cents", "overpaid_cents"))
    money = f"{formats.money(over)} overpaid · {formats.money(under)} underpaid"
    source.section(f"{plural(len(chosen), 'incident')} chosen", money)
    desk.outcome()
    if said is None or access.person() is None or not access.may(access.REVIEW):
        source.note("To assign, resolve and sign, log in with a role that reviews.")
        return
    me = desk.actor()
    if me is None:
        return
    reviews = {row["finding_id"]: [said.of(row["table_id"], finding_id) for finding_id in row["finding_ids"]] for row in chosen}
    states = Counter(incident_state(each) for each in reviews.values())
    counts = " · ".join(f"{STATES[state]}: {number}" for state, number in states.items())
    source.show(f'<p class="rk-standing">{markup.text(counts)}</p>')
    offered = [action for action in OFFERED if FITS[action] & states.keys()]
    written = sum(len(review.history) for each in reviews.values() for review in each)
    key = f"bulk {sha256(','.join(reviews).encode()).hexdigest()[:16]} {written}"
    with st.container(key="act", gap="small"):
        action = source.pick("Action", offered, review_panel.WORDS, key=f"do {key}")
        fitting = [row for row in chosen if incident_state(reviews[row["finding_id"]]) in FITS[action]]
        _form(action, fitting, reviews, me.id, key, formats)


def _form(
    action: str, chosen: Sequence[dict[str, Any]], reviews: dict[str, list[FindingReview]], who: str, key: str, formats: Formats
) -> None:
    disposition = _disposition(key) if action == "resolve" else None
    if action == "resolve" and disposition is None:
        return
    totals = {cause: _waiting(of) for cause, of in reviews.items()}
    draft = f"{action} {key.rpartition(' ')[0]}"
    with drafts.lines(draft), st.form(f"sheet {key}", border=False, enter_to_submit=True):
        if action == "assign":
            names = {person.id: person.name for person in desk.register().all}
            label = list(names).index(who)
            st.selectbox("To", list(names), index=label, format_func=lambda each: names[each], key=f"to {key}")
        asked = "Why" if action != "sign" else "What was checked"
        st.text_input(asked, key=f"reason {key}")
        money = f", {formats.money(sum(totals[row['finding_id']] for row in chosen))}" if action == "sign" else ""
        words = f"{review_panel.WORDS[action]} {plural(len(chosen), 'incident')}{money}"

        def write() -> None:
            reason, to = (str(st.session_state.get(f"{name} {key}") or "").strip() for name in ("reason", "to"))
            acts: dict[str, Act] = {
                "assign": lambda at, cause: at.assign(cause, to=to, by=who, reason=reason),
                "resolve": lambda at, cause: at.resolve(cause, disposition=disposition or "", by=who, reason=reason, only=True),
                "sign": lambda at, cause: at.sign(cause, by=who, reason=reason, total_cents=totals[cause]),
                "reopen": lambda at, cause: at.reopen(cause, by=who, reason=reason),
            }
            if not reason:
                desk.refuse(f"Fill in: {asked}.")
                return
            places = {row["finding_id"]: _place(row) for row in chosen}
            desk.act_on_each(places, lambda at, cause: acts[action](IncidentDesk(at), cause)[-1])
            drafts.stored(draft)

        st.form_submit_button(words, key=f"{action} {key}", type="primary", on_click=write)


def _disposition(key: str) -> str | None:
    chosen: str | None = st.selectbox(
        "Disposition",
        OF_INCIDENTS,
        index=None,
        format_func=lambda each: DISPOSITIONS[each][0].upper() + DISPOSITIONS[each][1:],
        placeholder="Choose",
        key=f"disposition {key}",
    )
    if chosen in MOVES_MONEY:
        source.note(
            "Each finding takes its own amount; a second person signs all of them at once. An incident in "
            "which this does not fit every finding is left as it is."
        )
    return chosen


def _waiting(reviews: Sequence[FindingReview]) -> int:
    """Return the cents that await a second signature."""
    return sum(
        review.resolution.amount_cents or 0
        for review in reviews
        if review.state == "awaiting_signature" and review.resolution is not None
    )


def _place(row: dict[str, Any]) -> str:
    return table_name(row["table_id"]) + ("" if row["round_no"] is None else f" round {row['round_no']:,}")
