"""Round: what happened, what should have happened, and what proves it?"""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import streamlit as st

from analytics import hold
from analytics.hold import RoundView
from dashboards import markup, source
from dashboards.captions import caption
from dashboards.drawing import Flag, table_drawing
from dashboards.markup import Html
from dashboards.names import (
    Formats,
    day_name,
    finding_title,
    game_name,
    line_name,
    plural,
    position_name,
    readable,
    table_name,
    wager_name,
    wager_with_paytable,
)
from dashboards.state import Step, steps_of, table_after

SETTLED = {
    "Seat": "text", "Wager": "text", "Staked": "number", "Due (recomputed)": "number", "Done (recorded)": "number",
    "Difference": "number", "Why": "text",
}  # fmt: skip
OTHERS = {"Severity": "text", "Finding": "text", "Money": "number", "Where": "short", "Due and recorded": "text"}


def page() -> None:
    """Lay the page out."""
    source.begin()
    formats = source.formats()
    table, round_no = st.query_params.get("table"), st.query_params.get("round")
    stream = st.query_params.get("stream") or (f"table/{table}" if table else None)
    if stream is None or round_no is None or not round_no.isdecimal():
        choose(stream)
        return
    view = source.ask(lambda db: hold.round_view(db, stream, int(round_no)))
    if view is None:
        source.show(
            markup.empty(
                f"{table_name(stream.partition('/')[2])} has no round {int(round_no):,} here",
                "The warehouse does not hold it. Choose another below; if it was played since, run "
                "`rack replay --log ADDR --warehouse FILE`.",
            )
        )
        choose(stream)
        return
    steps = steps_of(view.events.to_dicts())
    step_now(view, steps)
    source.show(header(view, formats))
    findings(view, formats, steps)
    if steps:
        replay(view, steps, formats)
    else:
        source.show(
            markup.empty(
                "No events of this round in the warehouse",
                "The verdict below stands on its own. `rack round TABLE ROUND --log ADDR` shows the events from the log.",
            )
        )
    source.show(
        markup.section("Recorded beside recomputed", "Both are the patron's net: what was won, less what was lost.")
    )
    source.show(settlements(view, formats))
    source.watch()


def choose(stream: str | None) -> None:
    """Offer the rounds of a table."""
    rounds = source.ask(hold.rounds_of)
    source.show(markup.heading("Open a round", "Choose a table and a round, or come here from the queue."))
    if rounds.is_empty():
        source.show(
            markup.empty("No rounds here yet", "Run `rack demo`, or `rack replay --log ADDR --warehouse FILE`.")
        )
        source.watch()
        return
    tables = sorted(set(rounds["table_id"]))
    given = (stream or "").partition("/")[2]
    left, middle, right = st.columns([2, 3, 1], vertical_alignment="bottom")
    table = left.selectbox("Table", tables, index=tables.index(given) if given in tables else 0, format_func=table_name)
    of_table = rounds.filter(pl.col("table_id") == table)
    says = {
        row["round_no"]: f"Round {row['round_no']:,}"
        + (f" · {plural(row['findings'], 'finding')}" if row["findings"] else "")
        for row in of_table.iter_rows(named=True)
    }
    number = middle.selectbox("Round", list(says), format_func=lambda n: says[n])
    with right:
        source.show(markup.button_link("round", "Open", table=table, round=number))
    source.watch()


def step_key(view: RoundView) -> str:
    """Return the name under which this round's step is kept in the session."""
    return f"step of {view.round['stream']} {view.round['round_no']}"


def step_now(view: RoundView, steps: list[Step]) -> int:
    """Return the step to show: the session's, else the address's, else the finding's evidence, else the last."""
    key = step_key(view)
    if key not in st.session_state:
        given = st.query_params.get("step", "")
        proof = evidence_step(view, steps, st.query_params.get("finding"))
        st.session_state[key] = int(given) if given.isdecimal() else proof or len(steps)
    at = max(min(1, len(steps)), min(int(st.session_state[key]), len(steps)))
    st.session_state[key] = at
    if steps:
        st.query_params["step"] = str(at)
    return at


def evidence_step(view: RoundView, steps: list[Step], finding_id: str | None) -> int | None:
    """Return the step of the last event that proves a finding (the first finding, where none is named)."""
    for found in view.findings.iter_rows(named=True):
        if finding_id in (None, found["finding_id"]):
            places = [i for i, step in enumerate(steps, start=1) if step.seq in found["evidence"]]
            return max(places, default=None)
    return None


