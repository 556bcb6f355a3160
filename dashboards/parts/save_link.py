"""Files that are taken away from a page: a link that works for the sign-in that made them, as long as it holds."""

from __future__ import annotations

from html import escape

from dashboards.access import access
from dashboards.access.downloads import DOWNLOADS, Download
from dashboards.drawing.markup import Html
from dashboards.parts import source


def link(words: str, file: Download) -> None:
    """Show the link to a file; nothing where the sign-in is over, which the page says at the next click."""
    sign_in = access.sign_in()
    if sign_in is not None:
        address = DOWNLOADS.keep(sign_in, file)
        source.show(Html(f'<a class="rk-button" href="{escape(address)}" download target="_self">{escape(words)}</a>'))
