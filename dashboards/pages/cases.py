"""Cases: which disputes need an answer, by when, and what is in each file?"""

from collections.abc import Callable
from datetime import date

import streamlit as st

from analytics.warehouse import round_data
from dashboards.access import access
from dashboards.access.downloads import Download
from dashboards.drawing import markup
from dashboards.drawing.names import Formats
from dashboards.parts import desk, dispute_panel, drafts, observed_round, record_check, review_panel, save_link, source
from dashboards.parts.dispute_panel import RoundRecord
from dashboards.rulings import case_parts, ruling
from dashboards.run import cases_path, log_address
from desk.review import cases
from desk.review.cases import CaseFolder, PatronCase
from desk.review.desk import LONGEST_CLAIM, REFUSALS, Desk, Entry, ReviewRefused
from replay.narrative.names import table_name

ACTIONS = {"note": "Note", "attach": "Attach", "assign": "Assign", "due": "Move due date", "appeal": "Appeal"}
BUTTONS = {
    "note": "Add note",
    "attach": "Attach file",
    "assign": "Assign case",
    "due": "Move due date",
    "appeal": "Record appeal",
}


def page() -> None:
    """Lay the page out: a case, the form for a new one, or the list."""
    source.begin()
    if log_address() is None:
        source.heading("Cases")
        source.empty("No log is named", "Start the pages with the log: `rack dashboard --log ADDR`")
        return
    desk.outcome()
    name, formats = st.query_params.get("case", ""), source.formats()
    try:
        if name:
            found, today = desk.ask(lambda at: (cases.case(at, name), at.today()))
            one(found, today, formats)
        else:
            listed(*desk.ask(lambda at: (cases.cases(at), at.today())))
    except REFUSALS as error:
        source.notice("The cases cannot be shown", str(error))
    source.watch(quietly=True)


def listed(found: list[PatronCase], today: str) -> None:
    """Show the cases, overdue ones first."""
    source.heading("Cases", "Patrons' disputes, by the day on which they are due. Open one on its round's Dispute page.")
    undecided = [each for each in found if each.case.decision is None]
    late = sum(each.case.overdue(today) for each in undecided)
    soon = sum(case_parts.is_due_soon(each.case, today) for each in undecided) - late
    named = {"Open": len(undecided), "Overdue": late, f"Due in {case_parts.SOON_DAYS} days": soon}
    source.figures([markup.figure(label, value) for label, value in named.items()])
    everything = st.toggle("Show decided cases", key="decided", bind="query-params")
    shown = found if everything else undecided
    if not shown:
        source.empty("No case is open", "Open one from Dispute or Round, or with `rack case open TABLE ROUND`.")
        return
    source.show(case_parts.listed(shown, today))


def one(found: PatronCase, today: str, formats: Formats) -> None:
    """Show one case: its facts, the record, its attachments and history, and next to them the possible actions."""
    case = found.case
    assert case.round_no is not None, "a dispute is about a round"
    desk.on_record(found.table, case.round_no)
    source.title(f"Case {found.name}")
    place: dict[str, object] = {"of": found.table, "round": case.round_no, "seat": case.seat}
    _, is_observed, table = found.table.rpartition("/")
    ways = markup.button_link("dispute", "Open dispute", **place) + markup.button_link(
        "round", "Open round", table=found.table, round=case.round_no
    )
    if is_observed:
        ways = markup.button_link("observations", "Open round", table=table, round=case.round_no)
    where = f"{table_name(found.table)}, round {case.round_no:,}" + ("" if case.seat is None else f", seat {case.seat}")
    head = f"{case_parts.state_words(case)} · {where} · opened by {case.opened_by}, {formats.day_and_clock(case.opened_us)}"
    source.heading(f"Case {found.name}", head, markup.Html(ways + markup.button_link("cases", "All cases")))
    left, right = st.columns([7, 5], gap="medium")
    with left:
        source.show(case_parts.facts(found, today))
        shown = _observed(found) if is_observed else _record(found, formats)
        _attachments(found)
    with right:
        dispute = next(each for each in dispute_panel.disputes_of(found.table, case.round_no) if each.dispute == case.dispute)
        dispute_panel.Steps(found.table, case.round_no, case.seat, dispute, shown, formats).show()
        who = desk.writer()
        if who is not None:
            _act(found, who)
        source.section("History")
        source.show(review_panel.history(case.history, formats))


def _record(found: PatronCase, formats: Formats) -> RoundRecord:
    """Show the record on the claim if the log confirms it; return it."""
    view = source.ask(lambda db: round_data.round_view(db, f"table/{found.table}", found.case.round_no or 0))
    if view is None:
        source.section("What the record shows", "The warehouse does not hold this round yet.")
        return RoundRecord()
    checked = record_check.check_of(view)
    source.section("What the record shows")
    if record_check.is_confirmed(checked):
        source.show(ruling.answer(view, found.case.seat, formats, disposed=desk.disposed(found.table)))
        source.show(record_check.adopted(checked))
    else:
        source.show(record_check.check_notice(checked))
    return RoundRecord.of_view(view)


