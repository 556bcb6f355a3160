"""An identity provider to try the pages with, on this machine only: people of each role, no passwords.

It implements OpenID Connect (authorization code with PKCE) on 127.0.0.1. Anybody at the machine may sign in as anybody: never use
it on a property's floor.
"""

import html
import json
import os
import secrets
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlencode, urlsplit

from dashboards.sign_in.provider import Provider
from desk.sign_in.login_file import login_text

PEOPLE: Mapping[str, str] = {
    "m.ortiz@bellwether.example": "surveillance",
    "s.lee@bellwether.example": "surveillance",
    "a.novak@bellwether.example": "analyst",
    "r.haas@bellwether.example": "auditor",
    "j.kim@bellwether.example": "administrator",
    "p.diaz@bellwether.example": "pit",
    "t.reed@bellwether.example": "pit",
    "c.lee@bellwether.example": "count",
    "d.cho@bellwether.example": "count",
    "l.stone@bellwether.example": "compliance",
    "n.cruz@bellwether.example": "compliance",
    "guest@bellwether.example": "",
}
"""Who can log in, and the one value of the claim `roles` that the provider gives them. Each role that signs has two people."""


class TrialProvider:
    """An identity provider in this process; use it in a `with`. `port` 0 takes a free one."""

    def __init__(self, redirect_uri: str, port: int = 0) -> None:
        provider = self

        class Handler(LoginHandler):
            of = provider

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        issuer = f"http://127.0.0.1:{self._server.server_port}"
        self.oidc = Provider(issuer, redirect_uri, "discard-rack", secrets.token_hex(32))

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    def login_file(self, path: Path) -> Path:
        """Write the login file for `rack dashboard --login` to trust this provider; only its owner can read it."""
        oidc = self.oidc
        auth = {"redirect_uri": oidc.redirect_uri, "client_id": oidc.client_id, "client_secret": oidc.client_secret}
        auth["server_metadata_url"] = f"{oidc.issuer}/.well-known/openid-configuration"
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(login_text(auth))
        return path


class LoginHandler(BaseHTTPRequestHandler):
    """Answers the pages and the browser; `of` is its provider."""

    of: TrialProvider
    verified = True
    """The provider's statement about every e-mail address."""

    def do_GET(self) -> None:
        """Answer requests for metadata, keys, the choice of a person, and the chosen person."""
        where, asked = (urlsplit(self.path), {key: values[0] for key, values in parse_qs(urlsplit(self.path).query).items()})
        oidc = self.of.oidc
        if where.path == "/.well-known/openid-configuration":
            self._json(oidc.metadata(oidc.issuer))
        elif where.path == "/keys":
            self._json(oidc.keys())
        elif where.path == "/authorize":
            self._authorize(asked)
        else:
            self._answer(404, "text/plain", b"nothing here")

    def do_POST(self) -> None:
        """Answer a code with its token, once, to its owner."""
        length = min(int(self.headers.get("Content-Length", 0)), 65_536)
        asked = {key: values[0] for key, values in parse_qs(self.rfile.read(length).decode()).items()}
        found = None
        if urlsplit(self.path).path == "/token":
            found = self.of.oidc.token(asked, self.headers.get("Authorization", ""))
        self._json(found or {"error": "invalid_grant"}, 400 if found is None else 200)

    def log_message(self, format: str, *arguments: object) -> None:
        """Do nothing: requested addresses contain codes."""

    def _authorize(self, asked: Mapping[str, str]) -> None:
        if not self.of.oidc.is_ours(asked):
            self._answer(400, "text/plain", b"not the pages' own request")
            return
        person = asked.get("person")
        if person is None or person not in PEOPLE:
            ways = "".join(
                f'<p><a href="/authorize?{html.escape(urlencode({**asked, "person": name}))}">{name}</a> {role or "no role"}</p>'
                for name, role in PEOPLE.items()
            )
            page = f"<!doctype html><html lang=en><title>Who are you?</title><h1>Who are you?</h1>{ways}</html>"
            self._answer(200, "text/html; charset=utf-8", page.encode())
            return
        role = PEOPLE[person]
        claims = {"sub": person, "email": person, "email_verified": self.verified, "roles": [role] if role else []}
        self.send_response(302)
        self.send_header("Location", self.of.oidc.grant(asked, claims))
        self.end_headers()

    def _json(self, value: Mapping[str, Any], status: int = 200) -> None:
        self._answer(status, "application/json", json.dumps(value).encode())

    def _answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
