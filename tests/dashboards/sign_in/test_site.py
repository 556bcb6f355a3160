"""The pages on which people sign in, as a browser and as somebody with bad intentions ask them (without a browser)."""

from base64 import urlsafe_b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest
from starlette.applications import Starlette

from dashboards.access.login import check_login
from dashboards.sign_in.provider import Provider
from dashboards.sign_in.site import LONGEST_BODY, Challenges, SignInSite
from desk.review.persons import Person, Persons
from desk.sign_in import passwords
from desk.sign_in.accounts import SignInRefused
from desk.sign_in.login_file import LocalSignIn, local_login_text, local_sign_in
from tests.coroutines import run

HERE = "https://rack.example"
PEOPLE = Persons([Person(id="m.ortiz", name="Maria <Ortiz>", roles=("pit", "count"))], "persons.toml")
VERIFIER = "v" * 43
ASKED = {
    "client_id": "discard-rack",
    "redirect_uri": f"{HERE}/oauth2callback",
    "response_type": "code",
    "code_challenge": "RDIzN0Q3RUYyNjlGM0E5NUM0",
    "code_challenge_method": "S256",
    "state": "s",
    "nonce": "n",
}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SignInSite:
    monkeypatch.setattr(passwords, "_MEMORY_KIB", 64)
    return SignInSite(LocalSignIn("Bellwether", HERE, 8501, "secret", tmp_path / "sign-in.db"), lambda: PEOPLE)


class Browser:
    """Asks the site as a page of it does."""

    def __init__(self, site: SignInSite) -> None:
        self.app, self.headers = Starlette(routes=site.routes()), {"Origin": HERE}

    def __call__(self, method: str, path: str, **given: Any) -> httpx.Response:
        async def ask() -> httpx.Response:
            async with httpx.AsyncClient(transport=httpx.ASGITransport(self.app), base_url=HERE) as client:
                return await client.request(method, path, headers=self.headers | given.pop("headers", {}), **given)

        return run(ask())

    def get(self, path: str, **given: Any) -> httpx.Response:
        return self("GET", path, **given)

    def post(self, path: str, **given: Any) -> httpx.Response:
        return self("POST", path, **given)


@pytest.fixture
def browser(site: SignInSite) -> Browser:
    return Browser(site)


@pytest.mark.parametrize("wrong", ["client_id", "redirect_uri", "response_type", "code_challenge_method", "code_challenge"])
def test_only_what_the_pages_ask_is_answered(browser: Browser, wrong: str) -> None:
    assert browser.get("/sign-in/authorize", params=ASKED).status_code == 200
    answer = browser.get("/sign-in/authorize", params={**ASKED, wrong: ""})
    assert answer.status_code == 400
    assert "<form" not in answer.text
    assert browser.post(f"/sign-in/passkey?{urlencode({**ASKED, wrong: ''})}", json={}).status_code == 401


@pytest.mark.parametrize("origin", ["https://evil.example", "null", HERE.replace("https", "http"), ""])
def test_a_form_of_another_site_is_refused(browser: Browser, origin: str) -> None:
    for path in ("/sign-in/authorize", "/sign-in/invited", "/sign-in/passkey"):
        answer = browser.post(path, params=ASKED, data={"name": "m.ortiz"}, headers={"Origin": origin})
        assert answer.status_code == 403


def test_a_known_name_and_an_unknown_one_get_the_same_page(browser: Browser) -> None:
    texts = {
        browser.post("/sign-in/authorize", params=ASKED, data={"name": name, "password": "x" * 20, "code": "000000"}).text
        for name in ("m.ortiz", "no.one", "", "<script>")
    }
    assert len(texts) == 1


def test_every_answer_forbids_scripts_of_others_frames_and_caches(browser: Browser) -> None:
    for answer in (browser.get("/sign-in/authorize", params=ASKED), browser.get("/sign-in/invited")):
        assert answer.headers["Cache-Control"] == "no-store"
        assert "default-src 'none'; script-src 'self'" in answer.headers["Content-Security-Policy"]
        assert "<script>" not in answer.text


