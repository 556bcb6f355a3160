"""The packet as one HTML file for reading: no script, no request, all text escaped; the same bytes each time."""

from collections.abc import Iterable, Sequence
from typing import Any

from desk.packet.words import Story
from desk.printable import escape
from replay.narrative.names import plural

SUITS = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
PIPS = {
    1: ((2, 2),),
    2: ((1, 1), (3, 3)),
    3: ((1, 1), (2, 2), (3, 3)),
    4: ((1, 1), (3, 1), (1, 3), (3, 3)),
    5: ((1, 1), (3, 1), (2, 2), (1, 3), (3, 3)),
    6: ((1, 1), (3, 1), (1, 2), (3, 2), (1, 3), (3, 3)),
}
FILLS = {"red": ("#b3261e", "#fff"), "blue": ("#1f4e9c", "#fff"), "white": ("#fff", "#1c2a2e")}
TONES = {"UPHELD": "#1d5b4b", "VARIANCE": "#b44a00", "VOID": "#4a5568", "UNDETERMINED": "#6b3fa0"}
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
STYLE = """
body{font:15px/1.5 system-ui,sans-serif;color:#1c2a2e;background:#fff;max-width:60rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.7rem;margin:.2rem 0 1rem}h2{font-size:1.2rem;margin:2.2rem 0 .6rem}h3{font-size:1rem;margin:1.2rem 0 .3rem}
table{border-collapse:collapse;width:100%;font-size:.9rem}th,td{text-align:left;vertical-align:top;padding:.3rem .5rem;
border-bottom:1px solid #c9d2ce}td.n{text-align:right;white-space:nowrap}.soft{color:#5b6b66;font-size:.85rem}
.verdict{border-left:.4rem solid var(--tone);background:#f6f8f7;padding:.8rem 1rem;margin:1rem 0}
.verdict p{margin:.2rem 0;font-size:1.15rem}
.verdict strong{color:var(--tone)}.wide{overflow-x:auto}code,pre{font:.78rem/1.45 ui-monospace,monospace;overflow-wrap:anywhere}
pre{background:#f6f8f7;padding:.8rem;white-space:pre-wrap}.differs{color:#b44a00;font-weight:700}
.card{display:inline-block;width:1.9rem;height:2.6rem;border:1px solid #5b6b66;border-radius:.3rem;background:#fff;
text-align:center;
font-weight:700;line-height:1.15rem;padding-top:.2rem;box-sizing:border-box;margin:0 .15rem .15rem 0}
.red{color:#b3261e}.joker{color:#6b3fa0}
svg{vertical-align:middle;margin-right:.3rem}.found{border-left:.2rem solid #b44a00;padding-left:.8rem;margin:.8rem 0}
details>summary{cursor:pointer}@media print{details{display:block}}
"""


def to_html(story: Story) -> bytes:
    """Return the page."""
    heading, nothing = f"Dispute packet: {story['title']}", story["nothing"]
    body = [
        f'<p class="soft">Dispute packet · {escape(story["property"])}</p><h1>{escape(story["title"])}</h1>',
        f'<div class="verdict" style="--tone:{TONES[story["verdict"]]}">'
        f"<strong>{story['verdict']}: {escape(story['meaning'])}</strong>"
        f"<p>{escape(story['sentence'])}</p></div>",
        _decision(story["decision"]),
        f'<p class="soft">{escape(story["withheld"])}</p>' if story["withheld"] else "",
        "<h2>Appendix: what the decision rests on</h2>",
        _pairs(story["facts"]),
        "<h2>Money</h2>",
        _money(story["money"]) or f"<p>{escape(nothing['staked'])}</p>",
        "<h2>Recorded next to recomputed</h2>",
        _play(story["play"]),
        "<h2>What was found</h2>",
        "".join(map(_finding, story["findings"])) or f"<p>{escape(nothing['found'])}</p>",
        "<h2>The sections, in our own words</h2>",
        "".join(map(_section, story["sections"])) or f"<p>{escape(nothing['cited'])}</p>",
        "<h2>What was not adjudicated, and why</h2><ul>",
        "".join(map(_limit, story["limits"])),
        "</ul>",
        "<h2>Rules submission</h2>",
        _rules(story["rules"]),
        "<h2>Custody of rules, cards, dice and devices</h2>",
        _table(
            "Custody", ("Event", "Time", "Item", "Status"), ([r["seq"], r["at"], r["thing"], r["what"]] for r in story["custody"])
        ),
        "<h2>Corrections, reviews, and who saw the record</h2>",
        _table(
            "Reviews",
            ("Event", "Time", "By", "What"),
            ([r["seq"], r["at"], r["by"], r["says"]] for r in story["reviews"]),
            nothing["reviewed"],
        ),
        "<h2>Events of the round</h2>",
        _events("Events of the round", story["events"]),
        "<h2>Events around it that the verdict rests on</h2>",
        _folded("Events around the round", story["background"]),
    ]
    for other in story["others"]:
        body += [f"<h2>Events of {escape(other['stream'])}</h2>", _folded(f"Events of {other['stream']}", other["events"])]
    body += [
        "<h2>How this can be checked</h2><p>This page is a copy for reading. The bundle (packet.json) and the PDF are signed; "
        "<code>rack verify</code> checks either with the log's public key and nothing else. SHA-256 of the bundle: "
        f"<code>{escape(story['digest'])}</code></p>",
        _pairs(story["proof"]),
        "<h2>Certification of the custodian</h2><p>On the last page of the PDF, to be signed by hand.</p><ol>",
        "".join(f"<li>{escape(each)}</li>" for each in story["certification"]),
        "</ol>",
    ]
    html = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">'
        f"<title>{escape(heading)}</title><style>{STYLE}</style></head><body><main>\n"
        + "\n".join(body)
        + "\n</main></body></html>\n"
    )
    return html.encode()


