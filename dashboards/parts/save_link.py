"""Links to save files of a page; a link works for the sign-in that made the file, as long as it is valid."""

import os

from dashboards.access import access
from dashboards.access.downloads import DOWNLOADS, Download
from dashboards.drawing.markup import Html
from dashboards.parts import source
from dashboards.run import KEY_VARIABLE, key_path, log_address
from desk.printable import escape


def why_not(right: str, what: str, *, signed: bool = True) -> str:
    """Return why something ("a packet") cannot be exported: no log, right, person to record, or key; empty if it can."""
    if log_address() is None:
        return "Start the pages with the log: rack dashboard --log ADDR"
    denied = access.refusal(right)
    if denied is not None:
        return denied
    if access.person() is None:
        return f"Log in first: the log records who exports {what}"
    if signed and key_path() is None:
        way = "the Setup page says how to make it" if os.environ.get(KEY_VARIABLE) else "start the pages with RACK_KEY set"
        return f"{what.capitalize()} is signed with the log's key: {way}"
    return ""


def link(words: str, file: Download) -> None:
    """Show the link to a file; nothing if the sign-in is over, which the page says at the next click."""
    sign_in = access.sign_in()
    if sign_in is not None:
        address = DOWNLOADS.keep(sign_in, file)
        source.show(Html(f'<a class="rk-button" href="{escape(address)}" download target="_self">{escape(words)}</a>'))
