"""The ratios of the benchmarks as a picture: a bar from 1 (as fast as the peer) to the right if we are faster."""

from __future__ import annotations

import math
from html import escape
from typing import Any

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
