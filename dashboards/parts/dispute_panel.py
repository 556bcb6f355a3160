"""A patron's dispute, step by step: claim, payment, decision, letter and packet. One step is next; the others are dimmed.

A dispute opened here is a case at once: it has a number, a due date, and a letter at its end. Everything is written through the
desk, by people who may review; others see the steps done.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import msgspec
import streamlit as st

from analytics.warehouse.round_data import RoundView
from dashboards.drawing import markup
from dashboards.drawing.markup import Html
from dashboards.drawing.names import Formats
from dashboards.parts import desk, drafts, packets, review_panel, source
from dashboards.rulings import case_parts, round_account
from dashboards.run import cases_path
from desk.review import cases
from desk.review.cases import CaseFolder, PatronCase
from desk.review.contradiction import contradiction, reason_on_record
from desk.review.desk import LONGEST_CLAIM, Desk, Dispute, Entry, FindingReview, ReviewRefused
from desk.review.incident_desk import incident_state
from replay.findings import Adjudication
from replay.incidents import incidents
from replay.narrative.findings import finding_title
from replay.narrative.names import capitalized
from replay.narrative.reviews import OUTCOMES
from replay.narrative.verdicts import RoundVerdict, narrate

CLAIM_TYPED = "claim-typed"
"""The session's key for the sentence of the search: the first draft of the patron's claim."""
DONE, NEXT, WAITS, LATER = "done", "next", "waits", "later"
MARKS = {DONE: "✔︎", NEXT: "➤", WAITS: "◈", LATER: "○"}
"""The state of a step → its shape."""


def disputes_of(table: str, round_no: int) -> list[Dispute]:
    """Return the disputes of a round in the order opened; empty if these pages know no log."""
    said = desk.reviews()
    review = None if said is None else said.tables.get(table)
    return [each for each in review.disputes.values() if each.round_no == round_no] if review is not None else []


def case_ways(table: str, round_no: int, seat: int | None) -> Html:
    """Return links to the cases of a round and, for reviewers, to the page that opens one."""
    said = desk.reviews()
    if said is None:
        return Html("")
    here = [each for each in said.cases() if (each.table, each.case.round_no) == (table, round_no)]
    ways = [case_parts.chips(here)]
    if desk.writer() is not None:
        ways.append(markup.button_link("dispute", "Open case", of=table, round=round_no, seat=seat))
    return Html(f'<div class="rk-ways">{"".join(ways)}</div>' if any(ways) else "")


class RoundRecord(NamedTuple):
    """The record of a round: rows of its findings, each with its incident, and its verdict (None: no verdict)."""

    findings: Sequence[dict[str, Any]] = ()
    verdict: RoundVerdict | None = None

    @classmethod
    def of_view(cls, view: RoundView) -> "RoundRecord":
        """Return the warehouse's record of a recorded round."""
        findings = view.findings.to_dicts()
        said = {**view.round, "settlements": view.settlements.to_dicts(), "findings": findings}
        return cls(findings, RoundVerdict.of(said))

    @classmethod
    def of_judged(cls, table: str, judged: Adjudication) -> "RoundRecord":
        """Return the record of a round that a person entered, from its verdict: the warehouse does not hold such rounds."""
        rows = [
            msgspec.to_builtins(each) | {"finding_id": each.id, "incident_id": incident.id, "table_id": table}
            for incident in incidents(judged.findings)
            for each in incident.findings
        ]
        return cls(rows, RoundVerdict.of(judged))