def header(view: RoundView, formats: Formats) -> Html:
    """Return the round's name, when and by whom it was dealt, the verdict, and the way to its neighbours."""
    r = view.round
    facts = [
        game_name(r["game"]), day_name(r["gaming_day"]),
        f"{formats.clock(r['opened_at_us'])} to {formats.clock(r['closed_at_us'])} {formats.zone_name(r['opened_at_us'])}",
        f"dealer {table_name(r['dealer'])}", f"{r['shift'].replace('_', ' ')} shift", f"rules {r['submission']}",
    ]  # fmt: skip
    name = Html(
        f"{markup.text(table_name(r['table_id']))} · Round {r['round_no']:,} "
        f'<span style="font-size:1rem;vertical-align:middle;margin-left:6px">{markup.verdict_badge(r["verdict"])}</span>'
    )
    ways = [neighbour("← Previous round", r["table_id"], view.previous_round_no),
            neighbour("Next round →", r["table_id"], view.next_round_no)]  # fmt: skip
    below = " · ".join(markup.text(fact) for fact in facts)
    for missing in r["undetermined"]:
        below += f"<br>Not determined: {markup.text(missing)}"
    return markup.heading(name, Html(below), Html("".join(ways)))


def neighbour(words: str, table: str, round_no: int | None) -> Html:
    """Return the link to a neighbouring round, or the words without one at the end."""
    if round_no is None:
        return Html(f'<span class="rk-button-off">{markup.text(words)}</span>')
    return markup.button_link("round", words, table=table, round=round_no)


def findings(view: RoundView, formats: Formats, steps: list[Step]) -> None:
    """Show the finding that the address names (else the gravest) whole, and the others in short beneath it."""
    found = view.findings.to_dicts()
    if not found:
        return
    named = st.query_params.get("finding")
    first = next((f for f in found if f["finding_id"] == named), found[0])
    source.show(finding(first, formats, steps, view))
    others = [f for f in found if f is not first]
    if others:
        with st.expander(f"{plural(len(others), 'more finding')} in this round"):
            source.show(
                markup.table(OTHERS, [short_row(f, formats, view) for f in others], "More findings in this round")
            )


def short_row(found: dict[str, Any], formats: Formats, view: RoundView) -> list[object]:
    """Return a further finding as a row; its title shows it whole."""
    title = markup.link("round", finding_title(found["code"]), table=view.round["table_id"], round=view.round["round_no"],
                        finding=found["finding_id"])  # fmt: skip
    return [
        markup.severity_badge(found["severity"]),
        markup.two_lines(title, found["code"]),
        markup.difference(found["difference_cents"], formats, "no money"),
        where(found),
        markup.two_lines(readable(found["expected"]), f"recorded: {readable(found['observed'])}"),
    ]


def where(found: dict[str, Any]) -> str:
    """Return the seat and the wager of a finding, as far as it has them."""
    seat, wager = found["seat"], found["wager"]
    parts = [*([] if seat is None else [position_name(seat)]), *([] if wager is None else [wager_name(wager)])]
    return " · ".join(parts) or "The table"


def finding(found: dict[str, Any], formats: Formats, steps: list[Step], view: RoundView) -> Html:
    """Return a finding: what is wrong, where, the money, due and recorded, the section and the evidence."""
    cents = found["difference_cents"]
    kind = "" if cents and cents < 0 else "rk-f-over" if cents else "rk-f-none"
    places = {step.seq: i for i, step in enumerate(steps, start=1)}
    proofs = [
        markup.link(
            "round", f"step {places[seq]}", table=view.round["table_id"], round=view.round["round_no"], step=places[seq]
        )
        if seq in places
        else f"event {seq:,}"
        for seq in found["evidence"]
    ]
    rows = [("Due", markup.text(readable(found["expected"]))), ("Recorded", markup.text(readable(found["observed"])))]
    rows.append(("Section", markup.text(found["cite"] + (" (assumed)" if found["assumed"] else ""))))
    if proofs:
        rows.append(("Evidence", Html(", ".join(markup.text(proof) for proof in proofs))))
    if found["other_reading"]:
        rows.append(("Other reading", markup.text(found["other_reading"])))
    pairs = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows)
    return Html(
        f'<div class="rk-finding {kind}"><div class="rk-finding-head">{markup.severity_badge(found["severity"])}'
        f"<strong>{markup.text(finding_title(found['code']))}</strong><span>{markup.text(where(found))}</span>"
        f'{markup.difference(cents, formats, "")}<span class="rk-soft">{markup.text(found["code"])}</span></div>'
        f'<dl class="rk-pair">{pairs}</dl></div>'
    )


