"""The site where people sign in and set up their sign-in, without Streamlit, and the provider behind it.

Invariant: no answer says whether a name exists; a secret is in a request's body or after `#`, never in an address.
"""

import asyncio
import hmac
import json
import secrets
import struct
import threading
import time
from base64 import b32decode, b32encode, urlsafe_b64encode
from collections.abc import Awaitable, Callable, Mapping
from html import escape
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl

import webauthn
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import AuthenticatorSelectionCriteria, ResidentKeyRequirement, UserVerificationRequirement

from dashboards.sign_in.provider import Provider
from desk.review.persons import Person, Persons, ReviewRefused
from desk.sign_in.accounts import Accounts, SignInRefused
from desk.sign_in.login_file import CALLBACK, CLIENT, PATH, PERSON, LocalSignIn
from desk.sign_in.passwords import authenticator_address, new_code_secret, readable

HERE = Path(__file__).parent
LONGEST_BODY: Final = 64 * 1024
CHALLENGE_S: Final = 300
AT_ONCE: Final = 2
"""Passwords compared at once: each takes 64 MiB."""
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
HEADERS: Final = {"Cache-Control": "no-store", "Content-Security-Policy": POLICY}


class Challenges:
    """The challenges for authenticators.

    None is stored: each is sealed with its expiry and its person, so that a flood of requests cannot displace anyone's. An
    answered challenge is not accepted again.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self._key = clock, secrets.token_bytes(32)
        self._answered: dict[bytes, float] = {}
        self._lock = threading.Lock()

    def new(self, person: str) -> bytes:
        """Return a challenge; `person`: the owner of a new passkey (empty: somebody signs in)."""
        begun = struct.pack(">d", self._clock() + CHALLENGE_S) + secrets.token_bytes(16)
        return begun + self._seal(begun, person)

    def holds(self, challenge: bytes, person: str) -> bool:
        """Return whether a challenge is ours, for this person, not expired and not answered."""
        begun = challenge[:24]
        is_ours = hmac.compare_digest(challenge[24:], self._seal(begun, person))
        return is_ours and self._clock() <= struct.unpack(">d", begun[:8])[0] and challenge not in self._answered

    def answer(self, challenge: bytes) -> None:
        """Use up a challenge. Raises `SignInRefused` if it is no longer valid."""
        with self._lock:
            now = self._clock()
            self._answered = {each: until for each, until in self._answered.items() if until > now}
            if challenge in self._answered:
                raise SignInRefused("This was answered already. Try again.")
            self._answered[challenge] = now + CHALLENGE_S

    def _seal(self, begun: bytes, person: str) -> bytes:
        return hmac.digest(self._key, begun + person.encode(), "sha256")


class SignInSite:
    """Serves the sign-in of a house; `persons` reads its register."""

    def __init__(self, local: LocalSignIn, persons: Callable[[], Persons], clock: Callable[[], float] = time.time) -> None:
        self.local, self._persons, self._clock = local, persons, clock
        self.accounts = Accounts(local.accounts)
        self.provider = Provider(local.issuer, local.address + CALLBACK, CLIENT, local.client_secret)
        self._challenges = Challenges(clock)
        self._turns = asyncio.Semaphore(AT_ONCE)

    def routes(self) -> list[Route]:
        """Return the routes of the site."""
        served: Mapping[str, tuple[Callable[[Request], Awaitable[Response]], str]] = {
            "/.well-known/openid-configuration": (self._metadata, "GET"),
            "/keys": (self._keys, "GET"),
            "/token": (self._token, "POST"),
            "/authorize": (self._authorize, "GET POST"),
            "/invited": (self._invited, "GET POST"),
            "/passkey": (self._passkey, "POST"),
            "/done": (self._done, "GET"),
            "/{name:str}": (self._file, "GET"),
        }
        return [Route(PATH + at, what, methods=methods.split()) for at, (what, methods) in served.items()]

    # ------------------------------------------------------------------------------------------------------- the provider

    async def _metadata(self, request: Request) -> Response:
        return JSONResponse(self.provider.metadata(self.local.server))

    async def _keys(self, request: Request) -> Response:
        return JSONResponse(self.provider.keys())

    async def _token(self, request: Request) -> Response:
        found = self.provider.token(await _form(request), request.headers.get("authorization", ""))
        return JSONResponse(found or {"error": "invalid_grant"}, 400 if found is None else 200, HEADERS)

    async def _file(self, request: Request) -> Response:
        name = request.path_params["name"]
        kind = {"page.css": "text/css", "page.js": "text/javascript"}.get(name)
        if kind is None:
            return Response("Nothing is served here.\n", 404)
        return Response((HERE / name).read_bytes(), media_type=kind, headers={"Cache-Control": "no-cache"})

    # ------------------------------------------------------------------------------------------------------------ signing in

    async def _authorize(self, request: Request) -> Response:
        asked = dict(request.query_params)
        if not self.provider.is_ours(asked):
            return self._page("Sign in", _START_AGAIN, status=400)
        if request.method == "GET":
            return self._page("Sign in", _SIGN_IN)
        if not self._is_from_here(request):
            return self._page("Sign in", _SIGN_IN, "This was not sent from this page. Try again.", 403)
        given = await _form(request)
        try:
            async with self._turns:
                person = await run_in_threadpool(self._by_password, given)
        except ReviewRefused as error:
            return self._page("Sign in", _SIGN_IN, str(error), 401)
        return RedirectResponse(self.provider.grant(asked, claims(person)), 303, HEADERS)

    def _by_password(self, given: Mapping[str, str]) -> Person:
        return self.accounts.by_password(
            given.get("name", ""), self._persons(), given.get("password", ""), given.get("code", ""), self._clock()
        )

    # -------------------------------------------------------------------------------------------------------------- setting up

    async def _invited(self, request: Request) -> Response:
        if request.method == "GET":
            return self._page("Set up your sign-in", _INVITED)
        if not self._is_from_here(request):
            return self._page("Set up your sign-in", _INVITED, "This was not sent from this page. Try again.", 403)
        given = await _form(request)
        async with self._turns:
            return await run_in_threadpool(self._set_up, given)

    def _set_up(self, given: Mapping[str, str]) -> Response:
        code, title = given.get("code", ""), "Set up your sign-in"
        try:
            person = self.accounts.invited(code, self._persons(), self._clock())
        except ReviewRefused as error:
            return self._page(title, _INVITED, str(error), 401)
        try:
            secret = b32decode(given.get("secret", ""))
        except ValueError:
            secret = b""
        if len(secret) != 20 or "password" not in given:
            return self._page(title, self._ways(person, code, new_code_secret()))
        why = "" if given["password"] == given.get("again") else "The two passwords differ. Type both again."
        if not why:
            try:
                self.accounts.set_password(
                    code, self._persons(), given["password"], secret, given.get("one_time", ""), self._clock()
                )
            except ReviewRefused as error:
                why = str(error)
        if why:
            return self._page(title, self._ways(person, code, secret), why, 401)
        return self._page("You are set up", _DONE)

    async def _done(self, request: Request) -> Response:
        return self._page("You are set up", _DONE)

    def _ways(self, person: Person, code: str, secret: bytes) -> str:
        return _WAYS.format(
            name=escape(person.name),
            id=escape(person.id),
            code=escape(code),
            secret=b32encode(secret).decode(),
            readable=readable(secret),
            address=escape(authenticator_address(secret, person.id, self.local.name or "Discard Rack")),
        )

    # ---------------------------------------------------------------------------------------------------------------- passkeys

    async def _passkey(self, request: Request) -> Response:
        """Answer a browser's request to use or make a passkey, then its authenticator's answer."""
        if not self._is_from_here(request):
            return _refused("This was not sent from this page. Open it again.", 403)
        try:
            given = json.loads(await _body(request))
            if not isinstance(given, dict):
                raise ValueError("no object")
        except (ValueError, RecursionError):
            return _refused("This request cannot be read. Open the page again.", 400)
        try:
            answer = await run_in_threadpool(self._answer, given, dict(request.query_params))
        except (WebAuthnException, ReviewRefused, KeyError, TypeError, ValueError) as error:
            why = str(error) if isinstance(error, ReviewRefused) else "This passkey is not known here."
            return _refused(why, 401)
        return JSONResponse(answer, headers=HEADERS)

    def _answer(self, given: Mapping[str, Any], asked: Mapping[str, str]) -> dict[str, Any]:
        code = str(given.get("code") or "")
        credential = given.get("credential")
        if not code and not self.provider.is_ours(asked):
            raise SignInRefused("The pages did not begin this sign-in. Open them again.")
        if credential is None:
            return self._begin(self.accounts.invited(code, self._persons(), self._clock()) if code else None)
        challenge = webauthn.base64url_to_bytes(str(given["request"]))
        invited = self.accounts.invited(code, self._persons(), self._clock()) if code else None
        if not self._challenges.holds(challenge, "" if invited is None else invited.id):
            raise SignInRefused("This took too long. Try again.")
        if invited is not None:
            self._make(code, challenge, credential)
            return {"to": f"{PATH}/done"}
        return {"to": self.provider.grant(asked, claims(self._use(challenge, credential)))}

    def _begin(self, person: Person | None) -> dict[str, Any]:
        nonce = self._challenges.new("" if person is None else person.id)
        options: Any
        if person is None:
            options = webauthn.generate_authentication_options(
                rp_id=self.local.host, challenge=nonce, user_verification=UserVerificationRequirement.REQUIRED
            )
        else:
            options = webauthn.generate_registration_options(
                rp_id=self.local.host,
                rp_name=self.local.name or "Discard Rack",
                user_name=person.id,
                user_display_name=person.name,
                challenge=nonce,
                authenticator_selection=AuthenticatorSelectionCriteria(
                    resident_key=ResidentKeyRequirement.REQUIRED, user_verification=UserVerificationRequirement.REQUIRED
                ),
            )
        return {
            "request": urlsafe_b64encode(nonce).decode().rstrip("="),
            "options": json.loads(webauthn.options_to_json(options)),
        }

    def _make(self, code: str, challenge: bytes, credential: dict[str, Any]) -> None:
        made = webauthn.verify_registration_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=self.local.host,
            expected_origin=self.local.address,
            require_user_verification=True,
        )
        self._challenges.answer(challenge)
        persons, now = self._persons(), self._clock()
        self.accounts.add_passkey(code, persons, (made.credential_id, made.credential_public_key, made.sign_count), now)

    def _use(self, challenge: bytes, credential: dict[str, Any]) -> Person:
        passkey = self.accounts.passkey(webauthn.base64url_to_bytes(str(credential["rawId"])))
        if passkey is None:
            raise SignInRefused("This passkey is not known here.")
        used = webauthn.verify_authentication_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=self.local.host,
            expected_origin=self.local.address,
            credential_public_key=passkey.public_key,
            credential_current_sign_count=passkey.uses,
            require_user_verification=True,
        )
        self._challenges.answer(challenge)
        return self.accounts.by_passkey(passkey, self._persons(), used.new_sign_count, self._clock())

    # ------------------------------------------------------------------------------------------------------------------ within

    def _is_from_here(self, request: Request) -> bool:
        return request.headers.get("origin") == self.local.address

    def _page(self, title: str, body: str, said: str = "", status: int = 200) -> Response:
        page = _PAGE.format(title=title, house=escape(self.local.name), said=escape(said), body=body, path=PATH)
        return HTMLResponse(page, status, HEADERS)


def claims(person: Person) -> dict[str, Any]:
    """Return the claims in a token of a registered person."""
    return {"sub": person.id, PERSON: person.id, "name": person.name, "roles": list(person.roles)}


async def _form(request: Request) -> dict[str, str]:
    return dict(parse_qsl((await _body(request)).decode("utf-8", "replace"), keep_blank_values=True))


async def _body(request: Request) -> bytes:
    """Return the body of a request; empty if it is too long."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST_BODY:
            return b""
    return body


