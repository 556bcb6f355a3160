"""The signed-in person's last action on incidents: shown with name and time, and revocable within ten seconds."""

import time

import streamlit as st

from dashboards.drawing import markup
from dashboards.drawing.names import Formats
from dashboards.incidents import incident_list
from dashboards.parts import desk
from dashboards.parts.desk import LAST_DEED, Deed
from desk.review.incident_desk import IncidentDesk
from replay.narrative.names import plural

UNDO_SECONDS = 10
SHOWN_SECONDS = 60


def strip(formats: Formats) -> None:
    """Show the session's last action if it is new, and for a while a button that reopens what it resolved."""
    deed: Deed | None = st.session_state.get(LAST_DEED)
    if deed is not None and _age_s(deed) <= SHOWN_SECONDS:
        _shown(deed, formats)


@st.fragment(run_every=UNDO_SECONDS)
def _shown(deed: Deed, formats: Formats) -> None:
    if st.session_state.get(LAST_DEED) is not deed:  # it was undone here: all of the page shows it
        st.rerun()
    with st.container(key="deed", horizontal=True, vertical_alignment="center"):
        st.html(f'<div class="rk-deed" role="status">{markup.text(words(deed, formats))}</div>')
        if deed.what == "finding_resolved" and _age_s(deed) < UNDO_SECONDS:
            st.button("Undo", shortcut="Z", key="undo", on_click=_undo, args=(deed,))


def words(deed: Deed, formats: Formats) -> str:
    """Return the action, place, person and time in words."""
    places = list(deed.places.values())
    where = places[0] if len(places) == 1 else plural(len(places), "incident")
    return f"{where}: {desk.name_of(deed.by)} {deed.says} · {formats.time_of_day(deed.at_us)}"


def _undo(deed: Deed) -> None:
    if _age_s(deed) > UNDO_SECONDS + 2:  # what a click takes to come here
        desk.refuse("Ten seconds are over. Reopen the incident instead.")
        return
    me = desk.actor()
    if me is not None:
        reason = f"undone within {UNDO_SECONDS} seconds"
        desk.act_on_each(deed.places, lambda at, cause: IncidentDesk(at).reopen(cause, by=me.id, reason=reason)[-1])
        incident_list.choose(list(deed.places))


def _age_s(deed: Deed) -> float:
    return time.time() - deed.at_us / 1_000_000
