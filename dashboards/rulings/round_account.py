"""The account of a round as markup: its heading, its findings, and the money due next to the money paid. Pure functions."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import polars as pl

from analytics.warehouse.round_data import RoundView
from dashboards.drawing import markup
from dashboards.drawing.decisions import finding_link, linked
from dashboards.drawing.drawing import Flag
from dashboards.drawing.markup import Html
from dashboards.drawing.names import Formats, day_name
from dashboards.drawing.table_after_event import ReplayStep
from replay.findings import Finding
from replay.incidents import Incident
from replay.narrative.findings import finding_title, severity_reason
from replay.narrative.incidents import finding_sentence, incident_sentence
from replay.narrative.names import (
    game_name,
    line_name,
    plural,
    position_name,
    readable,
    table_name,
    wager_name,
    wager_with_paytable,
)
from replay.narrative.reckoning import reckoning, settled_wager
from replay.narrative.reviews import Disposed
from replay.narrative.ruling import NOTHING_DONE, Ruling, ruling, work_on
from replay.narrative.verdicts import Narrative, RoundVerdict, narrate

SETTLED = {
    "Seat": "short",
    "Wager": "text",
    "Staked": "number",
    "Due (recomputed)": "number",
    "Done (recorded)": "number",
    "Difference": "number",
    "Why": "text",
}

OTHERS = {"Severity": "text", "Finding": "text", "Money": "number", "Where": "short", "Due and recorded": "text"}


def header(view: RoundView, formats: Formats, disposed: Mapping[str, Disposed] = NOTHING_DONE) -> Html:
    """Return the round's name, time, dealer, verdict and neighbors; `disposed` maps finding ids to dispositions."""
    r = view.round
    facts = [
        game_name(r["game"]),
        day_name(r["gaming_day"]),
        f"{formats.clock(r['opened_at_us'])} to {formats.clock(r['closed_at_us'])} {formats.zone_name(r['opened_at_us'])}",
        f"dealer {table_name(r['dealer'])}" if r["dealer"] else "no dealer on record",
        *([f"{r['shift'].replace('_', ' ')} shift"] if r["shift"] else []),
        f"rules {r['submission']}" if r["submission"] else "no rules in force",
        *edition_words(r["chapter"]),
    ]
    name = Html(
        f"{markup.text(table_name(r['table_id']))} · Round {r['round_no']:,} "
        f'<span style="font-size:1rem;vertical-align:middle;margin-left:6px">{markup.verdict_badge(r["verdict"])}</span>'
    )
    ways = [
        neighbor("← Previous round", r["table_id"], view.previous_round_no),
        neighbor("Next round →", r["table_id"], view.next_round_no),
        neighbor("Next with a finding ◆", r["table_id"], view.next_found_round_no),
    ]
    below = " · ".join(markup.text(fact) for fact in facts)
    below += f"<br>{markup.text(narrative_of(view, None, formats, disposed).sentence)}"
    return markup.heading(name, Html(below), Html("".join(ways)))


def edition_words(key: str) -> list[str]:
    """Return an amended edition in words, none for a first one.

    >>> edition_words("pa-688a#2"), edition_words("pa-688a")
    (['edition 2 of pa-688a'], [])
    """
    chapter, _, edition = key.partition("#")
    return [f"edition {edition} of {chapter}"] if edition else []


def unconfirmed_header(view: RoundView, ways: object = "") -> Html:
    """Return the name of a round whose events the log does not confirm: no verdict and no facts."""
    r = view.round
    name = f"{table_name(r['table_id'])} · Round {r['round_no']:,}"
    return markup.heading(name, "No verdict is shown: the log does not confirm the events of this round.", ways)


def neighbor(words: str, table: str, round_no: int | None) -> Html:
    """Return the link to a neighboring round, or plain words at the end."""
    if round_no is None:
        return Html(f'<span class="rk-button-off">{markup.text(words)}</span>')
    return markup.button_link("round", words, table=table, round=round_no)


def short_row(found: dict[str, Any], formats: Formats, view: RoundView) -> list[object]:
    """Return a further finding as a row; its title shows it whole."""
    title = markup.link(
        "round",
        finding_title(found["code"]),
        table=view.round["table_id"],
        round=view.round["round_no"],
        finding=found["finding_id"],
    )
    return [
        markup.severity_badge(found["severity"]),
        markup.two_lines(title, finding_link(found["code"])),
        markup.difference(found["difference_cents"], formats, "no money"),
        where(found["seat"], found["wager"]),
        markup.two_lines(
            readable(found["expected"], formats.currency), f"recorded: {readable(found['observed'], formats.currency)}"
        ),
    ]