def _refused(why: str, status: int) -> Response:
    return JSONResponse({"refused": why}, status, HEADERS)


_PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · Discard Rack</title><link rel="stylesheet" href="{path}/page.css"></head>
<body><main><h1>{title}</h1><p class="soft">{house}</p><p role="alert" id="said">{said}</p>{body}</main>
<script src="{path}/page.js"></script></body></html>
"""
_PASSKEY: Final = """<button type="button" id="passkey"{code}>{label}</button>
<p class="soft" id="no-passkey" hidden>This browser has no passkeys.</p>"""
_SIGN_IN: Final = (
    _PASSKEY.format(code="", label="Sign in with a passkey")
    + """
<hr><h2>With password and one-time code</h2>
<form method="post">
<label for="name">Name</label><input id="name" name="name" autocomplete="username" autocapitalize="none" required>
<label for="password">Password</label><input id="password" type="password" name="password" autocomplete="current-password"
 required>
<label for="code">One-time code</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="7" required>
<button>Sign in</button></form>
<p class="soft"><a href="/sign-in/invited">I have an invitation</a></p>"""
)
_START_AGAIN: Final = """<p>Open the pages, and choose <em>Log in</em> there.</p><p><a href="/">Open the pages</a></p>"""
_INVITED: Final = """<p>Type the code of your invitation. It holds once.</p>
<form method="post"><label for="code">Code</label>
<input id="code" name="code" autocomplete="off" autocapitalize="characters" required><button>Go on</button></form>"""
_WAYS: Final = (
    "<p>You are {name} ({id}). Choose one of two ways.</p>"
    + _PASSKEY.format(code=' data-code="{code}"', label="Set up a passkey")
    + """
<hr><h2>Or a password and one-time codes</h2>
<form method="post"><input type="hidden" name="code" value="{code}"><input type="hidden" name="secret" value="{secret}">
<input type="hidden" name="name" value="{id}" autocomplete="username">
<label for="password">Password, 12 characters at least</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="12" required>
<label for="again">The same again</label>
<input id="again" name="again" type="password" autocomplete="new-password" minlength="12" required>
<p>Enter this key in an authenticator app, or <a href="{address}">open it in the app on this device</a>:</p>
<p><code>{readable}</code></p>
<label for="one_time">The code that the app shows</label>
<input id="one_time" name="one_time" inputmode="numeric" autocomplete="one-time-code" maxlength="7" required>
<button>Set up password and code</button></form>"""
)
_DONE: Final = """<p>From now on you sign in with it. <a href="/">Open the pages</a></p>"""
