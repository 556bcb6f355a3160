"""A login to try the pages with, on this machine only: one person for each role, no passwords.

`python -m deploy.login.provider [--out demo]` serves an identity provider (OpenID Connect: authorization code with PKCE) on
127.0.0.1 and `rack dashboard --login FILE` next to it. Anybody at the machine may be anybody: never use it on a property's floor.
"""

from __future__ import annotations

import argparse
import html
import json
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

PEOPLE: Mapping[str, str] = {
    "m.ortiz@bellwether.example": "surveillance",
    "s.lee@bellwether.example": "surveillance",
    "a.novak@bellwether.example": "analyst",
    "r.haas@bellwether.example": "auditor",
    "j.kim@bellwether.example": "administrator",
    "p.diaz@bellwether.example": "pit",
    "l.stone@bellwether.example": "compliance",
    "guest@bellwether.example": "",
}
"""Who can log in, and the one value of the claim `roles` that the provider gives them. Two of surveillance: money needs two."""
CODE_SECONDS = 60


class Grant(NamedTuple):
    """An authorization code that was handed out: for whom, back to where, and what proves who fetches the token."""

    person: str
    redirect_uri: str
    nonce: str
    challenge: str
    until: float


class Provider:
    """An identity provider in this process; use it in a `with`. `port` 0 takes a free one."""

    def __init__(self, redirect_uri: str, port: int = 0) -> None:
        self.redirect_uri = redirect_uri
        self.client_id, self.client_secret = "discard-rack", secrets.token_hex(32)
        self.key = RSAKey.generate_key(2048, {"kid": secrets.token_hex(8), "use": "sig", "alg": "RS256"})
        self.grants: dict[str, Grant] = {}
        provider = self

        class Handler(LoginHandler):
            of = provider

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    def login_file(self, path: Path) -> Path:
        """Write what `rack dashboard --login` needs to trust this provider; readable by its owner alone."""
        roles = [f'{role} = ["{role}"]' for role in dict.fromkeys(PEOPLE.values()) if role]
        lines = [
            "[auth]",
            f'redirect_uri = "{self.redirect_uri}"',
            f'cookie_secret = "{secrets.token_hex(32)}"',
            f'client_id = "{self.client_id}"',
            f'client_secret = "{self.client_secret}"',
            f'server_metadata_url = "{self.issuer}/.well-known/openid-configuration"',
            "",
            "[roles]",
            'claim = "roles"',
            *roles,
            "",
        ]
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
        return path


