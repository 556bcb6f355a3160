"""results.json, and the tables of docs/benchmarks.md that are made from it."""

import json
import math
import sys
from html import escape
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results.json"
DOCUMENT = ROOT / "docs" / "benchmarks.md"
CHART = ROOT / "docs" / "benchmarks.svg"
TABLE = ("log", "live", "proofs", "adoption", "freshness", "growth", "ranking", "worst")
"""The parts whose benchmarks are in the table of figures, in this order."""
INTRODUCTION = """\
# Benchmarks

`make bench` writes this page from `benchmarks/results.json`, which has every figure and note. A ratio is our speed over that of a
named peer, measured in turn in the same run: the best of three of each (of five with waits for a disk). *By CPU* counts
the processor time of the measuring process and its children, without the broker; a busy machine disturbs it less than the clock.
No test asserts these figures. The lookup of hand ranks is filled, as after some ten thousand rounds.
"""


def say(text: str) -> None:
    """Print the present step."""
    sys.stderr.write(text + "\n")


def read() -> dict[str, Any]:
    """Return the earlier results of each part; empty if there are none."""
    return json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {"parts": {}}


def write(results: dict[str, Any]) -> None:
    """Write all files."""
    RESULTS.write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    DOCUMENT.write_text(document(results), encoding="utf-8")
    CHART.write_text(chart(_measured(results)), encoding="utf-8")


