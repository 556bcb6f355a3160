"""Text that somebody wrote, as pages, packets and letters show it: none of it is markup, all of it is read in its own order."""

import html

TURNS = {point: f"[U+{point:04X}]" for point in (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))}
"""Characters that change the direction of what follows them: shown as their numbers."""


def straight(text: str) -> str:
    """Return a text that is read in its own order.

    >>> straight("pays \\u202e001$")
    'pays [U+202E]001$'
    """
    return text.translate(TURNS)


def escape(text: str) -> str:
    """Return a text as HTML that shows it and does nothing else.

    >>> escape("<b> \\u202e001$")
    '&lt;b&gt; [U+202E]001$'
    """
    return html.escape(straight(text))
