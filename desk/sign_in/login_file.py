"""The login file of the pages (docs/security.md), and its settings for the house's own sign-in."""

import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from desk.review.persons import ROLES, ReviewRefused
from desk.sign_in.accounts import FILE
from events.log.plain_file import read_toml, toml_in

PATH: Final = "/sign-in"
"""The address of our own sign-in on the pages' server."""
CALLBACK: Final = "/oauth2callback"
CLIENT: Final = "discard-rack"
PERSON: Final = "person"
"""The claim with the id of a person of the register."""


class LocalSignIn(NamedTuple):
    """The house's own sign-in: the property's name, the address of the pages, their server's port, the secret, the file."""

    name: str
    address: str
    port: int
    client_secret: str
    accounts: Path

    @property
    def issuer(self) -> str:
        """The address at which people sign in."""
        return self.address + PATH

    @property
    def server(self) -> str:
        """The same address for the pages' own server."""
        return f"http://127.0.0.1:{self.port}{PATH}"

    @property
    def host(self) -> str:
        """The host name for which passkeys are valid."""
        return urlsplit(self.address).hostname or ""


def login_text(auth: Mapping[str, str], *, person: str | None = None, local: Mapping[str, str] | None = None) -> str:
    """Return a login file: `[auth]` with a new cookie secret if none is given, and a role for each value of its name."""
    given = {"cookie_secret": secrets.token_hex(32), "client_secret": secrets.token_hex(32), **auth}
    lines = ["[auth]", *(f"{key} = {json.dumps(value)}" for key, value in given.items()), "", "[roles]", 'claim = "roles"']
    lines += [] if person is None else [f"person = {json.dumps(person)}"]
    lines += [f'{role} = ["{role}"]' for role in ROLES]
    if local is not None:
        lines += ["", "[local]", *(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in local.items())]
    return "\n".join(lines) + "\n"


def local_login_text(name: str, address: str, port: int, before: str = "") -> str:
    """Return the login file of the house's own sign-in; it keeps the secrets of the one before."""
    try:
        kept = toml_in(before.encode()).get("auth", {})
    except ValueError:
        kept = {}
    auth = {key: kept[key] for key in ("cookie_secret", "client_secret") if isinstance(kept.get(key), str)}
    address = address.rstrip("/")
    at = LocalSignIn(name, address, port, "", Path(FILE))
    auth |= {
        "redirect_uri": address + CALLBACK,
        "client_id": CLIENT,
        "server_metadata_url": f"{at.server}/.well-known/openid-configuration",
    }
    return login_text(auth, person=PERSON, local={"name": name, "accounts": FILE})


def login_content(path: Path) -> dict[str, Any]:
    """Return the content of a login file. Raises `ValueError` if it cannot be read as TOML, and `OSError`."""
    return read_toml(path)


def local_sign_in(path: Path) -> LocalSignIn | None:
    """Return the house's own sign-in in a login file; None if its identity provider is another."""
    content = login_content(path)
    local, auth = content.get("local"), content.get("auth", {})
    if not isinstance(local, dict):
        return None
    address = str(auth.get("redirect_uri", "")).removesuffix(CALLBACK)
    port = urlsplit(str(auth.get("server_metadata_url", ""))).port
    return LocalSignIn(
        str(local.get("name", "")),
        address,
        port or 8501,
        str(auth.get("client_secret", "")),
        path.with_name(str(local.get("accounts", FILE))),
    )


def sign_in_beside(register: Path | None) -> LocalSignIn:
    """Return the house's own sign-in next to a register of people. Raises `ReviewRefused` if none exists."""
    login = None if register is None else register.with_name("login.toml")
    if login is None or not login.exists():
        raise ReviewRefused(
            f"{login or 'login.toml'}: no such file; write [sign_in] into property.toml, and `rack apply` makes it"
        )
    local = local_sign_in(login)
    if local is None:
        raise ReviewRefused(f"{login} names another identity provider: invite people there")
    return local
