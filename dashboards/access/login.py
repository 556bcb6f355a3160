"""The login file and the host names of the pages, checked before they start."""

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from dashboards.access.hosts import name_of
from dashboards.access.page_list import Role
from desk.sign_in.login_file import login_content


class ServingRefused(ValueError):
    """The pages cannot be served with these settings; the message says what was expected and what to do."""


def public_hosts(names: Sequence[str]) -> list[str]:
    """Return host names in the form of requests. Raises `ServingRefused` for a name that is not a plain host name."""
    hosts = []
    for given in names:
        host = name_of(given)
        if host is None or host != given.lower().rstrip("."):
            raise ServingRefused(
                f"--public-host {given}: expected a host name without scheme, port or path, such as rack.example"
            )
        hosts.append(host)
    return hosts


def check_login(path: Path) -> str:
    """Return the host that `redirect_uri` names; raise `ServingRefused` if a login file is incomplete, weak, or not private."""
    try:
        if path.stat().st_mode & 0o077:
            raise ServingRefused(f"{path}: other users can read this file, and it holds secrets; run chmod 600 on it")
        login = login_content(path)
    except FileNotFoundError:
        raise ServingRefused(f"{path}: no such file; docs/security.md shows its contents") from None
    except ValueError as error:
        raise ServingRefused(f"{path}: expected TOML: {error}") from error
    auth, roles = login.get("auth"), login.get("roles")
    if not isinstance(auth, dict) or not isinstance(roles, dict):
        raise ServingRefused(f"{path}: expected the tables [auth] and [roles]; docs/security.md shows them")
    for name in ("redirect_uri", "cookie_secret", "client_id", "client_secret", "server_metadata_url"):
        if not isinstance(auth.get(name), str) or not auth[name]:
            raise ServingRefused(f"{path}: [auth] lacks {name}")
    if len(auth["cookie_secret"]) < 32:
        raise ServingRefused(f"{path}: cookie_secret is shorter than 32 characters; make one: openssl rand -hex 32")
    for name in ("redirect_uri", "server_metadata_url"):
        where = urlsplit(auth[name])
        if where.scheme != "https" and where.hostname not in {"127.0.0.1", "localhost"}:
            raise ServingRefused(f"{path}: {name} is {auth[name]}: expected https (http on this machine only)")
    if not any(roles.get(role.value) for role in Role):
        raise ServingRefused(f"{path}: [roles] gives no one a role; the roles are {', '.join(role.value for role in Role)}")
    unknown = set(roles) - {role.value for role in Role} - {"claim", "person"}
    if unknown:
        raise ServingRefused(
            f"{path}: [roles] names {min(unknown)!r}, which is no role: {', '.join(role.value for role in Role)}"
        )
    host = name_of(urlsplit(auth["redirect_uri"]).netloc)
    if host is None:
        raise ServingRefused(
            f"{path}: redirect_uri is {auth['redirect_uri']}: expected an address with the host name of the pages"
        )
    return host
