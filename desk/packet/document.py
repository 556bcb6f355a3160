"""The packet as a PDF (PDF/A-4f, ISO 19005-4) with the bundle attached: typeset by Typst, the same bytes each time.

Invariant: text reaches Typst only as JSON; the fonts are the project's own; nothing is fetched.
"""

import functools
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Literal

import msgspec

from desk.packet.words import Story

STANDARD: Literal["a-4f"] = "a-4f"
SHOWN = (
    (0x20, 0x7E), (0xA1, 0xAC), (0xAE, 0x24F), (0x370, 0x377), (0x37A, 0x37F), (0x384, 0x38A), (0x38C, 0x38C), (0x38E, 0x3A1),
    (0x3A3, 0x482), (0x48A, 0x525), (0x1E00, 0x1EFB), (0x2010, 0x2027), (0x2030, 0x205E), (0x20A0, 0x20B5), (0x2116, 0x2116),
    (0x2122, 0x2122), (0x2190, 0x2199), (0x2200, 0x22FF), (0x25A0, 0x25FF), (0x2660, 0x2667), (0x2605, 0x2606),
)  # fmt: skip
"""The letters that the fonts hold and that stand for themselves; any other is shown as its number, so that none is hidden."""


def printable(text: str) -> str:
    """Return a text with unprintable characters (controls, letters of other scripts) as their numbers.

    >>> printable("seat\\u202e 3 \\u4e2d"), printable("§ 688a – Café ♠")
    ('seat[U+202E] 3 [U+4E2D]', '§ 688a – Café ♠')
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        each if any(low <= ord(each) <= high for low, high in SHOWN) or each == "\n" else f"[U+{ord(each):04X}]" for each in text
    )


def typeset(story: Story, bundle: bytes, made_at_us: int) -> bytes:
    """Return the document, unsigned, with the bundle attached."""
    made = datetime.fromtimestamp(made_at_us // 1_000_000, UTC)
    shown = story | {"made": [made.year, made.month, made.day, made.hour, made.minute, made.second]}
    template = files("desk.packet").joinpath("packet.typ").read_bytes()
    return compiled(template, shown, {"packet.json": bundle}, made)


def compiled(template: bytes, story: Story, attachments: Mapping[str, bytes], made: datetime) -> bytes:
    """Return a typeset template with its story and its attached files, dated `made` (UTC)."""
    import typst

    inputs = {"main.typ": template, "story.json": msgspec.json.encode(_printable(story)), **attachments}
    pdf: bytes = typst.compile(inputs, font_paths=_fonts(), pdf_standards=[STANDARD], timestamp=made)
    return pdf


def _printable(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {key: _printable(content) for key, content in value.items()}
    return [_printable(content) for content in value] if isinstance(value, list) else value


@functools.cache
def _fonts() -> Any:
    """Return the project's own fonts, and no others."""
    import typst

    with as_file(files("desk.packet") / "fonts") as folder:
        return typst.Fonts(include_system_fonts=False, include_embedded_fonts=False, font_paths=[Path(folder)])