class Steps:
    """The steps of one dispute of a round, or of a claim not yet opened."""

    def __init__(
        self, table: str, round_no: int, seat: int | None, dispute: Dispute | None, shown: RoundRecord, formats: Formats
    ) -> None:
        self.table, self.round_no, self.dispute, self.shown, self.formats = table, round_no, dispute, shown, formats
        self.seat = seat if dispute is None or dispute.seat is None else dispute.seat
        self.me = desk.writer()
        self.resolves = False
        said = desk.reviews()
        assert said is not None, "without a log there are no steps"
        self.said = said
        self.known = len(disputes_of(table, round_no))  # as this page is drawn: what is more is news to who looks at it
        self.case: PatronCase | None = next(
            (each for each in said.cases() if dispute and (each.table, each.case.dispute) == (table, dispute.dispute)), None
        )
        self.name = f"{table}-{round_no}-{seat or 'all'}" if dispute is None else f"{table}-{dispute.dispute}"

    def show(self) -> None:
        """Show every step; the form of the next one is open."""
        dispute, owed = self.dispute, self._owed()
        decided = dispute is not None and dispute.outcome is not None
        waiting = [each for each in owed if self._review(each).state == "awaiting_signature"]
        with self._step("Claim", DONE if dispute else NEXT):
            self._claim()
        if owed and not decided:
            mine = len(waiting) == len(owed) and {self._signer(each) for each in waiting} == {self.me}
            with self._step("Payment", LATER if dispute is None else WAITS if mine else NEXT):
                if dispute is not None:
                    self._payment(owed, waiting, mine=mine)
        pending = dispute.pending if dispute is not None else None
        if decided:
            state = DONE
        elif dispute is None or owed:
            state = LATER
        else:
            state = WAITS if pending is not None and pending.by == self.me else NEXT
        with self._step("Decision", state):
            self._decision(state)
        made = bool(self.case and self.case.case.decision and self.case.case.letters)
        with self._step("Letter and packet", LATER if not decided else DONE if made else NEXT):
            if decided and self.me is not None:
                packets.letter_and_packet(self.table, self.round_no, self.seat, self.case, self.me)

    def _step(self, title: str, state: str) -> AbstractContextManager[object]:
        place = st.container(key=f"stage-{state}-{title.partition(' ')[0].lower()}", gap="small")
        with place:
            words = {WAITS: "needs second signature"}.get(state, "")
            note = f' <span class="rk-soft">{words}</span>' if words else ""
            source.show(f'<h2 class="rk-stage"><span aria-hidden="true">{MARKS[state]}</span> {title}{note}</h2>')
        return place

    # ------------------------------------------------------------------------------------------------------------- claim

    def _claim(self) -> None:
        dispute = self.dispute
        if dispute is None:
            if self.me is not None:
                self._open(self.me)
            return
        by = f"{dispute.opened_by}, {self.formats.day_and_clock(dispute.history[0].at_us)}" if dispute.history else ""
        source.show(f'<p class="rk-said">“{markup.text(dispute.claim)}”</p><p class="rk-note">{markup.text(by)}</p>')
        if self.case is not None:
            way = markup.link("cases", f"Case {self.case.name}", case=self.case.name)
            today = self.said.today
            due = "" if self.case.case.decision else f", {case_parts.due_words(self.case.case, today)}"
            source.note(f"{way}{markup.text(due)}")
        elif dispute.outcome is None and self.me is not None:
            st.button("Open case", key=f"open case {self.name}", on_click=self._file, args=(self.me,))

    def _open(self, who: str) -> None:
        name = f"claim-{self.name}"
        with st.form(f"open {self.name}", border=False, enter_to_submit=False):
            if self.seat is None:
                st.caption("A letter is about one seat. Choose the seat first if the patron is to have a letter.")
            said = str(st.session_state.get(CLAIM_TYPED) or "")
            drafts.box("Patron's claim", name, longest=LONGEST_CLAIM, value=said, placeholder="What the patron says")
            patron = f"patron {self.name}"
            with st.expander("Patron's token"):
                st.text_input("Patron's token", key=patron, help="Never a name", label_visibility="collapsed")
            open_ = [each for each in self._owed() if self._review(each).state != "awaiting_signature"]
            total, slip = self.formats.money(-sum(each["difference_cents"] for each in open_)), f"paid-{self.name}"
            if open_:
                drafts.box(f"Slip or note, if {total} is paid now", slip)
            with st.container(horizontal=True):
                about = (who, name, patron)
                st.form_submit_button("Open case", type="primary", on_click=self._write_claim, args=about)
                if open_:
                    pay = f"Open case, record {total} paid"
                    st.form_submit_button(pay, on_click=self._write_claim, args=(*about, slip, open_))

    def _write_claim(self, who: str, name: str, patron: str, slip: str = "", owed: Sequence[dict[str, Any]] = ()) -> None:
        """Open a case; `owed`: the patron was paid at once, and `slip` has the number or a note."""
        claim, why = drafts.text(name), drafts.text(slip)
        token = str(st.session_state.get(patron) or "").strip().lower() or None
        if not claim:
            desk.refuse("Write down what the patron says.")
        elif owed and not why:
            desk.refuse("Fill in: Slip or note.")
        elif self._write_case(who, claim, token):
            drafts.stored(name)
            if owed and desk.act(lambda at: self._pay(at, owed, who, why)) is not None:
                drafts.stored(slip)

    def _file(self, who: str) -> None:
        self._write_case(who, None)

    def _write_case(self, who: str, claim: str | None, patron: str | None = None) -> bool:
        def write(at: Desk) -> Entry:
            now = [each for each in at.review(self.table).disputes.values() if each.round_no == self.round_no]
            if len(now) > self.known:  # somebody else opened one since this page was drawn
                last, yours = now[-1], f". You typed: “{claim}”" if claim else ""
                raise ReviewRefused(f"{last.opened_by} opened a case of this round meanwhile: “{last.claim}”{yours}")
            opened = cases.open_case(
                at, self.table, self.round_no, by=who, settings=CaseFolder(cases_path()).settings(), claim=claim,
                dispute=None if claim or self.dispute is None else self.dispute.dispute,
                seat=self.seat, patron=patron,
            )  # fmt: skip
            return opened.case.history[-1]

        return desk.act(write) is not None

    # ----------------------------------------------------------------------------------------------------------- payment

    def _owed(self) -> list[dict[str, Any]]:
        """Return the seat's findings for which the patron is owed money and no payment has been recorded and signed."""
        return [
            each
            for each in self.shown.findings
            if (each["difference_cents"] or 0) < 0
            and self.seat in (None, each["seat"])
            and self._review(each).state != "resolved"
        ]

    def _review(self, finding: dict[str, Any]) -> FindingReview:
        return self.said.of(self.table, finding["finding_id"])

    def _signer(self, finding: dict[str, Any]) -> str | None:
        first = self._review(finding).resolution
        return None if first is None else first.by

    def _payment(self, owed: Sequence[dict[str, Any]], waiting: Sequence[dict[str, Any]], *, mine: bool) -> None:
        rest = [each for each in owed if each not in waiting]
        total = self.formats.money(-sum(each["difference_cents"] for each in (rest or waiting)))
        words = f"Pay {total}." if rest else f"{total} recorded as paid."
        source.show(f'<p class="rk-said">{markup.text(words)}</p>')
        if self.me is None or mine:
            return
        if rest:
            self._form("Slip or note", "paid", f"Record {total} paid", lambda at, by, why: self._pay(at, rest, by, why))
        else:
            self._form(
                "What was checked", "signed", f"Sign {total}", lambda at, by, why: self._sign_payment(at, waiting, by, why)
            )
        self.resolves = True
        resolution(self.shown, self.table, self.seat, self.formats, "It is not owed, or not paid so")

    def _pay(self, at: Desk, owed: Sequence[dict[str, Any]], by: str, why: str) -> Entry:
        return [
            at.resolve(
                each["finding_id"], disposition="confirmed_paid_patron", by=by, reason=why,
                amount_cents=-each["difference_cents"],
            )
            for each in owed
        ][-1]  # fmt: skip

    def _sign_payment(self, at: Desk, waiting: Sequence[dict[str, Any]], by: str, why: str) -> Entry:
        return [at.sign(each["finding_id"], by=by, reason=why) for each in waiting][-1]

    # ---------------------------------------------------------------------------------------------------------- decision

    def _decision(self, state: str) -> None:
        dispute = self.dispute
        decision = dispute.pending if dispute is not None else None
        if self.case is not None:
            decision = self.case.case.decision or decision
        if decision is not None:
            source.show(f'<p class="rk-said">{markup.text(case_parts.decision_words(decision))}</p>')
        elif dispute is not None and dispute.outcome is not None:
            source.show(f'<p class="rk-said">{markup.text(capitalized(OUTCOMES[dispute.outcome]))}</p>')
        if state != NEXT or self.me is None or dispute is None:
            return
        if dispute.pending is not None:
            self._form(
                "What was checked", "checked", "Sign decision",
                lambda at, by, why: at.sign_dispute(self.table, dispute=dispute.dispute, by=by, reason=why),
            )  # fmt: skip
            return
        outcome = st.pills("Outcome", list(OUTCOMES), key=f"outcome {self.name}", format_func=lambda each: OUTCOME_LABELS[each])
        if outcome is None:
            return
        record = None
        if self.shown.verdict is not None:
            record = narrate(self.shown.verdict, self.seat, self.formats.currency, settled=True)
        against = contradiction(outcome, record)
        if against:
            title = f"{OUTCOME_LABELS[outcome]} goes against the record"
            source.notice(title, f"{against} Say why; a second person signs it.")
        ends = "" if against or packets.why_not() else packets.what_is_made(self.seat, has_case=self.case is not None)

        def close(at: Desk, by: str, why: str) -> Entry:
            override = drafts.text(f"against-{self.name}") or None if against else None
            entry = at.close_dispute(self.table, dispute=dispute.dispute, outcome=outcome, by=by, reason=why, override=override)
            if ends:
                packets.make_when_drawn(self.table, self.round_no, self.seat)
            return entry

        self._form(
            "Why, as the patron will read it",
            f"why-{outcome}",
            f"Record decision, make {ends}" if ends else "Record decision",
            close,
            "Why against the record" if against else "",
            value=reason_on_record(outcome, record) if self._is_as_recorded() else "",
        )

    def _is_as_recorded(self) -> bool:
        """Return whether the record is complete and every underpayment at the seat was paid to the patron."""
        money = [f for f in self.shown.findings if f["difference_cents"] and self.seat in (None, f["seat"])]
        made = [self._review(each).resolution for each in money]
        paid = all(each is not None and each.disposition == "confirmed_paid_patron" for each in made)
        return paid and self.shown.verdict is not None and not self.shown.verdict.undetermined

    def _form(
        self, label: str, what: str, button: str, write: Callable[[Desk, str, str], Entry], against: str = "", *, value: str = ""
    ) -> None:
        """Show a form with one box (`against`: two) and its initial `value`, whose button writes with the text as the reason."""
        name, other = f"{what}-{self.name}", f"against-{self.name}"

        def carry_out() -> None:
            words, missing = drafts.text(name), bool(against) and not drafts.text(other)
            if not words or missing:
                desk.refuse(f"Fill in: {against if words else label}.")
            elif self.me is not None and desk.act(lambda at: write(at, self.me or "", words)) is not None:
                drafts.stored(name, other)
            else:  # the form is gone if somebody else was first
                desk.quote(" ".join([words, drafts.text(other)]).strip())

        with st.form(f"{what} {self.name}", border=False, enter_to_submit=False):
            drafts.box(label, name, value=value)
            if against:
                drafts.box(against, other)
            st.form_submit_button(button, type="primary", on_click=carry_out)