def _decision(decision: Story) -> str:
    """The claim, the ruling, the hands, and who decided and asked."""
    rows = [("Claim", [f"“{each['claim']}” (dispute {each['dispute']}: {each['state']})"]) for each in decision["claims"]]
    named = {"Incident": "incidents", "Calculation": "reckonings", "To do": "to_do", "Done": "done", "Elsewhere": "elsewhere"}
    rows += [(name, decision[key]) for name, key in named.items() if decision[key]]
    ruled = "".join(
        f'<tr><th scope="row">{name}</th><td>{"<br>".join(map(escape, sentences))}</td></tr>' for name, sentences in rows
    )
    hands = "".join(
        f"<p><strong>{escape(place['name'])}</strong> {_hands(place['recorded']) or ''.join(map(_card, place['dealt']))}</p>"
        for place in decision["hands"]
    )
    signed = [[each["at"], each["by"], each["says"]] for each in decision["signatures"]]
    return (
        f'<p class="soft">{escape(decision["when"])}</p>'
        + (f"<table><tbody>{ruled}</tbody></table>" if ruled else "")
        + hands
        + (_table("Decisions", ("Time", "By", "Decided and signed"), signed) if signed else "")
        + _pairs(decision["asked"])
    )


def _cell(value: Any, kind: str = "") -> str:
    return f"<td{kind}>{escape(str(value))}</td>"


def _wide(label: str, head: str, body: str) -> str:
    """Return a table that scrolls by itself if it is too wide, by keyboard too, with a name for screen readers (WCAG 2.1.1)."""
    table = f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"
    return f'<div class="wide" tabindex="0" role="region" aria-label="{escape(label)}">{table}</div>'


def _head(names: Iterable[str]) -> str:
    cells = "".join(f'<th scope="col">{escape(each)}</th>' for each in names)
    return f"<tr>{cells}</tr>"


def _table(
    label: str, header: Sequence[str], rows: Iterable[Sequence[Any]], empty: str = "Nothing about it is on record."
) -> str:
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    if not body:
        return f'<p class="soft">{escape(empty)}</p>'
    return _wide(label, _head(header), body)


def _pairs(rows: Iterable[Sequence[str]]) -> str:
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td style="overflow-wrap:anywhere">{escape(value)}</td></tr>'
        for name, value in rows
    )
    return f"<table><tbody>{body}</tbody></table>"


def _money(rows: Sequence[Story]) -> str:
    if not rows:
        return ""
    header = ("Seat", "Wager", "Paytable", "Staked", "Due", "Done", "Differs", "Line", "Section")
    body = "".join(
        "<tr>"
        + _cell(f"{'▶ ' if r['focus'] else ''}{r['seat']}")
        + _cell(r["wager"])
        + _cell(r["paytable"])
        + "".join(_cell(r[name], ' class="n"') for name in ("staked", "due", "done"))
        + _cell(r["differs"], ' class="n differs"')
        + _cell(r["line"])
        + _cell(r["section"])
        + "</tr>"
        for r in rows
    )
    return (
        _wide("Money", _head(header), body)
        + '<p class="soft">Due and done are the patron\'s net: a lost wager is negative, a push is zero.</p>'
    )