def where(seat: int | None, wager: str | None) -> str:
    """Return the seat and wager of a finding, if it has them."""
    parts = [*([] if seat is None else [position_name(seat)]), *([] if wager is None else [wager_name(wager)])]
    return " · ".join(parts) or "The table"


def incident(
    members: Sequence[dict[str, Any]],
    view: RoundView | None,
    formats: Formats,
    steps: Sequence[ReplayStep] = (),
    disposed: Mapping[str, Disposed] = NOTHING_DONE,
) -> Html:
    """Return an incident: its cause (first of `members`), what to do, and its consequences, folded; `disposed` by finding id."""
    whole = incident_of(members)
    work = work_on(whole, disposed, formats.currency)
    sentences = [*work.to_do, *(f"Done: {each}" for each in work.done)]
    todo = "".join(f"<li>{markup.text(sentence)}</li>" for sentence in sentences)
    more = "".join(finding(row, formats, steps, view) for row in members[1:])
    return Html(
        finding(members[0], formats, steps, view, whole)
        + (f'<ul class="rk-todo" aria-label="What to do">{todo}</ul>' if todo else "")
        + (
            f'<details class="rk-consequences"><summary>{plural(len(members) - 1, "consequence")}</summary>{more}</details>'
            if more
            else ""
        )
    )


def incident_of(members: Sequence[dict[str, Any]]) -> Incident:
    """Return the incident of these rows of findings, the cause first."""
    return Incident(findings=tuple(_finding_of(row) for row in members))