OUTCOME_LABELS = {name: capitalized(words.removeprefix("decided ")) for name, words in OUTCOMES.items()}


def panel(view: RoundView, seat: int | None, here: Sequence[Dispute], formats: Formats) -> bool:
    """Show the steps of the seat's open, else last, dispute, and links to the others; return whether it is decided."""
    desk.outcome()
    table, round_no = view.round["table_id"], view.round["round_no"]
    said = desk.reviews()
    if said is None:
        return False
    fitting = [each for each in here if seat is None or each.seat in (None, seat)]
    shown = next((each for each in fitting if each.outcome is None), fitting[-1] if fitting else None)
    fresh = f"another {table} {round_no} {seat} {len(here)}"
    if shown is not None and shown.outcome is not None and st.session_state.get(fresh):
        shown = None
    record = RoundRecord.of_view(view)
    steps = Steps(table, round_no, seat, shown, record, formats)
    if shown is not None or steps.me is not None:
        steps.show()
    if not steps.resolves:
        resolution(record, table, seat, formats)
    others = [
        each
        for each in said.cases()
        if (each.table, each.case.round_no) == (table, round_no) and (shown is None or each.case.dispute != shown.dispute)
    ]
    if others:
        source.show(f'<div class="rk-ways">{case_parts.chips(others)}</div>')
    decided = shown is not None and shown.outcome is not None and steps.me is not None
    if decided:
        st.button("Another claim", key=f"to {fresh}", on_click=st.session_state.__setitem__, args=(fresh, True))
    return decided


def resolution(shown: RoundRecord, table: str, seat: int | None, formats: Formats, title: str = "") -> None:
    """Offer to resolve the gravest incident with wrong money in a round (at a seat), if the viewer may review."""
    said = desk.reviews()
    if said is None or desk.writer() is None:
        return
    of_money = [
        members
        for members in round_account.by_incident(shown.findings)
        if any(each["difference_cents"] and seat in (None, each["seat"]) for each in members)
    ]
    if of_money:
        members = of_money[0]
        states = [said.of(table, each["finding_id"]) for each in members]
        label = title or f"{finding_title(members[0]['code'])}: {INCIDENT_WORDS.get(incident_state(states), 'resolve')}"
        with st.expander(label):
            review_panel.incident_panel(members, said, formats)


INCIDENT_WORDS = {"resolved": "resolved", "awaiting_signature": "sign"}
