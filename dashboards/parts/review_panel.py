"""People's work on one incident: its state, its notes, and the next action; written at the desk only."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analytics.errors import queue
from dashboards.access import access
from dashboards.drawing import markup
from dashboards.drawing.markup import Html
from dashboards.drawing.names import STATES, Formats
from dashboards.parts import desk, drafts, source
from dashboards.parts.desk import Reviews
from desk.review.desk import Desk, Entry, FindingReview
from desk.review.incident_desk import OF_INCIDENTS, IncidentDesk, amount_moved, incident_holder, incident_state
from replay.narrative.names import plural, table_name, unsigned_amount
from replay.narrative.reviews import DISPOSITIONS, MOVES_MONEY

LAST_ACTION, LAST_DISPOSITIONS, LAST_REASON = "last-action", "last-dispositions", "last-reason"
"""The session's keys for the person's last action, the last disposition of each cause's code, and each action's last reason."""
NAMED = "queue-named"
"""The session's key for the incident that the queue showed last; if it leaves the list, the next one takes its place."""
SHOWN = "shown-incident"
"""The session's key for the incident shown last, and the number of its entries."""
AMOUNT = re.compile(r"([0-9]{1,9})(?:[.,]([0-9]{2}))?")

ACTIONS = {
    "open": ("assign", "resolve", "note", "acknowledge"),
    "assigned": ("resolve", "assign", "note"),
    "awaiting_signature": ("sign", "refuse", "note"),
    "resolved": ("note", "reopen"),
    "reopened": ("assign", "resolve", "note"),
}
"""The actions in each state, the likeliest first."""
WORDS = {
    "assign": "Assign",
    "note": "Note",
    "acknowledge": "Acknowledge",
    "resolve": "Resolve",
    "sign": "Sign",
    "refuse": "Refuse to sign",
    "reopen": "Reopen",
}
"""Action → its words; keys.js has the keys of these words."""


def cents_typed(text: str) -> int | None:
    """Return a typed amount in cents; None if it is not an amount.

    >>> cents_typed("1,250.00"), cents_typed("$ 75"), cents_typed("7.5")
    (125000, 7500, None)
    """
    bare = unsigned_amount(text)
    if re.fullmatch(r"[0-9]{1,3}(,[0-9]{3})+(\.[0-9]{2})?", bare):
        bare = bare.replace(",", "")
    found = AMOUNT.fullmatch(bare)
    return None if found is None else int(found[1]) * 100 + int(found[2] or 0)


def state_words(review: FindingReview, formats: Formats) -> Html:
    """Return a finding's state, its assignee, and its disposition."""
    parts = [f"<strong>{markup.text(STATES[review.state])}</strong>"]
    if review.assigned_to and review.state == "assigned":
        parts.append(f"with {markup.text(review.assigned_to)}")
    done = review.resolution
    if done is not None:
        money = f", {formats.money(done.amount_cents)}" if done.amount_cents is not None else ""
        signed = f", signed by {done.by} and {done.second_by}" if done.second_by else f", by {done.by}"
        parts.append(markup.text(DISPOSITIONS[done.disposition] + money + signed))
    return Html(f'<p class="rk-standing">{" · ".join(parts)}</p>')


def history(said: Sequence[Entry], formats: Formats) -> Html:
    """Return the history of a finding in order, each entry with its number in the review stream; how long it is without names."""
    if not said:
        return Html("")
    if access.names_hidden():
        return Html(f'<p class="rk-note">{plural(len(said), "entry", "entries")} hidden with the names.</p>')
    rows = "".join(
        f'<li><span class="rk-soft">{markup.text(formats.day_and_clock(each.at_us))} · {markup.text(each.by)}'
        f" · event {each.seq}</span><br>{markup.text(each.says)}</li>"
        for each in said
    )
    return Html(f'<ol class="rk-history" aria-label="Review history">{rows}</ol>')


