"""What is said of a round, as markup: its heading, its findings, and the money due beside the money done. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from analytics.hold.hold import RoundView
from dashboards.drawing import markup
from dashboards.drawing.drawing import Flag
from dashboards.drawing.markup import Html
from dashboards.drawing.names import (
    Formats,
    day_name,
    finding_title,
    game_name,
    line_name,
    position_name,
    readable,
    severity_reason,
    table_name,
    wager_name,
    wager_with_paytable,
)
from dashboards.drawing.state import Step

SETTLED = {
    "Seat": "text",
    "Wager": "text",
    "Staked": "number",
    "Due (recomputed)": "number",
    "Done (recorded)": "number",
    "Difference": "number",
    "Why": "text",
}

OTHERS = {"Severity": "text", "Finding": "text", "Money": "number", "Where": "short", "Due and recorded": "text"}


def header(view: RoundView, formats: Formats) -> Html:
    """Return the round's name, when and by whom it was dealt, the verdict, and the way to its neighbours."""
    r = view.round
    facts = [
        game_name(r["game"]),
        day_name(r["gaming_day"]),
        f"{formats.clock(r['opened_at_us'])} to {formats.clock(r['closed_at_us'])} {formats.zone_name(r['opened_at_us'])}",
        f"dealer {table_name(r['dealer'])}" if r["dealer"] else "no dealer on record",
        *([f"{r['shift'].replace('_', ' ')} shift"] if r["shift"] else []),
        f"rules {r['submission']}" if r["submission"] else "no rules in force",
    ]
    name = Html(
        f"{markup.text(table_name(r['table_id']))} · Round {r['round_no']:,} "
        f'<span style="font-size:1rem;vertical-align:middle;margin-left:6px">{markup.verdict_badge(r["verdict"])}</span>'
    )
    ways = [
        neighbour("← Previous round", r["table_id"], view.previous_round_no),
        neighbour("Next round →", r["table_id"], view.next_round_no),
        neighbour("Next with a finding ◆", r["table_id"], view.next_found_round_no),
    ]
    below = " · ".join(markup.text(fact) for fact in facts)
    for missing in r["undetermined"]:
        below += f"<br>Not determined: {markup.text(missing)}"
    return markup.heading(name, Html(below), Html("".join(ways)))


def neighbour(words: str, table: str, round_no: int | None) -> Html:
    """Return the link to a neighbouring round, or the words without one at the end."""
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


def finding(found: dict[str, Any], formats: Formats, steps: Sequence[Step] = ()) -> Html:
    """Return a finding: what is wrong, where, the money, due and recorded, the section, the evidence, why it is so severe."""
    cents = found["difference_cents"]
    kind = "" if cents and cents < 0 else "rk-f-over" if cents else "rk-f-none"
    places = {step.seq: i for i, step in enumerate(steps, start=1)}
    proofs = [
        markup.link("round", f"step {places[seq]}", table=found["table_id"], round=found["round_no"], step=places[seq])
        if seq in places
        else f"event {seq:,}"
        for seq in found["evidence"]
    ]
    rows = [("Due", markup.text(readable(found["expected"]))), ("Recorded", markup.text(readable(found["observed"])))]
    rows.append(
        (
            "Section",
            markup.text(found["cite"] + (" (assumed)" if found["assumed"] and "assumed" not in found["cite"] else "")),
        )
    )
    if proofs:
        rows.append(("Evidence", Html(", ".join(markup.text(proof) for proof in proofs))))
    if found["other_reading"]:
        rows.append(("Other reading", markup.text(found["other_reading"])))
    reason = severity_reason(found["code"], found["severity"], cents)
    rows.append(("Severity", markup.text(f"{found['severity']}: {reason}")))
    pairs = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows)
    return Html(
        f'<div class="rk-finding {kind}"><div class="rk-finding-head">{markup.severity_badge(found["severity"])}'
        f"<strong>{markup.text(finding_title(found['code']))}</strong><span>{markup.text(where(found))}</span>"
        f'{markup.difference(cents, formats, "")}<span class="rk-soft">{markup.text(found["code"])}</span></div>'
        f'<dl class="rk-pair">{pairs}</dl></div>'
    )


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


def settlements(view: RoundView, formats: Formats, seat: int | None = None) -> Html:
    """Return each wager's due beside done (of one seat, or all); rows that differ are marked by sign, word and shape."""
    rows, marked = [], []
    shown = view.settlements if seat is None else view.settlements.filter(pl.col("seat") == seat)
    for i, s in enumerate(shown.iter_rows(named=True)):
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
        return markup.empty(
            "No wagers", f"Nothing was at stake {'in this round' if seat is None else f'at seat {seat}'}."
        )
    return markup.table(SETTLED, rows, "Recorded beside recomputed", marked=marked)


def answer(view: RoundView, seat: int | None, formats: Formats) -> Html:
    """Return the answer to "was it paid right?" in one sentence, with the money and what it rests on; of one seat, or of all."""
    of = view.settlements if seat is None else view.settlements.filter(pl.col("seat") == seat)
    who = "The patrons of this round" if seat is None else f"The patron at seat {seat}"
    owed = sum(-cents for cents in of["difference_cents"].drop_nulls() if cents < 0)
    over = sum(cents for cents in of["difference_cents"].drop_nulls() if cents > 0)
    unknown = of["due_cents"].null_count()
    lines, kind, shape = [], "upheld", "✔\N{VARIATION SELECTOR-15}"
    if owed:
        kind, shape = "under", markup.DOWN
        lines.append(f"{who} {'is' if seat is not None else 'are'} owed {formats.money(owed)}.")
    if over:
        kind, shape = ("over", markup.UP) if not owed else (kind, shape)
        lines.append(f"{who} got {formats.money(over)} too much.")
    if unknown:
        kind, shape = ("unknown", "?") if not owed and not over else (kind, shape)
        wagers = "1 wager" if unknown == 1 else f"{unknown} wagers"
        lines.append(f"What {wagers} should have got cannot be told: {'; '.join(view.round['undetermined'])}.")
    if not lines:
        if of.is_empty():
            kind, shape = "unknown", "\N{EMPTY SET}"
            lines.append("Nothing was at stake here.")
        else:
            lines.append("Every wager was settled as the rules say.")
    if view.round["verdict"] == "VOID":
        lines.append("The round was declared void.")
    first, *rest = lines
    more = "".join(f'<p class="rk-under">{markup.text(line)}</p>' for line in [*rest, *_reasons(of, formats)])
    return Html(
        f'<div class="rk-answer rk-a-{kind}" role="status"><div class="rk-answer-shape" aria-hidden="true">{shape}</div>'
        f'<div><p class="rk-answer-words">{markup.text(first)}</p>{more}</div></div>'
    )


def _reasons(of: pl.DataFrame, formats: Formats) -> list[str]:
    """The wagers that differ, each with what was due, what was done, and the section."""
    return [
        f"{wager_name(s['wager'])} of seat {s['seat']}, {formats.money(s['staked_cents'])} staked: "
        f"due {formats.signed(s['due_cents'])}, done {formats.signed(s['done_cents'])}"
        f" ({line_name(s['line']).lower()}; {s['cite']})."
        for s in of.iter_rows(named=True)
        if s["difference_cents"]
    ]