def _card(face: str | None) -> str:
    if face is None:
        return '<span class="card" title="a card that was not read">?</span>'
    if face == "Jk":
        return '<span class="card joker" title="joker">JK<br>★</span>'
    rank = "10" if face[0] == "T" else face[0]
    color = " red" if face[1] in "hd" else ""
    return f'<span class="card{color}">{escape(rank)}<br>{SUITS[face[1]]}</span>'


def _die(value: int | None, color: str) -> str:
    fill, dot = FILLS.get(color, FILLS["white"])
    name = "a die that was not read" if value is None else f"{color} die, {value}"
    marks = "".join(f'<circle cx="{9 * x}" cy="{9 * y}" r="3.4" fill="{dot}"/>' for x, y in PIPS.get(value or 0, ()))
    mark = marks or f'<text x="18" y="26" font-size="22" text-anchor="middle" fill="{dot}">?</text>'
    return (
        f'<svg width="36" height="36" role="img"><title>{name}</title><rect x=".5" y=".5" width="35" height="35" rx="7" '
        f'fill="{fill}" stroke="#12382e"/>{mark}</svg>'
    )


def _play(play: Story) -> str:
    parts = []
    for roll in play["dice"]:
        colours = roll["colours"] or ["white"] * len(roll["dice"])
        dice = "".join(_die(value, color) for value, color in zip(roll["dice"], colours, strict=False))
        parts.append(f"<p>{dice} {escape(roll['lie'])}</p>")
    if play["start"]:
        parts.append(_table("Start of the deal", ("Step", "Recorded", "Recomputed"), play["start"]))
    for place in play["positions"]:
        parts.append(f"<h3>{'▶ ' if place['focus'] else ''}{escape(place['name'])}</h3>")
        if place["dealt"]:
            parts.append(f'<p><span class="soft">Dealt</span> {"".join(map(_card, place["dealt"]))}</p>')
        rows = []
        if place["recorded"] or place["recomputed"]:
            recorded = _hands(place["recorded"]) or "not on record"
            recomputed = _hands(place["recomputed"]) or f'<span class="soft">{escape(place["otherwise"])}</span>'
            rows.append(f'<tr><th scope="row">Hands</th><td>{recorded}</td><td>{recomputed}</td></tr>')
        for name, done, due in place["settled"]:
            rows.append(
                f'<tr><th scope="row">{escape(name)}</th>{_cell(done)}'
                + _cell(due, ' class="differs"' if done != due else "")
                + "</tr>"
            )
        if rows:
            head = _head(("Hands and wagers", "Recorded", "Recomputed"))
            parts.append(_wide(f"Hands and wagers: {place['name']}", head, "".join(rows)))
    return "".join(parts)


def _hands(hands: Sequence[Story]) -> str:
    return " ".join(f'<span class="soft">{each["name"]}</span> {"".join(map(_card, each["cards"]))}' for each in hands)


def _finding(found: Story) -> str:
    names = (
        ("Expected", "expected"),
        ("Observed", "observed"),
        ("Money", "money"),
        ("Evidence", "evidence"),
        ("Section", "section"),
        ("Another reading", "other"),
    )
    rows = [(name, found[key]) for name, key in names if found[key]]
    line = f'<strong>{escape(found["line"])}</strong> <span class="soft">({escape(found["severity"])})</span>'
    return f'<div class="found">{line}{_pairs(rows)}</div>'


def _section(cited: Story) -> str:
    found = ' <span class="soft">(a finding rests on it)</span>' if cited["found"] else ""
    return f"<p><strong>{escape(cited['section'])}</strong>{found}<br>{'<br>'.join(map(escape, cited['says']))}</p>"


def _limit(limit: Story) -> str:
    why = f' <span class="soft">— {escape(limit["why"])}</span>' if limit["why"] else ""
    return f"<li>{escape(limit['what'])}{why}</li>"


def _rules(rules: Story) -> str:
    if rules["why"]:
        return f"<p>{escape(rules['why'])}.</p>"
    text = f"<details><summary>Its whole text, as filed</summary><pre>{escape(rules['text'])}</pre></details>"
    return _pairs(rules["rows"]) + text


def _events(label: str, events: Sequence[Story]) -> str:
    body = "".join(
        f"<tr>{_cell(e['seq'])}{_cell(e['at'])}{_cell(e['source'])}<td>{escape(e['says'])}<br>"
        f'<code class="soft">{e["chain"]}</code></td></tr>'
        for e in events
    )
    return _wide(label, _head(("Event", "Time", "Device", "What it states, and the chain hash after it")), body)


def _folded(label: str, events: Sequence[Story]) -> str:
    return f"<details><summary>{plural(len(events), 'event')}</summary>{_events(label, events)}</details>"