def incident_state_words(reviews: Sequence[FindingReview], formats: Formats) -> Html:
    """Return an incident's state and assignee, and how often each disposition was given."""
    if len(reviews) == 1:
        return state_words(reviews[0], formats)
    state, holder = incident_state(reviews), incident_holder(reviews)
    parts = [f"<strong>{markup.text(STATES[state])}</strong>"]
    if holder and state == "assigned":
        parts.append(f"with {markup.text(holder)}")
    given = Counter(review.resolution.disposition for review in reviews if review.resolution is not None)
    parts += [markup.text(f"{plural(times, 'finding')}: {DISPOSITIONS[each]}") for each, times in given.items()]
    return Html(f'<p class="rk-standing">{" · ".join(parts)}</p>')


def incident_panel(members: Sequence[dict[str, Any]], said: Reviews, formats: Formats) -> None:
    """Show an incident's state and possible actions; `members` are its findings, the cause first."""
    table = members[0]["table_id"]
    if table in said.broken:
        source.notice(f"The review record of {table_name(table)} is broken", said.broken[table])
    alike = source.ask(lambda db: queue.alike(db, members[0]["finding_id"]))
    panel(members, [said.of(table, each["finding_id"]) for each in members], alike, formats)


def panel(members: Sequence[dict[str, Any]], reviews: Sequence[FindingReview], alike: Sequence[str], formats: Formats) -> None:
    """Show the state and actions of an incident: its findings (cause first), their reviews, and causes of similar incidents."""
    written = sum(len(review.history) for review in reviews)
    desk.outcome(_overtaken(members[0]["finding_id"], reviews, formats))
    if access.names_hidden():
        source.show(f'<p class="rk-standing"><strong>{markup.text(STATES[incident_state(reviews)])}</strong></p>')
    else:
        source.show(incident_state_words(reviews, formats))
    source.show(history(sorted((each for review in reviews for each in review.history), key=_seq), formats))
    if access.person() is None or not access.may(access.REVIEW):
        source.note(
            "To assign, note and resolve, log in with a role that reviews "
            "(<code>rack dashboard --login FILE</code>), or use <code>rack review</code>."
        )
        return
    me = desk.actor()
    if me is None:
        return
    offered = ACTIONS[incident_state(reviews)]
    st.session_state[SHOWN] = members[0]["finding_id"], written
    key = f"{members[0]['finding_id']} {written}"  # a form is empty again when something was written
    usual = st.session_state.get(LAST_ACTION)  # who resolves one after the other is not asked each time
    with st.container(key="act", gap="small"):
        todo = source.pick("Action", offered, WORDS, key=f"do {key}", default=usual if usual in offered else None)
        if todo in ("assign", "resolve"):
            st.session_state[LAST_ACTION] = todo
        _FORMS[todo](_Form(todo, members, reviews, alike, me.id, key, formats))


def _overtaken(cause: str, reviews: Sequence[FindingReview], formats: Formats) -> str:
    """Return another person's entries about an incident since this session showed it, if any."""
    shown, written = st.session_state.get(SHOWN, ("", 0))
    entries = sorted((each for review in reviews for each in review.history), key=_seq)
    if shown != cause or len(entries) <= written:
        return ""
    last = entries[-1]
    return f"{desk.name_of(last.by)} {last.says}, {formats.time_of_day(last.at_us)}. Look at it again."