def by_incident(findings: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Return rows of findings grouped by incident, in the order of the incidents."""
    members: dict[str, list[dict[str, Any]]] = {}
    for row in findings:
        members.setdefault(row["incident_id"], []).append(row)
    return list(members.values())


def incidents_of(view: RoundView) -> list[Incident]:
    """Return the incidents of a round, gravest first."""
    return [incident_of(rows) for rows in by_incident(view.findings.to_dicts())]


def other_incidents(findings: Sequence[dict[str, Any]], view: RoundView, formats: Formats) -> Html:
    """Return each incident of these findings as a sentence that links to the whole."""
    links = "".join(
        "<li>"
        + markup.link(
            "round",
            incident_sentence(incident_of(rows), formats.currency),
            table=view.round["table_id"],
            round=view.round["round_no"],
            finding=rows[0]["finding_id"],
        )
        + "</li>"
        for rows in by_incident(findings)
    )
    return Html(f'<ul class="rk-others">{links}</ul>')


def _finding_of(row: dict[str, Any]) -> Finding:
    return msgspec.convert({**row, "id": row["finding_id"]}, Finding, strict=False)


def finding(
    found: dict[str, Any],
    formats: Formats,
    steps: Sequence[ReplayStep] = (),
    view: RoundView | None = None,
    whole: Incident | None = None,
) -> Html:
    """Return a finding: its sentence, due and recorded amounts, section, evidence, and the reason for its severity.

    With its round, the finding shows its calculation. The cause of an incident (`whole`) has the sentence and severity of the
    whole incident.
    """
    cents = found["difference_cents"]
    over, under = (max(cents or 0, 0), max(-(cents or 0), 0)) if whole is None else (whole.overpaid_cents, whole.underpaid_cents)
    kind = "rk-f-none" if not over and not under else "rk-f-over" if over > under else ""
    places = {step.seq: i for i, step in enumerate(steps, start=1)}
    proofs = [
        markup.link("round", f"step {places[seq]}", table=found["table_id"], round=found["round_no"], step=places[seq])
        if seq in places
        else f"event {seq:,}"
        for seq in found["evidence"]
    ]
    rows = [
        (name, markup.text(readable(found[field], formats.currency)))
        for name, field in (("Due", "expected"), ("Recorded", "observed"))
    ]
    if worked_out := reckoned(found["seat"], found["wager"], cents, view, formats):
        rows.append(("Calculation", markup.text(worked_out)))
    rows.append(
        ("Section", linked(found["cite"] + (" (assumed)" if found["assumed"] and "assumed" not in found["cite"] else "")))
    )
    if proofs:
        rows.append(("Evidence", Html(", ".join(markup.text(proof) for proof in proofs))))
    if found["other_reading"]:
        rows.append(("Other reading", linked(readable(found["other_reading"], formats.currency))))
    reason = severity_reason(found["code"], found["severity"], cents)
    severity = found["severity"] if whole is None else whole.severity
    if severity == found["severity"]:
        rows.append(("Severity", markup.text(reason)))
    if whole is None:
        sentence = finding_sentence(_finding_of(found), formats.currency)
    else:
        sentence = incident_sentence(whole, formats.currency)
    pairs = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows)
    return Html(
        f'<div class="rk-finding {kind}"><div class="rk-finding-head">{markup.severity_badge(severity)}'
        f'<strong>{markup.text(sentence)}</strong><span class="rk-soft">{finding_link(found["code"])}</span></div>'
        f'<dl class="rk-pair">{pairs}</dl></div>'
    )


def reckoned(seat: int | None, wager: str | None, difference_cents: int | None, view: RoundView | None, formats: Formats) -> str:
    """Return the calculation of a finding's wager; empty if it is unknown."""
    if view is None:
        return ""
    wagers = view.settlements.to_dicts()
    settled = settled_wager(wagers, seat, wager, difference_cents)
    return "" if settled is None else reckoning(settled, view.round["chapter"], formats.currency)


def flags(view: RoundView, formats: Formats) -> list[Flag]:
    """Return a flag for each finding with a seat."""
    return [
        Flag(found["seat"], _flag_words(found, formats), found["difference_cents"])
        for found in view.findings.iter_rows(named=True)
        if found["seat"] is not None
    ]


def _flag_words(found: dict[str, Any], formats: Formats) -> str:
    cents = found["difference_cents"]
    if not cents:
        return finding_title(found["code"])
    return f"{formats.money(abs(cents))} {'short' if cents < 0 else 'over'}"


def settlements(view: RoundView, formats: Formats, seat: int | None = None) -> Html:
    """Return each wager's due and paid amounts (of one seat, or all); rows that differ have a sign, word and shape."""
    rows, marked = [], []
    shown = view.settlements if seat is None else view.settlements.filter(pl.col("seat") == seat)
    for i, s in enumerate(shown.iter_rows(named=True)):
        if s["due_cents"] is not None and s["done_cents"] is None:
            said = Html('<span class="rk-soft">◌ not settled</span>')
        elif s["due_cents"] is None or view.round["verdict"] == "UNDETERMINED":
            said = Html('<span class="rk-soft">? not determined</span>')
        elif s["difference_cents"]:
            marked.append(i)
            said = markup.difference(s["difference_cents"], formats)
        else:
            said = Html('<span class="rk-right"><span aria-hidden="true">✓</span> as due</span>')
        slip = s["by_slip_cents"]
        done = formats.signed(s["done_cents"])
        rows.append(
            [
                position_name(s["seat"]),
                wager_with_paytable(s["wager"], s["paytable"]),
                formats.money(s["staked_cents"]),
                formats.signed(s["due_cents"]),
                markup.two_lines(done, f"{formats.money(slip)} by slip") if slip else done,
                said,
                markup.two_lines(line_name(s["line"]), linked(s["cite"] or "")),
            ]
        )
    if not rows:
        here = "in this round" if seat is None else f"at seat {seat}"
        words = "No wager {} could be settled" if view.round["verdict"] == "UNDETERMINED" else "Nothing was at stake {}"
        return markup.empty("No wagers", f"{words.format(here)}.")
    return markup.table(SETTLED, rows, "Recorded vs. recomputed", marked=marked)


def ruling_of(view: RoundView, seat: int | None, formats: Formats, disposed: Mapping[str, Disposed] = NOTHING_DONE) -> Ruling:
    """Return the ruling on one seat of a round, or on all; `disposed` maps finding ids to dispositions."""
    wagers = view.settlements.to_dicts()
    return ruling(incidents_of(view), wagers, view.round["chapter"], seat, formats.currency, disposed)


def narrative_of(
    view: RoundView, seat: int | None, formats: Formats, disposed: Mapping[str, Disposed] = NOTHING_DONE
) -> Narrative:
    """Return the text of packet and command on this verdict, of the round or of one seat."""
    settled = ruling_of(view, seat, formats, disposed).settled
    said = {**view.round, "settlements": view.settlements.to_dicts(), "findings": view.findings.to_dicts()}
    return narrate(RoundVerdict.of(said), seat, formats.currency, settled=settled)
