"""Pictures and clips of a round: each is opened and hashed when shown; reviewers attach them."""

import streamlit as st

from dashboards.access import access
from dashboards.drawing import markup
from dashboards.parts import desk, drafts, observed_round, source
from dashboards.run import cases_path, log_address
from desk.review import cases
from desk.review.cases import CaseFolder
from desk.review.desk import REFUSALS, Desk, Entry, ReviewRefused

FILES = {"File": "text", "Bytes": "number", "SHA-256": "short", "What it is": "text", "Checked now": "short"}
PICTURES = (b"\x89PNG\r\n", b"\xff\xd8\xff")
"""The first bytes of pictures that are shown (PNG, JPEG); any other file is only listed."""


def panel(place: str, round_no: int) -> None:
    """Show the files attached to a round, and offer to attach another."""
    if log_address() is None:
        return
    try:
        files = observed_round.ask(lambda at: at.review(place).files_of(round_no))
    except REFUSALS as error:
        source.notice("The files of this round cannot be listed", str(error))
        return
    may_attach = access.person() is not None and access.may(access.REVIEW)
    if not files and not may_attach:
        return
    if access.names_hidden():
        source.note(f"Pictures and clips ({len(files)}) are hidden with the names.")
        return
    with st.container(key="round-files"), st.expander(f"Pictures and clips ({len(files)})", expanded=bool(files)):
        folder = CaseFolder(cases_path())
        faults = {each.digest: each.fault for each in folder.losses(place, files)}
        rows = [
            [each.name, f"{each.size:,}", each.digest[:16] + "…", each.note, faults.get(each.digest, "as recorded")]
            for each in files
        ]
        if rows:
            source.table(FILES, rows, "Files of the round")
        for each in files:
            data = b"" if each.digest in faults else folder.read(place, each)
            if data.startswith(PICTURES):
                st.image(data, caption=markup.plain_markdown(f"{each.name}: {each.note}"), width=480)
        if may_attach:
            _form(place, round_no, folder, len(files))


def _form(place: str, round_no: int, folder: CaseFolder, count: int) -> None:
    draft = f"attach {place} {round_no}"
    with drafts.lines(draft), st.form(f"attach-{place}-{round_no}-{count}", border=False):
        file = st.file_uploader("Picture or clip", max_upload_size=folder.settings().largest_mib)
        words = st.text_input("What it is", max_chars=400).strip()
        pressed = st.form_submit_button("Attach")
    if not pressed:
        return
    who = access.person()

    def write(at: Desk) -> Entry:
        if file is None or not words:
            raise ReviewRefused("choose a file and say what it is")
        try:
            named = {"file": file.name, "data": file.getvalue(), "by": str(who), "note": words}
            return cases.attach_to_round(at, folder, place, round_no, **named)
        except OSError as error:
            raise ReviewRefused(f"the file cannot be kept next to the log: {error}") from error

    if desk.act(write) is not None:
        drafts.stored(draft)
    st.rerun()