class _Form:
    """The context of a form: the incident, the acting person, and the names of its boxes."""

    def __init__(
        self,
        todo: str,
        members: Sequence[dict[str, Any]],
        reviews: Sequence[FindingReview],
        alike: Sequence[str],
        who: str,
        key: str,
        formats: Formats,
    ) -> None:
        self.cause, self.reviews = members[0], reviews
        self.is_one_finding = len(members) == 1
        self.alike = alike if self.is_one_finding else ()
        self.who, self.key, self.formats = who, key, formats
        self.id: str = self.cause["finding_id"]
        self.draft = f"{todo} {self.id}"
        self.place = table_name(self.cause["table_id"])
        if self.cause["round_no"] is not None:
            self.place += f" · round {self.cause['round_no']:,}"
        self.labels = {"to": "To"}
        self.action, self.disposition = "", ""
        self.places = {self.id: self.place}
        self.members = members

    def moved(self, disposition: str) -> list[int]:
        """Return the cents that a disposition moves for each finding without a disposition: 0 if none."""
        waiting = [each for each, review in zip(self.members, self.reviews, strict=True) if not review.settled]
        return [amount_moved(each["difference_cents"], disposition) or 0 for each in waiting]

    def sheet(self) -> DeltaGenerator:
        """Return the container of boxes and button: typed text is sent only with the button."""
        return drafts.lines(self.draft).form(f"sheet {self.key}", border=False, enter_to_submit=True)

    def box(self, label: str, name: str, **options: Any) -> None:
        """Show a text box; it is read when the button is pressed."""
        self.labels[name] = label
        st.text_input(label, key=f"{name} {self.key}", **options)

    def read(self, name: str) -> str:
        """Return the text of a box."""
        return str(st.session_state.get(f"{name} {self.key}") or "").strip()

    def ticked(self, name: str) -> bool:
        """Return whether a box is ticked."""
        return bool(st.session_state.get(f"{name} {self.key}"))

    def reason(self, action: str, label: str = "Why", **options: Any) -> None:
        """Show the box for the reason, with the last reason given for the same action."""
        self.action = action
        self.box(label, "reason", value=st.session_state.get(LAST_REASON, {}).get(action, ""), **options)

    def button(self, words: str, action: Callable[[Desk], Entry], *, needs: Sequence[str] = ("reason",)) -> None:
        """Show the button that writes; if something is missing, it says so and writes nothing."""

        def write() -> None:
            missing = [name for name in needs if not self.read(name)]
            if missing:
                desk.refuse(f"Fill in: {', '.join(self.labels[name] for name in missing)}.")
            elif desk.act(action, about=self.places) is None:
                st.session_state.pop(NAMED, None)  # the incident stays on the page
                return
            else:
                drafts.stored(self.draft)
            if not missing and self.action:
                kept = st.session_state.get(LAST_REASON, {})
                st.session_state[LAST_REASON] = kept | {self.action: self.read("reason")}
                if self.disposition not in ("", "duplicate"):
                    given = {k: v for k, v in st.session_state.get(LAST_DISPOSITIONS, {}).items() if k != self.cause["code"]}
                    st.session_state[LAST_DISPOSITIONS] = given | {self.cause["code"]: self.disposition}

        st.form_submit_button(words, key=f"{words} {self.key}", type="primary", on_click=write)


def _assign(form: _Form) -> None:
    with form.sheet():
        names = {person.id: person.name for person in desk.register().all}
        st.selectbox(
            "To",
            list(names),
            index=list(names).index(form.who),
            format_func=lambda person: f"{names[person]} ({person})",
            key=f"to {form.key}",
        )
        form.reason("assign", placeholder="look at camera 4")
        form.button(
            "Assign",
            lambda d: IncidentDesk(d).assign(form.id, to=form.read("to"), by=form.who, reason=form.read("reason"))[-1],
            needs=("to", "reason"),
        )


def _note(form: _Form) -> None:
    with form.sheet():
        form.box("Note", "note")
        form.button("Add note", lambda d: d.note(form.id, note=form.read("note"), by=form.who), needs=("note",))


def _acknowledge(form: _Form) -> None:
    with form.sheet():
        form.box("What is being done", "doing", placeholder="on my way")
        form.button("Acknowledge alarm", lambda d: d.acknowledge(form.id, note=form.read("doing"), by=form.who), needs=("doing",))


def _resolve(form: _Form) -> None:
    offered = list(DISPOSITIONS if form.is_one_finding else OF_INCIDENTS)
    usual = _usual(form)
    disposition = st.selectbox(
        "Disposition",
        offered,
        index=None if usual is None else offered.index(usual),
        format_func=_sentence,
        placeholder="Choose",
        key=f"disposition {form.key}",
    )
    if disposition is None:
        return
    form.disposition = disposition
    with form.sheet():
        _resolve_as(form, disposition)


