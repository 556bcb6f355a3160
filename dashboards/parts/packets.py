"""The dispute packet from a page: made from the log by the logged-in person, and recorded before the files are offered."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import streamlit as st

from dashboards.access import access
from dashboards.access.downloads import Download
from dashboards.parts import desk, drafts, save_link, source
from dashboards.run import cases_path, key_path, log_address, log_options
from desk.review import cases
from desk.review.cases import CaseFolder, PatronCase

if TYPE_CHECKING:
    from desk.packet import Packet

FORMS = {
    "pdf": ("PDF, signed", "application/pdf"),
    "json": ("Bundle for an expert", "application/json"),
    "html": ("Page", "text/html"),
}
"""Form of a packet → what its button says, and what the file is."""


def why_not() -> str:
    """Return why no packet can be made here; empty if it can."""
    return save_link.why_not(access.PACKET, "a packet")


def offer(table: str, round_no: int, seat: int | None = None) -> None:
    """Offer the packet of a round (and seat): one click makes it; its files are below the button, which stays."""
    why = why_not()
    reason, withhold = ("", False) if why else _asked(table, round_no, seat)
    name = _kept(table, round_no, seat, withhold=withhold)
    if st.button("Dispute packet", key=f"make {name}", disabled=bool(why), help=why or None):
        _make_once(name, table, round_no, seat, reason, withhold)
    _files(st.session_state.get(name))


def what_is_made(seat: int | None, *, has_case: bool) -> str:
    """Return the documents of a decided dispute: a letter needs a seat and a case."""
    return "letter and packet" if has_case and seat is not None else "packet"


def make_when_drawn(table: str, round_no: int, seat: int | None) -> None:
    """Have the next drawing make the documents of a decided dispute, as a click on its button does."""
    st.session_state[f"now {_kept(table, round_no, seat, withhold=seat is not None)}"] = True


def letter_and_packet(table: str, round_no: int, seat: int | None, filed: PatronCase | None, who: str) -> None:
    """Offer the documents of a decided dispute in one click: the letter on the decision (of a case) and the packet."""
    why, packet = why_not(), _kept(table, round_no, seat, withhold=seat is not None)
    decision = None if filed is None or filed.case.seat is None else filed.case.decision  # a letter is about one seat
    letter = "" if filed is None or decision is None else f"letter {filed.name} {decision.seq}"
    words = f"Make {what_is_made(seat if letter else None, has_case=filed is not None)}"
    made = packet in st.session_state and (not letter or letter in st.session_state)
    pressed = st.button(
        words, key=f"last {packet}", type="secondary" if made else "primary", disabled=bool(why), help=why or None
    )
    if st.session_state.pop(f"now {packet}", False) or pressed:
        if filed is not None and letter and letter not in st.session_state:
            pdf = _letter(filed, who)
            if pdf is not None:
                st.session_state[letter] = pdf
        _make_once(packet, table, round_no, seat, "dispute packet from a page", seat is not None)
        desk.outcome()
    with st.container(horizontal=True):
        if filed is not None and letter and letter in st.session_state:
            from desk.report.letter import letter_name

            save_link.link("Save the letter", Download(letter_name(filed), "application/pdf", st.session_state[letter]))
        _files(st.session_state.get(packet))


def _kept(table: str, round_no: int, seat: int | None, *, withhold: bool) -> str:
    return f"packet {table} {round_no} {seat} {withhold}"


def _make_once(name: str, table: str, round_no: int, seat: int | None, reason: str, withhold: bool) -> None:
    """Make a packet unless the session has it: a second click exports no second copy."""
    if name in st.session_state:
        return
    with st.spinner("Making the packet under a checkpoint that covers the round …"):
        made = _make(table, round_no, seat, reason, withhold)
    if made is not None:
        st.session_state[name] = made
        drafts.stored(f"packet {table} {round_no}")


def _letter(found: PatronCase, who: str) -> bytes | None:
    """Return a case's signed letter after recording it; None if it cannot be made, and the page says why."""
    # It typesets and signs: no page waits for that before it is asked for.
    from desk.packet import REFUSALS
    from desk.report.letter import signed_letter

    key = key_path()
    assert key is not None, "the button is off without a key"
    try:
        settings = CaseFolder(cases_path()).settings()
        with st.spinner("Judging the round again, then typesetting …"):
            pdf = desk.ask(lambda at: signed_letter(at.log, found, settings, key))
    except REFUSALS as error:
        desk.refuse(str(error), "No letter was made")
        return None
    digest = sha256(pdf).hexdigest()
    return None if desk.act(lambda at: cases.letter_made(at, found, digest=digest, by=who)) is None else pdf


def _asked(table: str, round_no: int, seat: int | None) -> tuple[str, bool]:
    """Ask for the purpose of the packet, and whether to leave out other patrons, which needs a seat."""
    with st.popover("Packet options"):
        with drafts.lines(f"packet {table} {round_no}"):
            reason = st.text_input("Reason for the packet", key=f"packet reason {table} {round_no}")
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
            address, table, round_no, seat, key=key, by=desk.recorded_as(who), reason=reason, withhold=withhold, **log_options()
        )
    except REFUSALS as error:
        source.notice("No packet was made, and nothing left the log", str(error))
        return None


def _files(made: Packet | None) -> None:
    if made is None:
        return
    if made.caution:
        source.notice("Read this before you hand it over", made.caution)
    for form, (words, mime) in FORMS.items():
        data = made.forms[form]
        save_link.link(words, Download(f"{made.name}.{form}", mime, data))
