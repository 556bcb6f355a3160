"""Downloads of a page: only the same sign-in can fetch one at its address, and they end with it.

Streamlit would serve such a file to anyone who knows its address, without a cookie (`st.download_button`); it is not used here.
"""

import secrets
import threading
from collections import OrderedDict
from hashlib import sha256
from typing import NamedTuple
from urllib.parse import quote

PATH = "downloads"
MOST_FILES = 24
"""This many files are kept for a sign-in; the oldest makes room, and the page makes it again when it is opened again."""


class Download(NamedTuple):
    """A file: its name, its media type, and its bytes."""

    name: str
    mime: str
    data: bytes

    def headers(self) -> dict[str, str]:
        """Return the headers of the answer: the file is not cached, and is saved, never shown as one of our pages."""
        return {
            "Cache-Control": "no-store",
            "Content-Disposition": f"attachment; filename*=UTF-8''{quote(self.name, safe='')}",
            "Content-Security-Policy": "sandbox",
            "Content-Type": self.mime,
            "X-Content-Type-Options": "nosniff",
        }


class Downloads:
    """The files of every sign-in, each at an unguessable address."""

    def __init__(self) -> None:
        self._of: dict[str, OrderedDict[str, Download]] = {}
        self._tokens: dict[tuple[str, str, bytes], str] = {}
        self._lock = threading.Lock()

    def keep(self, sign_in: str, download: Download) -> str:
        """Keep a file for a sign-in; return its address. The same file keeps its address."""
        same = sign_in, download.name, sha256(download.data).digest()
        with self._lock:
            token = self._tokens.setdefault(same, secrets.token_urlsafe(32))
            files = self._of.setdefault(sign_in, OrderedDict())
            files[token] = download
            files.move_to_end(token)
            while len(files) > MOST_FILES:
                files.popitem(last=False)
        return f"{PATH}/{token}"

    def fetch(self, sign_in: str | None, token: str) -> Download | None:
        """Return a file to the sign-in that it was made for; otherwise, or if there is no file, None."""
        with self._lock:
            return self._of.get(sign_in, OrderedDict()).get(token) if sign_in is not None else None

    def drop(self, sign_in: str) -> None:
        """Drop all files of a sign-in."""
        with self._lock:
            self._of.pop(sign_in, None)
            for same in [each for each in self._tokens if each[0] == sign_in]:
                del self._tokens[same]


DOWNLOADS = Downloads()
"""The files of this server."""
