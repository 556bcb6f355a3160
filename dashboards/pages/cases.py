"""Cases: which disputes have to be answered, by when, and what is in each one's file?"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from hashlib import sha256
from typing import Any

import streamlit as st

from analytics.hold import hold
from dashboards.access import access
from dashboards.access.downloads import Download
from dashboards.drawing import markup
from dashboards.drawing.names import Formats, day_name
from dashboards.parts import desk, record_check, review_panel, save_link, source
from dashboards.parts.dispute_panel import AGAINST, AGAINST_HELP
from dashboards.rulings import case_parts, ruling
from dashboards.run import cases_path, key_path, log_address
from desk.packet import REFUSALS as PACKET_REFUSALS
from desk.review import cases
from desk.review.cases import CaseFolder, PatronCase
from desk.review.desk import OUTCOMES, REFUSALS, Desk, Entry, ReviewRefused
from replay.narrative.names import plural, table_name

ACTIONS = {
    "note": "Note",
    "attach": "Attach",
    "assign": "Assign",
    "due": "Move due date",
    "decide": "Decide",
    "sign": "Sign",
    "appeal": "Appeal",
}
BUTTONS = {
    "note": "Add note",
    "attach": "Attach file",
    "assign": "Assign case",
    "due": "Move due date",
    "decide": "Record decision",
    "sign": "Sign decision",
    "appeal": "Record appeal",
}
NEW = "A new claim"


def page() -> None:
    """Lay the page out: a case, the form for a new one, or the list."""
    source.begin()
    if log_address() is None:
        source.show(markup.heading("Cases"))
        source.show(markup.empty("No log is named", "Start the pages with the log: `rack dashboard --log ADDR`"))
        return
    desk.outcome()
    query, formats = st.query_params, source.formats()
    name, table, round_no = query.get("case", ""), query.get("table", ""), query.get("round", "")
    try:
        if name:
            found, today = desk.ask(lambda at: (cases.case(at, name), at.today()))
            one(found, today, formats)
        elif table and round_no.isdecimal():
            new(table, int(round_no), query.get("seat", ""))
        else:
            listed(*desk.ask(lambda at: (cases.cases(at), at.today())))
    except REFUSALS as error:
        source.show(markup.notice("The cases cannot be shown", str(error)))
    source.watch(quietly=True)


def listed(found: list[PatronCase], today: str) -> None:
    """Show the cases, the overdue first."""
    source.show(
        markup.heading("Cases", "Patrons' disputes, by the day on which they are due. Open one from its round.")
    )
    undecided = [each for each in found if each.case.decision is None]
    late = sum(each.case.overdue(today) for each in undecided)
    soon = sum(case_parts.is_due_soon(each.case, today) for each in undecided) - late
    named = {"Open": len(undecided), "Overdue": late, f"Due in {case_parts.SOON_DAYS} days": soon}
    source.show(markup.figures([markup.figure(label, value) for label, value in named.items()]))
    everything = st.toggle("Show decided cases", key="decided", bind="query-params")
    shown = found if everything else undecided
    if not shown:
        source.show(
            markup.empty("No case is open", "Open one from Dispute or Round, or with `rack case open TABLE ROUND`.")
        )
        return
    source.show(case_parts.listed(shown, today))


def one(found: PatronCase, today: str, formats: Formats) -> None:
    """Show one case: its facts, what the record shows, its attachments and history; next to them what can be done."""
    case = found.case
    assert case.round_no is not None, "a dispute is about a round"
    desk.on_record(found.table, case.round_no)
    source.title(f"Case {found.name}")
    place: dict[str, object] = {"of": found.table, "round": case.round_no, "seat": case.seat}
    ways = markup.button_link("dispute", "Open dispute", **place) + markup.button_link(
        "round", "Open round", table=found.table, round=case.round_no
    )
    where = f"{table_name(found.table)}, round {case.round_no:,}" + ("" if case.seat is None else f", seat {case.seat}")
    head = f"{case_parts.state_words(case)} · {where} · opened by {case.opened_by}, {formats.day_and_clock(case.opened_us)}"
    source.show(
        markup.heading(f"Case {found.name}", head, markup.Html(ways + markup.button_link("cases", "All cases")))
    )
    left, right = st.columns([7, 5], gap="medium")
    with left:
        source.show(case_parts.facts(found, today))
        _record(found, formats)
        _attachments(found)
    with right:
        who = _actor()
        if who is not None:
            _act(found, who)
        _letter(found, who)
        source.show(markup.section("History"))
        source.show(review_panel.history(case.history, formats))


def _record(found: PatronCase, formats: Formats) -> None:
    """Show what the record says of the claim, where the log confirms it."""
    view = source.ask(lambda db: hold.round_view(db, f"table/{found.table}", found.case.round_no or 0))
    if view is None:
        source.show(markup.section("What the record shows", "The warehouse does not hold this round yet."))
        return
    checked = record_check.check_of(view)
    source.show(markup.section("What the record shows"))
    if record_check.is_confirmed(checked):
        source.show(ruling.answer(view, found.case.seat, formats, disposed=desk.disposed(found.table)))
    else:
        source.show(record_check.check_notice(checked))


def _attachments(found: PatronCase) -> None:
    """Show the attachments, each opened and hashed now, and offer to take one out."""
    files = found.case.attachments
    source.show(markup.section("Attachments"))
    if not files:
        source.show(markup.empty("Nothing attached", "Attach a photograph, a slip or a statement."))
        return
    folder = CaseFolder(cases_path())
    lost = list(folder.losses(found.table, files))
    for each in lost:
        source.show(markup.notice("An attachment cannot be read as it was recorded", str(each)))
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
    """Offer an attachment as a file, once its leaving is on record."""
    attached = next(each for each in found.case.attachments if each.digest == digest)
    try:
        data = folder.read(found.table, attached)
        desk.export(
            [found.table], digest=digest, form="attachment", by=who, reason=f"case {found.name} on a page", what="round"
        )
    except REFUSALS as error:
        source.show(markup.notice("Nothing was exported", str(error)))
        return
    save_link.link(f"Save {attached.name}", Download(attached.name, "application/octet-stream", data))


def _actor() -> str | None:
    """Return the id of who may write here; None if no one may, and the page is there to be read."""
    who = access.person()
    if who is None or access.refusal(access.REVIEW) is not None:
        return None
    known = desk.actor(who)
    return None if known is None else known.id


def _act(found: PatronCase, who: str) -> None:
    """Offer what can be done about a case: one form at a time."""
    is_open = found.case.decision is None
    offered = ["note", "attach", "assign", "due", "decide"] if is_open else ["note", "attach", "appeal"]
    if found.case.pending is not None and found.case.pending.by != who:
        offered.insert(0, "sign")
    key = f"{found.name} {len(found.case.history)}"  # a form is empty again when something was written
    todo = st.segmented_control(
        "Action",
        offered,
        default=offered[0],
        required=True,
        format_func=lambda each: ACTIONS[each],
        key=f"do {key}",
        label_visibility="collapsed",
    )
    with st.form(f"form {key} {todo}", border=False):
        done = _FORMS[todo or "note"](found.name, who)
        if st.form_submit_button(BUTTONS[todo or "note"], type="primary"):
            _carry_out(done)


Doing = Callable[[Desk], Entry] | None
"""What a form does at the desk; None while it is not filled in."""


def _carry_out(done: Doing) -> None:
    """Do what a form is for, or say that it is not filled in."""
    if done is None:
        desk.refuse("Fill in every box of the form.")
    else:
        desk.act(done)
    st.rerun()


def _note(name: str, who: str) -> Doing:
    words = st.text_area("What was seen or done", max_chars=400).strip()
    return (lambda at: cases.note(at, name, note=words, by=who)) if words else None


def _attach(name: str, who: str) -> Doing:
    folder = CaseFolder(cases_path())
    largest = folder.settings().largest_mib
    file = st.file_uploader("File", max_upload_size=largest)
    words = st.text_input("What it is", max_chars=400).strip()
    if file is None or not words:
        return None

    def write(at: Desk) -> Entry:
        try:
            return cases.attach(at, folder, name, file=file.name, data=file.getvalue(), by=who, note=words)
        except OSError as error:
            raise ReviewRefused(f"the file cannot be kept beside the log: {error}") from error

    return write


def _assign(name: str, who: str) -> Doing:
    names = {person.id: person.name for person in desk.register().all}
    to = st.selectbox("To", list(names), format_func=lambda person: f"{names[person]} ({person})")
    words = st.text_input("Reason", max_chars=400).strip()
    return (lambda at: cases.assign(at, name, to=to, by=who, reason=words)) if words else None


def _due(name: str, who: str) -> Doing:
    day = st.date_input("New due date", value=None, format="MM/DD/YYYY")
    words = st.text_input("Reason", max_chars=400).strip()
    due = day.isoformat() if isinstance(day, date) else ""
    return (lambda at: cases.move_due(at, name, due=due, by=who, reason=words)) if due and words else None


def _decide(name: str, who: str) -> Doing:
    outcome: Any = st.selectbox(
        "Outcome",
        list(OUTCOMES),
        index=None,
        placeholder="Choose",
        format_func=lambda each: OUTCOMES[each].capitalize(),
    )
    words = st.text_area("Why, as the patron will read it", max_chars=400).strip()
    against = st.text_area(AGAINST, max_chars=400, help=AGAINST_HELP).strip() or None
    if not words or not outcome:
        return None
    return lambda at: cases.decide(at, name, outcome=outcome, by=who, reason=words, override=against)


def _sign(name: str, who: str) -> Doing:
    words = st.text_input("What was checked", max_chars=400).strip()
    return (lambda at: cases.sign(at, name, by=who, reason=words)) if words else None


def _appeal(name: str, who: str) -> Doing:
    words = st.text_area("What the patron says", max_chars=400).strip()
    settings = CaseFolder(cases_path()).settings()
    return (lambda at: cases.appeal(at, name, by=who, reason=words, settings=settings)) if words else None


_FORMS: dict[str, Callable[[str, str], Doing]] = {
    "note": _note,
    "attach": _attach,
    "assign": _assign,
    "due": _due,
    "decide": _decide,
    "sign": _sign,
    "appeal": _appeal,
}


def _letter(found: PatronCase, who: str | None) -> None:
    """Offer the letter on the decision in force."""
    if found.case.decision is None or who is None:
        return
    why = access.refusal(access.PACKET) or ("" if key_path() is not None else "Start the pages with RACK_KEY set")
    kept = f"letter {found.name} {found.case.decision.seq}"
    if st.button("Letter to the patron", disabled=bool(why), help=why or "Signed PDF; recorded in the log"):
        with st.spinner("Judging the round again, then typesetting …"):
            st.session_state[kept] = _signed(found, who)
        st.rerun()
    pdf: bytes | None = st.session_state.get(kept)
    if pdf is not None:
        from desk.report.letter import letter_name

        save_link.link("Save the letter", Download(letter_name(found), "application/pdf", pdf))


def _signed(found: PatronCase, who: str) -> bytes | None:
    # It typesets and signs: no page waits for that before it is asked for.
    from desk.report.letter import signed_letter

    key = key_path()
    assert key is not None, "the button is off without a key"
    try:
        settings = CaseFolder(cases_path()).settings()
        pdf = desk.ask(lambda at: signed_letter(at.log, found, settings, key))
    except PACKET_REFUSALS as error:
        desk.refuse(str(error), "No letter was made")
        return None
    digest = sha256(pdf).hexdigest()
    done = desk.act(lambda at: cases.letter_made(at, found, digest=digest, by=who))
    return None if done is None else pdf


def new(table: str, round_no: int, seat: str) -> None:
    """Show the form that opens a case of a round: of a new claim, or of a dispute of that round that is open."""
    source.show(markup.heading("Open a case", f"{table_name(table)}, round {round_no:,}"))
    view = source.ask(lambda db: hold.round_view(db, f"table/{table}", round_no))
    who = _actor()
    if view is None or who is None:
        why = (
            "There is no such round here."
            if view is None
            else "Log in with a role that reviews, or use `rack case open`."
        )
        source.show(markup.empty("No case can be opened", why))
        return
    review = desk.ask(lambda at: at.review(table))
    waiting = {
        each.dispute: each
        for each in review.disputes.values()
        if each.round_no == round_no and each.outcome is None and review.case_of(each.dispute) is None
    }
    settings = CaseFolder(cases_path()).settings()
    source.show(
        f'<p class="rk-note">{markup.text(day_name(view.round["gaming_day"]))}. '
        f"The case will be due in {plural(settings.days, 'day')}.</p>"
    )
    options: list[int | None] = [None, *range(1, 8)]
    given = int(seat) if seat.isdecimal() and int(seat) in options else None
    with st.form("new-case"):
        of = st.selectbox(
            "Claim",
            [None, *waiting],
            format_func=lambda each: NEW if each is None else f"Dispute: {waiting[each].claim}",
        )
        claim = st.text_area("Patron's claim, if it is new", max_chars=400).strip()
        left, right = st.columns(2)
        place = left.selectbox(
            "Seat",
            options,
            index=options.index(given),
            format_func=lambda each: "Not known" if each is None else str(each),
        )
        patron = right.text_input("Patron's token", max_chars=32, help="Never a name").strip().lower() or None
        if st.form_submit_button("Open case", type="primary"):
            opened: list[PatronCase] = []

            def write(at: Desk) -> Entry:
                opened.append(
                    cases.open_case(
                        at,
                        table,
                        round_no,
                        by=who,
                        settings=settings,
                        claim=None if of else claim,
                        dispute=of,
                        seat=place,
                        patron=patron,
                    )
                )
                return opened[0].case.history[-1]

            if of or claim:
                desk.act(write)
            else:
                desk.refuse("Write down what the patron says")
            if opened:
                st.query_params.clear()
                st.query_params["case"] = opened[0].name
            st.rerun()


page()