def _usual(form: _Form) -> str | None:
    """Return this person's last disposition of an incident with the same cause, else of any, if it fits this one."""
    kept: dict[str, str] = st.session_state.get(LAST_DISPOSITIONS, {})
    given = [kept[form.cause["code"]]] if form.cause["code"] in kept else []
    given += list(kept.values())[-1:]
    return next((each for each in given if each not in MOVES_MONEY or any(form.moved(each))), None)


def _resolve_as(form: _Form, disposition: str) -> None:
    needs = ["reason"]
    if not form.is_one_finding:
        _resolve_incident_as(form, disposition)
        return
    if disposition in MOVES_MONEY:
        cents = abs(form.cause["difference_cents"] or 0)
        form.box("Amount", "amount", value=f"{cents / 100:.2f}" if cents else "")
        source.note("Money moves: a second person must sign it.")
        needs.append("amount")
    if disposition == "duplicate":
        form.box("Duplicate of", "other", placeholder="the first digits of its id")
        needs.append("other")
    form.reason(f"resolve {disposition}")
    if form.alike and disposition not in (*MOVES_MONEY, "duplicate"):
        st.checkbox(f"and {plural(len(form.alike), 'other')} alike, as duplicates of this one", key=f"also {form.key}")

    def write(at: Desk) -> Entry:
        amount = cents_typed(form.read("amount")) if disposition in MOVES_MONEY else None
        entry = at.resolve(
            form.id,
            disposition=disposition,
            by=form.who,
            reason=form.read("reason"),
            amount_cents=amount,
            duplicate_of=form.read("other") or None,
        )
        for each in form.alike if form.ticked("also") else ():
            if not at.case(each).review.settled:
                at.resolve(each, disposition="duplicate", by=form.who, reason=form.read("reason"), duplicate_of=form.id)
                form.places[each] = form.place
        return entry

    form.button("Resolve", write, needs=needs)


def _resolve_incident_as(form: _Form, disposition: str) -> None:
    if disposition in MOVES_MONEY:
        source.note(f"{markup.text(_split(form, disposition))}. A second person must sign it.")
    form.reason(f"resolve {disposition}")
    form.button(
        "Resolve incident",
        lambda d: IncidentDesk(d).resolve(form.id, disposition=disposition, by=form.who, reason=form.read("reason"))[-1],
    )


def _split(form: _Form, disposition: str) -> str:
    """Return the number of findings of an incident whose disposition moves money, and of those whose disposition does not."""
    moved = form.moved(disposition)
    amounts = [cents for cents in moved if cents]
    words = f"{plural(len(amounts), 'finding')}: {DISPOSITIONS[disposition]}, {form.formats.money(sum(amounts))} in all"
    rest = len(moved) - len(amounts)
    return words + (f"; {plural(rest, 'finding')}: {DISPOSITIONS['confirmed_no_action']}" if rest else "")


def _sentence(disposition: str) -> str:
    words = DISPOSITIONS[disposition]
    return words[0].upper() + words[1:]


def _sign(form: _Form) -> None:
    waiting = [
        review.resolution for review in form.reviews if review.state == "awaiting_signature" and review.resolution is not None
    ]
    total = sum(first.amount_cents or 0 for first in waiting)
    if form.who in {first.by for first in waiting}:
        source.notice(f"{form.who} signed first", "The second signature must be another person's")
    with form.sheet():
        form.box("What was checked", "reason", placeholder="slip 1147 seen")
        form.button(
            f"Sign {form.formats.money(total)}",
            lambda d: IncidentDesk(d).sign(form.id, by=form.who, reason=form.read("reason"), total_cents=total)[-1],
        )


def _reopen(form: _Form) -> None:
    with form.sheet():
        form.box("Why", "reason")
        form.button("Reopen", lambda d: IncidentDesk(d).reopen(form.id, by=form.who, reason=form.read("reason"))[-1])


def _seq(entry: Entry) -> int:
    return entry.seq


_FORMS: dict[str, Callable[[_Form], None]] = {
    "assign": _assign,
    "note": _note,
    "acknowledge": _acknowledge,
    "resolve": _resolve,
    "sign": _sign,
    "refuse": _reopen,
    "reopen": _reopen,
}