class LoginHandler(BaseHTTPRequestHandler):
    """Answers the pages and the browser; `of` is the provider that it answers for."""

    of: Provider
    verified = True
    """What it says of everybody's e-mail address."""

    def do_GET(self) -> None:
        """Answer metadata, keys, the choice of a person, and that choice."""
        where, asked = (
            urlsplit(self.path),
            {key: values[0] for key, values in parse_qs(urlsplit(self.path).query).items()},
        )
        if where.path == "/.well-known/openid-configuration":
            self._json(self._metadata())
        elif where.path == "/keys":
            self._json({"keys": [self.of.key.as_dict(private=False)]})
        elif where.path == "/authorize":
            self._authorize(asked)
        else:
            self._answer(404, "text/plain", b"nothing here")

    def do_POST(self) -> None:
        """Answer a code with the token of who it was given to, once, to whom it was given."""
        length = min(int(self.headers.get("Content-Length", 0)), 65_536)
        asked = {key: values[0] for key, values in parse_qs(self.rfile.read(length).decode()).items()}
        grant = self.of.grants.pop(asked.get("code", ""), None)
        challenge = urlsafe_b64encode(sha256(asked.get("code_verifier", "").encode()).digest()).decode().rstrip("=")
        if (
            urlsplit(self.path).path != "/token"
            or not self._is_client(asked)
            or grant is None
            or grant.until < time.time()
            or grant.redirect_uri != asked.get("redirect_uri")
            or not secrets.compare_digest(grant.challenge, challenge)
        ):
            self._json({"error": "invalid_grant"}, 400)
            return
        now = int(time.time())
        role = PEOPLE[grant.person]
        token = jwt.encode(
            {"alg": "RS256", "kid": self.of.key.kid},
            {
                "iss": self.of.issuer,
                "aud": self.of.client_id,
                "sub": grant.person,
                "email": grant.person,
                "email_verified": self.verified,
                "iat": now,
                "exp": now + 3600,
                "nonce": grant.nonce,
                "roles": [role] if role else [],
            },
            self.of.key,
        )
        self._json(
            {"access_token": secrets.token_hex(16), "token_type": "Bearer", "expires_in": 3600, "id_token": token}
        )

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing: the addresses asked for hold codes."""

    def _authorize(self, asked: Mapping[str, str]) -> None:
        refused = (
            asked.get("client_id") != self.of.client_id
            or asked.get("redirect_uri") != self.of.redirect_uri
            or asked.get("response_type") != "code"
            or asked.get("code_challenge_method") != "S256"
        )
        if refused:
            self._answer(400, "text/plain", b"not the pages' own request")
            return
        person = asked.get("person")
        if person is None or person not in PEOPLE:
            ways = "".join(
                f'<p><a href="/authorize?{html.escape(urlencode({**asked, "person": name}))}">{name}</a> '
                f"{role or 'no role'}</p>"
                for name, role in PEOPLE.items()
            )
            page = f"<!doctype html><html lang=en><title>Who are you?</title><h1>Who are you?</h1>{ways}</html>"
            self._answer(200, "text/html; charset=utf-8", page.encode())
            return
        code = secrets.token_urlsafe(32)
        self.of.grants[code] = Grant(
            person,
            asked["redirect_uri"],
            asked.get("nonce", ""),
            asked.get("code_challenge", ""),
            time.time() + CODE_SECONDS,
        )
        back = f"{self.of.redirect_uri}?{urlencode({'code': code, 'state': asked.get('state', '')})}"
        self.send_response(302)
        self.send_header("Location", back)
        self.end_headers()

    def _is_client(self, asked: Mapping[str, str]) -> bool:
        header = self.headers.get("Authorization", "")
        given = f"{asked.get('client_id', '')}:{asked.get('client_secret', '')}".encode()
        if header.startswith("Basic "):
            given = b64decode(header.removeprefix("Basic "))
        return secrets.compare_digest(given, f"{self.of.client_id}:{self.of.client_secret}".encode())

    def _metadata(self) -> dict[str, Any]:
        here = self.of.issuer
        return {
            "issuer": here,
            "authorization_endpoint": f"{here}/authorize",
            "token_endpoint": f"{here}/token",
            "jwks_uri": f"{here}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        }

    def _json(self, value: Mapping[str, Any], status: int = 200) -> None:
        self._answer(status, "application/json", json.dumps(value).encode())

    def _answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve the login and the pages until interrupted."""
    parser = argparse.ArgumentParser(prog="deploy.login.provider", description=__doc__)
    parser.add_argument("--out", default=os.environ.get("RACK_OUT", "demo"), help="the folder of a demo")
    parser.add_argument("--port", type=int, default=int(os.environ.get("RACK_PORT", "8501")), help="of the pages")
    options = parser.parse_args(arguments)
    with (
        tempfile.TemporaryDirectory() as folder,
        Provider(f"http://127.0.0.1:{options.port}/oauth2callback") as provider,
    ):
        login = provider.login_file(Path(folder) / "login.toml")
        command = [sys.executable, "-c", "import sys; from rack.cli import main; sys.exit(main())", "dashboard"]
        try:
            return subprocess.run(
                [*command, "--out", options.out, "--port", str(options.port), "--login", str(login)], check=False
            ).returncode
        except KeyboardInterrupt:
            return 0


if __name__ == "__main__":
    sys.exit(main())
