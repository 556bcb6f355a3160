"""The dispute packet from a page: made from the log by whoever is logged in, on record before the files are there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboards.access import access
from dashboards.access.downloads import Download
from dashboards.drawing import markup
from dashboards.parts import desk, save_link, source
from dashboards.run import key_path, log_address, log_options

if TYPE_CHECKING:
    from desk.packet import Packet

FORMS = {
    "pdf": ("PDF, signed", "application/pdf"),
    "json": ("Bundle for an expert", "application/json"),
    "html": ("Page", "text/html"),
}
"""Form of a packet → what its button says, and what the file is."""


LONGEST = 200
"""Letters of a reason at most."""


def why_not() -> str:
    """Return why no packet can be made here; empty if one can."""
    return save_link.why_not(access.PACKET, "a packet")


def offer(table: str, round_no: int, seat: int | None = None) -> None:
    """Offer the packet of a round (and seat): one click makes it, then its files can be taken."""
    why = why_not()
    reason, withhold = ("", False) if why else _asked(table, round_no, seat)
    name = f"packet {table} {round_no} {seat} {withhold}"
    made: Packet | None = st.session_state.get(name)
    if made is not None:
        _files(made)
        return
    if st.button("Dispute packet", key=f"make {name}", disabled=bool(why), help=why or None):
        with st.spinner("Making the packet under a checkpoint that covers the round; it may wait for the next one …"):
            made = _make(table, round_no, seat, reason, withhold)
        if made is not None:
            st.session_state[name] = made
            st.rerun()


def _asked(table: str, round_no: int, seat: int | None) -> tuple[str, bool]:
    """Ask what the packet is for, and whether other patrons are left out of it, which takes a seat."""
    with st.popover("Packet options"):
        reason = st.text_input("Reason for the packet", key=f"packet reason {table} {round_no}", max_chars=LONGEST)
        others = st.checkbox("Include other patrons", key=f"packet of all {table} {round_no}", disabled=seat is None)
    return " ".join(reason.split()) or "dispute packet from a page", seat is not None and not others


def _make(table: str, round_no: int, seat: int | None, reason: str, withhold: bool) -> Packet | None:
    # It typesets and signs: no page waits for that before it is asked for.
    from desk.packet import REFUSALS, packet_at

    address, key, who = log_address(), key_path(), access.person()
    if address is None or key is None or who is None or why_not():
        return None
    try:
        return packet_at(
            address,
            table,
            round_no,
            seat,
            key=key,
            by=desk.recorded_as(who),
            reason=reason,
            withhold=withhold,
            **log_options(),
        )
    except REFUSALS as error:
        source.show(markup.notice("No packet was made, and nothing left the log", str(error)))
        return None


def _files(made: Packet) -> None:
    if made.caution:
        source.show(markup.notice("Read this before you hand it over", made.caution))
    for form, data in made.forms.items():
        words, mime = FORMS[form]
        save_link.link(words, Download(f"{made.name}.{form}", mime, data))