def test_what_cannot_be_read_is_refused_and_breaks_nothing(browser: Browser) -> None:
    browser.headers["Content-Type"] = "application/json"
    for body in (b"", b"[]", b"{", b"[" * 5_000, b"\xff", b"x" * (LONGEST_BODY + 1)):
        assert browser.post("/sign-in/passkey", params=ASKED, content=body).status_code in (400, 401)
    begun = browser.post("/sign-in/passkey", params=ASKED, json={}).json()
    for credential in ({}, {"rawId": 1}, {"rawId": "AAAA"}, [], "x"):
        given = {"request": begun["request"], "credential": credential}
        assert browser.post("/sign-in/passkey", params=ASKED, json=given).status_code == 401


def test_a_challenge_of_an_invitation_signs_no_one_in(browser: Browser, site: SignInSite) -> None:
    code = site.accounts.invite(PEOPLE.all[0], site._clock(), 1)
    begun = browser.post("/sign-in/passkey", json={"code": code}).json()
    assert begun["options"]["rp"]["id"] == "rack.example"
    given = {"request": begun["request"], "credential": {"rawId": "AAAA"}}
    assert browser.post("/sign-in/passkey", params=ASKED, json=given).status_code == 401


@pytest.mark.parametrize(
    ("person", "later_s", "changed", "holds"),
    [("", 0, False, True), ("", 300, False, True), ("", 301, False, False), ("", 0, True, False), ("m.ortiz", 0, False, False)],
)
def test_a_challenge_is_ours_for_whom_it_was_made_for_five_minutes_and_once(
    person: str, later_s: int, changed: bool, holds: bool
) -> None:
    now = [1_000.0]
    challenges = Challenges(lambda: now[0])
    made = challenges.new("")
    for _ in range(2_000):  # whoever asks for many takes nobody's away
        challenges.new("")
    now[0] += later_s
    given = made[:-1] + bytes([made[-1] ^ changed])
    assert challenges.holds(given, person) is holds
    assert not Challenges(lambda: now[0]).holds(made, "")
    assert not challenges.holds(b"", person)
    if holds:
        challenges.answer(made)
        assert not challenges.holds(made, "")
        with pytest.raises(SignInRefused):
            challenges.answer(made)


def test_a_name_is_shown_as_text_and_the_invitations_page_names_only_the_invited(browser: Browser, site: SignInSite) -> None:
    code = site.accounts.invite(PEOPLE.all[0], site._clock(), 1)
    answer = browser.post("/sign-in/invited", data={"code": code})
    assert "Maria &lt;Ortiz&gt; (m.ortiz)" in answer.text
    answer = browser.post("/sign-in/invited", data={"code": "<b>"})
    assert answer.status_code == 401
    assert "<b>" not in answer.text


def test_a_token_is_given_once_to_whom_the_code_was_given() -> None:
    provider = Provider(HERE, ASKED["redirect_uri"], "discard-rack", "secret")
    right = {"client_id": "discard-rack", "client_secret": "secret", "redirect_uri": ASKED["redirect_uri"]}
    challenge = urlsafe_b64encode(sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
    asked = {**ASKED, "code_challenge": challenge}

    def code() -> str:
        return parse_qs(urlsplit(provider.grant(asked, {"sub": "m.ortiz"})).query)["code"][0]

    for wrong in ("client_id", "client_secret", "redirect_uri", "code_verifier", "code"):
        given = {**right, "code": code(), "code_verifier": VERIFIER} | {wrong: "other"}
        assert provider.token(given, "") is None
    given = {**right, "code": code(), "code_verifier": VERIFIER}
    assert provider.token(given, "Basic !") is None
    given["code"] = code()
    assert provider.token(given, "") is not None
    assert provider.token(given, "") is None


def test_the_login_file_is_accepted_keeps_its_secrets_and_says_where_people_sign_in(tmp_path: Path) -> None:
    path = tmp_path / "login.toml"
    first = local_login_text('Bell "&" wether', HERE, 8600)
    assert local_login_text('Bell "&" wether', HERE, 8600, first) == first
    assert local_login_text('Bell "&" wether', HERE, 8600) != first
    path.write_text(first)
    path.chmod(0o600)
    assert check_login(path) == "rack.example"
    local = local_sign_in(path)
    assert local is not None
    assert (local.issuer, local.server, local.host) == (f"{HERE}/sign-in", "http://127.0.0.1:8600/sign-in", "rack.example")
    assert local.accounts == tmp_path / "sign-in.db"