def _observed(found: PatronCase) -> RoundRecord:
    """Show the log's record of a round that a person entered; return it."""
    place, number = found.table, found.case.round_no or 0
    judged, formats = observed_round.ask(lambda at: (observed_round.judged_now(at, place, number), observed_round.formats_of(at)))
    source.section("What the record shows")
    observed_round.record(judged, found.case.seat, formats)
    return RoundRecord() if judged is None else RoundRecord.of_judged(place, judged.adjudication)


def _attachments(found: PatronCase) -> None:
    """Show the attachments, each opened and hashed now, with a way to export one."""
    files = found.case.attachments
    source.section("Attachments")
    if not files:
        source.empty("Nothing attached", "Attach a photograph, a slip or a statement.")
        return
    folder = CaseFolder(cases_path())
    lost = list(folder.losses(found.table, files))
    for each in lost:
        source.notice("An attachment cannot be read as it was recorded", str(each))
    faults = {each.digest: each.fault for each in lost}
    source.show(case_parts.attachments(found.case, faults))
    whole = {each.digest: each for each in files if each.digest not in faults}
    denied, who = access.refusal(access.EXPORT), access.person()
    if denied is not None or who is None or not whole:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        digest = st.selectbox("Attachment", list(whole), format_func=lambda each: whole[each].name)
        if st.button("Export attachment"):
            _take_out(found, folder, digest, who)


def _take_out(found: PatronCase, folder: CaseFolder, digest: str, who: str) -> None:
    """Offer an attachment as a file, after recording its export."""
    attached = next(each for each in found.case.attachments if each.digest == digest)
    try:
        data = folder.read(found.table, attached)
        desk.export([found.table], digest=digest, form="attachment", by=who, reason=f"case {found.name} on a page", what="round")
    except REFUSALS as error:
        source.notice("Nothing was exported", str(error))
        return
    save_link.link(f"Save {attached.name}", Download(attached.name, "application/octet-stream", data))


def _act(found: PatronCase, who: str) -> None:
    """Offer the possible actions on a case, one form at a time."""
    is_open = found.case.decision is None
    offered = ["note", "attach", "assign", "due"] if is_open else ["note", "attach", "appeal"]
    action = source.pick("Action", offered, ACTIONS, key=f"do {found.name} {is_open}")
    draft = f"{action}-{found.name}"
    with st.form(f"form {draft} {drafts.turn(draft)}", border=False, enter_to_submit=False):
        done = _FORMS[action](found.name, draft, who)
        if st.form_submit_button(BUTTONS[action], type="primary"):
            _carry_out(done, draft)


Doing = Callable[[Desk], Entry] | None
"""The action of a form at the desk; None until the form is filled in."""


def _carry_out(done: Doing, draft: str) -> None:
    """Carry out a form's action, or say that the form is incomplete."""
    if done is None:
        desk.refuse("Fill in every box of the form.")
    elif desk.act(done) is not None:
        drafts.stored(draft)
    st.rerun()


def _note(name: str, draft: str, who: str) -> Doing:
    words = drafts.box("What was seen or done", draft)
    return (lambda at: cases.note(at, name, note=words, by=who)) if words else None


def _attach(name: str, draft: str, who: str) -> Doing:
    folder = CaseFolder(cases_path())
    largest = folder.settings().largest_mib
    file = st.file_uploader("File", max_upload_size=largest)
    words = drafts.box("What it is", draft)
    if file is None or not words:
        return None

    def write(at: Desk) -> Entry:
        try:
            return cases.attach(at, folder, name, file=file.name, data=file.getvalue(), by=who, note=words)
        except OSError as error:
            raise ReviewRefused(f"the file cannot be kept next to the log: {error}") from error

    return write


def _assign(name: str, draft: str, who: str) -> Doing:
    names = {person.id: person.name for person in desk.register().all}
    to = st.selectbox("To", list(names), format_func=lambda person: f"{names[person]} ({person})")
    words = drafts.box("Reason", draft)
    return (lambda at: cases.assign(at, name, to=to, by=who, reason=words)) if words else None


def _due(name: str, draft: str, who: str) -> Doing:
    day = st.date_input("New due date", value=None, format="MM/DD/YYYY")
    words = drafts.box("Reason", draft)
    due = day.isoformat() if isinstance(day, date) else ""
    return (lambda at: cases.move_due(at, name, due=due, by=who, reason=words)) if due and words else None


def _appeal(name: str, draft: str, who: str) -> Doing:
    words = drafts.box("What the patron says", draft, longest=LONGEST_CLAIM)
    settings = CaseFolder(cases_path()).settings()
    return (lambda at: cases.appeal(at, name, by=who, reason=words, settings=settings)) if words else None


_FORMS: dict[str, Callable[[str, str, str], Doing]] = {
    "note": _note,
    "attach": _attach,
    "assign": _assign,
    "due": _due,
    "appeal": _appeal,
}


page()