def _measured(results: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the benchmarks of parts with a line in the table of figures."""
    return [each for part in TABLE if part in results["parts"] for each in results["parts"][part]["benchmarks"]]


def document(results: dict[str, Any]) -> str:
    """Return the text of docs/benchmarks.md."""
    parts, measured = results["parts"], _measured(results)
    found = [INTRODUCTION]
    if "log" in parts:
        found.append(_log_to_verdict({each["key"]: each for each in measured}))
    found.append(_machine(results))
    if "log" in parts:
        found.append(_workload(parts["log"]["workload"]))
    found += [_table(measured), f"![Each ratio to its peer, on a logarithmic scale]({CHART.name})\n", _peers(measured)]
    if "warehouse" in parts:
        found.append(_warehouse(parts["warehouse"]))
    if "refresh" in parts:
        found.append(_refresh(parts["refresh"]["sizes"]))
    if "month" in parts:
        found.append(_month(parts["month"]))
    if "told" in parts:
        found.append(_reported(parts["told"]))
    if "log" in parts:
        found.append(_profile(parts["log"]["stages"], parts["log"]["profile"], parts["log"]["workload"]["rounds"]))
    return "\n".join(found)


def _log_to_verdict(measured: dict[str, dict[str, Any]]) -> str:
    one, two, asked = measured["floor"], measured["floor-workers"], measured.get("what-if")
    text = (
        "## Log to verdict\n\n"
        f"An honest simulated floor of all games ({one['count']:,} rounds, {one['notes']['events']:,} events), cold, everything "
        f"counted: `rack replay` judges {one['ours']['per_s']:,} rounds a second ({one['ours']['per_cpu_s']:,} by CPU) and "
        f"stores the verdicts, with `--workers 2` {two['ours']['per_s']:,}, {two['ratio']:.2f} times as many."
    )
    if asked is not None:
        aside = asked["notes"]["rounds_by_event_replay"] / asked["count"]
        text += (
            f" A what-if over a round table of {asked['count']:,} rounds settles {asked['ours']['per_s']:,} rounds a "
            f"second, {aside:.1%} of them by event replay."
        )
    return text + "\n"


def _machine(results: dict[str, Any]) -> str:
    machine = results["machine"]
    libraries = ", ".join(f"{name} {number}" for name, number in machine["libraries"].items())
    lines = [
        "## The machine\n",
        f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_gib']} GiB; {machine['system']}; "
        f"Python {machine['python']}, SQLite {machine['sqlite']}, {libraries}. How busy it was when each part was measured:\n",
        "| part | begun | load average before | after |",
        "| --- | --- | ---: | ---: |",
    ]
    for name, part in results["parts"].items():
        before, after = part["load_average"]
        lines.append(f"| {name} | {part['date'][:16].replace('T', ' ')} UTC | {before} | {after} |")
    return "\n".join(lines) + "\n"


def _workload(workload: dict[str, Any]) -> str:
    return (
        "## The workload\n\n"
        f"{workload['rounds']:,} rounds of Face Up Pai Gow Poker at a full table ({workload['events']:,} events, "
        f"{workload['events_per_round']} a round): six patrons, each with base, Ace High, Fortune and Progressive wager; "
        f"everything on record from the shuffle to the discard rack, everything in order (`benchmarks/full_tables.py`, seed "
        f"{workload['seed']}).\n"
    )


def _table(measured: list[dict[str, Any]]) -> str:
    lines = [
        "## Figures\n",
        "| what | a second | by CPU | the peer's | ratio | by CPU | goal | met |",
        "| --- | ---: | ---: | ---: | ---: | ---: | --- | --- |",
    ]
    for each in measured:
        peer, ours, unit = each.get("peer"), each["ours"], each["unit"]
        if each["count"] == 1:
            rate, by_cpu = f"{ours['wall_s']:.2f} s", f"{ours['cpu_s']:.2f} s"
            theirs = f"{peer['wall_s']:.2f} s" if peer else ""
        else:
            rate, by_cpu = f"{ours['per_s']:,} {unit}", f"{ours['per_cpu_s']:,}"
            theirs = f"{peer['per_s']:,}" if peer else ""
        ratio, cpu_ratio = (f"{each['ratio']:.2f}", f"{each['cpu_ratio']:.2f}") if peer else ("", "")
        met = ("yes" if each["met"] else "**no**") if "goal" in each else ""
        lines.append(
            f"| {each['title']} | {rate} | {by_cpu} | {theirs} | {ratio} | {cpu_ratio} | {each.get('goal', '')} | {met} |"
        )
    return "\n".join(lines) + "\n"


def _peers(measured: list[dict[str, Any]]) -> str:
    peers: dict[str, list[str]] = {}
    for each in measured:
        if "peer" in each:
            peers.setdefault(each["peer_name"], []).append(each["title"])
    return "\n".join(["The peers:\n", *(f"* {'; '.join(titles)}: {peer}." for peer, titles in peers.items()), ""])


SLOWEST = 4


def _warehouse(asked: dict[str, Any]) -> str:
    built = f", built in {asked['build_s']:,.0f} s" if "build_s" in asked else ""
    met = sum(each["wall"] <= asked["goal_s"] for each in asked["seconds"].values())
    slowest = sorted(asked["seconds"].items(), key=lambda each: -each[1]["wall"])[:SLOWEST]
    lines = [
        "## Questions to a warehouse\n",
        f"Every question of a page or command, asked of {asked['rounds']:,} rounds ({asked['file_mib']:,} MiB{built}), with "
        f"the opening of the file: the best of three, and by CPU the first, too. {met} of {len(asked['seconds'])} take at most "
        f"{asked['goal_s']} s, the goal; the slowest:\n",
        "| question | seconds | by CPU | the first, by CPU | met |",
        "| --- | ---: | ---: | ---: | --- |",
    ]
    lines += [
        f"| {name} | {each['wall']:.3f} | {each['cpu']:.3f} | {each['first_cpu']:.3f} | "
        f"{'yes' if each['wall'] <= asked['goal_s'] else '**no**'} |"
        for name, each in slowest
    ]
    return "\n".join(lines) + "\n"


def _refresh(measured: list[dict[str, Any]]) -> str:
    sizes = [f"{each['rounds']:,} rounds ({each['events']:,} events)" for each in measured]
    lines = [
        "## What one more round costs\n",
        f"By `python -m benchmarks --only refresh`, load average {', '.join(str(each['load_average']) for each in measured)}. "
        "Each operation in its own process, imports included: CPU seconds and peak memory in MiB. The goal is a second and "
        "300 MiB with any history; the full commands and the bare `COPY` are for comparison.\n",
        f"| operation | {' | '.join(sizes)} |",
        f"| --- |{' ---: |' * len(sizes)}",
    ]
    for name in measured[0]["operations"]:
        used = [each["operations"].get(name) for each in measured]
        cells = [f"{each['cpu_s']:.2f} s, {each['peak_mib']:,}" if each else "not measured" for each in used]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    paged = [each for each in measured if "pages" in each]
    lines += [f"\n{_pages(paged[-1])}"] if paged else []
    lines += [f"\n{each['note']}" for each in measured if "note" in each]
    return "\n".join(lines) + "\n"


def _pages(measured: dict[str, Any]) -> str:
    pages = measured["pages"]
    dearest, cpu_s = max(pages["reload_cpu_s"].items(), key=lambda each: each[1])
    return (
        f"With {measured['rounds']:,} rounds, ten sessions reload ten pages after one more round: the server spends at most "
        f"{cpu_s:.2f} s of processor time on one ({dearest}), {min(pages['reload_cpu_s'].values()):.2f} s on the least, and has "
        f"{pages['mib_after']} MiB in memory ({pages['mib_before']} before the last three rounds)."
    )


def _month(measured: dict[str, Any]) -> str:
    after = measured["mib_after_each_day"]
    last = after[-7:]
    return (
        "## A month under `--follow`\n\n"
        f"`rack replay --follow --warehouse` over {measured['days']} simulated gaming days of all games with their faults, one "
        f"after the other ({measured['rounds']:,} rounds, {measured['events']:,} events; "
        f"`python -m benchmarks --only month`): MiB in memory after each day, in the last week {min(last)} to {max(last)}, and "
        f"{measured['most_mib']:,} at most while the warehouse was built. The lookup of hand ranks fills with the "
        "first thousands of rounds.\n\n"
        f"| {' | '.join(f'day {day}' for day in range(1, len(after) + 1, 5))} |\n"
        f"|{' ---: |' * len(after[::5])}\n"
        f"| {' | '.join(str(mib) for mib in after[::5])} |\n"
    )


def _reported(measured: dict[str, Any]) -> str:
    return (
        "## Mispayments told in time\n\n"
        f"Of {measured['planted']} mispayments that `rack demo` plants, advice names {measured['in_time']} "
        f"({measured['in_time'] / measured['planted']:.0%}) while their round is open, {measured['before_complete']} of them "
        f"({measured['before_complete'] / measured['planted']:.0%}) before its payment is complete; half of the time at least "
        f"{measured['median_left_s']} seconds of the floor's clock before the round closes "
        "(`python -m benchmarks --only told`). "
        f"Not told before the verdict: {', '.join(f'`{code}`' for code in measured['not_told'])}.\n"
    )


def _profile(stages: dict[str, float], profile: dict[str, Any], rounds: int) -> str:
    total = sum(stages.values())
    lines = [
        "## Where the time of a replay goes\n",
        "From SQLite, by the processor time that each stage adds to a run that ends before it:\n",
        "| stage | µs a round | share |",
        "| --- | ---: | ---: |",
    ]
    lines += [f"| {name} | {seconds / rounds * 1e6:.0f} | {100 * seconds / total:.0f} % |" for name, seconds in stages.items()]
    lines += [
        f"| all | {total / rounds * 1e6:.0f} | |",
        "",
        "By a profile: " + ", ".join(f"{name} {share} %" for name, share in profile["groups_percent"].items()) + ".",
    ]
    return "\n".join(lines) + "\n"


LABELS, BARS, ROW, TOP = 440, 560, 22, 34
"""Widths of the labels and of the bars, height of a row, and where the first row begins, in pixels."""
FASTER, SLOWER, INK, GRID = "#0072b2", "#d55e00", "#1a1a1a", "#d0d0d0"
"""Colors that the color-blind can tell apart; the bar's side of the line says the same."""


def chart(measured: list[dict[str, Any]]) -> str:
    """Return the SVG of all benchmarks that have a peer, on a logarithmic scale."""
    rows = [each for each in measured if each.get("ratio")]
    exponents = [math.log10(each["ratio"]) for each in rows]
    low, high = math.floor(min([-1.0, *exponents])), math.ceil(max([1.0, *exponents]))
    unit = BARS / (high - low)
    zero = LABELS - low * unit
    width, height = LABELS + BARS + 90, TOP + ROW * len(rows) + 8
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="12" role="img" aria-label="Speed beside the peer, on a logarithmic scale">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for power in range(low, high + 1):
        x = LABELS + (power - low) * unit
        stroke = INK if power == 0 else GRID
        lines += [
            f'<line x1="{x:.1f}" y1="{TOP - 8}" x2="{x:.1f}" y2="{height - 4}" stroke="{stroke}"/>',
            f'<text x="{x:.1f}" y="{TOP - 14}" text-anchor="middle" fill="{INK}">{10.0**power:g} ×</text>',
        ]
    for number, (each, exponent) in enumerate(zip(rows, exponents, strict=True)):
        y, length = TOP + ROW * number, abs(exponent) * unit
        x = zero if exponent >= 0 else zero - length
        lines += [
            f'<text x="{LABELS - 8}" y="{y + 12}" text-anchor="end" fill="{INK}">{escape(each["title"].replace("`", ""))}</text>',
            f'<rect x="{x:.1f}" y="{y}" width="{max(length, 1.0):.1f}" height="{ROW - 6}" '
            f'fill="{FASTER if exponent >= 0 else SLOWER}"/>',
            f'<text x="{(zero + length if exponent >= 0 else zero) + 5:.1f}" y="{y + 12}" fill="{INK}">'
            f"{_times(each['ratio'])}</text>",
        ]
    return "\n".join([*lines, "</svg>", ""])


def _times(ratio: float) -> str:
    return f"{ratio:,.0f} ×" if ratio >= 100 else f"{ratio:.1f} ×" if ratio >= 10 else f"{ratio:.2f} ×"