def replay(view: RoundView, steps: list[Step], formats: Formats) -> None:
    """Show the table after the chosen step, and the event of the step; redrawn alone while stepping."""
    key = step_key(view)

    @st.fragment
    def stepping() -> None:
        at = int(st.session_state[key])
        st.query_params["step"] = str(at)
        picture, beside = st.columns([7, 3], gap="medium")
        with picture:
            back, slide, forth = st.columns([1, 5, 1], vertical_alignment="bottom")
            back.button("Back", key=f"{key} back", disabled=at <= 1, width="stretch", shortcut="Left",
                        on_click=move, args=(key, -1, len(steps)))  # fmt: skip
            slide.slider("Step", 1, max(len(steps), 2), key=key, disabled=len(steps) < 2, format=f"%d of {len(steps)}")
            forth.button("Next", key=f"{key} next", disabled=at >= len(steps), width="stretch", shortcut="Right",
                         on_click=move, args=(key, 1, len(steps)))  # fmt: skip
            at = min(at, len(steps))
            alt = (
                f"{table_name(view.round['table_id'])}, round {view.round['round_no']}, after step {at} of {len(steps)}"
            )
            source.draw(table_drawing(table_after(steps, at), formats, flags(view, formats), alt))
        with beside:
            event(view, steps, at, formats)

    stepping()


def move(key: str, by: int, last: int) -> None:
    """Go a step on or back."""
    st.session_state[key] = max(1, min(int(st.session_state[key]) + by, last))


def flags(view: RoundView, formats: Formats) -> list[Flag]:
    """Return a flag for each finding that has a seat."""
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


def event(view: RoundView, steps: list[Step], at: int, formats: Formats) -> None:
    """Show the event of the step, those around it, and the event as recorded."""
    proofs = {seq for evidence in view.findings["evidence"] for seq in evidence}
    now = steps[at - 1]
    here = markup.link(
        "round", "link to this step", table=view.round["table_id"], round=view.round["round_no"], step=at
    )
    trail = "".join(
        f'<li class="{"rk-here" if i == at else ""}{" rk-proof" if steps[i - 1].seq in proofs else ""}">'
        f"{markup.text(caption(steps[i - 1].type, steps[i - 1].payload, formats))}</li>"
        for i in around(at, len(steps))
    )
    source.show(
        f'<div class="rk-step"><div class="rk-soft">Step {at} of {len(steps)} · {formats.clock(now.occurred_at_us)}</div>'
        f'<div class="rk-now">{markup.text(caption(now.type, now.payload, formats))}</div>'
        f'<div class="rk-soft">reported by {markup.text(now.source)} · {here}</div><ol class="rk-trail">{trail}</ol></div>'
    )
    with st.expander(f"Event {now.seq:,} as recorded"):
        st.code(json.dumps(now.payload, indent=2, ensure_ascii=False), language="json")
        source.show(
            f'<p class="rk-hash">{markup.text(view.round["stream"])} · {markup.text(now.type)}<br>'
            f"chain hash {markup.text(now.hash)}</p>"
        )


def around(at: int, last: int, width: int = 4) -> range:
    """Return the steps around one, as many as fit.

    >>> list(around(1, 20)), list(around(20, 20, 1))
    ([1, 2, 3, 4, 5, 6, 7, 8, 9], [18, 19, 20])
    """
    start = max(1, min(at - width, last - 2 * width))
    return range(start, min(last, start + 2 * width) + 1)


def settlements(view: RoundView, formats: Formats) -> Html:
    """Return each wager's due beside done; rows that differ are marked by sign, word and shape."""
    rows, marked = [], []
    for i, s in enumerate(view.settlements.iter_rows(named=True)):
        if s["difference_cents"]:
            marked.append(i)
            said = markup.difference(s["difference_cents"], formats)
        elif s["due_cents"] is None:
            said = Html('<span class="rk-soft">? cannot be told</span>')
        elif s["done_cents"] is None:
            said = Html('<span class="rk-soft">◌ not settled</span>')
        else:
            said = Html('<span class="rk-right"><span aria-hidden="true">✓</span> as due</span>')
        slip = s["jackpots_by_slip_cents"]
        done = formats.signed(s["done_cents"])
        rows.append(
            [
                position_name(s["seat"]),
                wager_with_paytable(s["wager"], s["paytable"]),
                formats.money(s["staked_cents"]),
                formats.signed(s["due_cents"]),
                markup.two_lines(done, f"{formats.money(slip)} by slip") if slip else done,
                said,
                markup.two_lines(line_name(s["line"]), s["cite"]),
            ]
        )
    if not rows:
        return markup.empty("No wagers", "Nothing was at stake in this round.")
    return markup.table(SETTLED, rows, "Recorded beside recomputed", marked=marked)


page()
