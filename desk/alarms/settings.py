"""The settings of alarms: receivers, routes and escalation. One TOML file, read strictly.

The file holds no secrets: it names the file or environment variable that holds one. Private addresses are allowed, since an
administrator wrote the file.
"""

import base64
import binascii
import ipaddress
import os
import stat
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from desk.alarms.alarm import Alarm
from events.log.plain_file import read_toml
from replay.findings import Severity
from replay.incidents import SEVERITIES

SECRET_PREFIX: Final = "whsec_"
SECRET_BYTES: Final = (24, 64)
"""A secret of a webhook has as many bytes as this, at least and at most."""

Name = Annotated[str, Meta(pattern=r"\A[a-z0-9-]{1,32}\Z")]
Pattern = Annotated[str, Meta(pattern=r"\A[A-Za-z0-9*?-]{1,64}\Z")]
MailAddress = Annotated[str, Meta(pattern=r"\A[^\s@<>,;]{1,64}@[A-Za-z0-9.-]{1,190}\Z")]
Minutes = Annotated[int, Meta(ge=1, le=1_440)]


class SettingsRefused(ValueError):
    """The settings of alarms are refused; the message says where, what was expected, and what to do."""


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"from_": "from"}):
    pass


class Receiver(_Strict, frozen=True, kw_only=True):
    """A receiver of alarms: a webhook (`url` and its secret) or people (`mail_to`). `plain_http`: HTTP to other machines."""

    url: str | None = None
    secret_file: str | None = None
    secret_env: str | None = None
    ca_file: str | None = None
    plain_http: bool = False
    mail_to: Annotated[list[MailAddress], Meta(min_length=1, max_length=20)] | None = None
    patrons: bool = False
    timeout_s: Annotated[int, Meta(ge=1, le=60)] = 10


class MailServer(_Strict, frozen=True, kw_only=True):
    """The mail server. `security`: `none` only on this machine, unless `plain` is set."""

    host: str
    from_: MailAddress
    port: Annotated[int, Meta(ge=1, le=65_535)] = 587
    security: Literal["starttls", "tls", "none"] = "starttls"
    plain: bool = False
    ca_file: str | None = None
    user: str | None = None
    password_file: str | None = None
    password_env: str | None = None


class EscalationStep(_Strict, frozen=True, kw_only=True):
    """The role to alert if no one acknowledges an alarm within this many minutes."""

    after_min: Minutes
    to: Name


class Route(_Strict, frozen=True, kw_only=True):
    """Which alarms go to which role. A condition left out matches every alarm.

    `severity` is the lowest that matches; `codes` and `tables` are patterns (`PAY-*`), and one must match; `money_cents` is the
    smallest error, over or under, that matches. `advice`: the route also takes advice on open rounds, before the verdict.
    """

    to: Name
    advice: bool = False
    severity: Severity = "low"
    codes: Annotated[tuple[Pattern, ...], Meta(min_length=1)] = ("*",)
    tables: Annotated[tuple[Pattern, ...], Meta(min_length=1)] = ("*",)
    money_cents: Annotated[int, Meta(ge=0)] = 0
    escalate: tuple[EscalationStep, ...] = ()

    def takes(self, alarm: Alarm) -> bool:
        """Return whether this route takes an alarm."""
        return (
            (self.advice or alarm.basis == "verdict")
            and SEVERITIES.index(alarm.severity) <= SEVERITIES.index(self.severity)
            and any(fnmatchcase(each.code, pattern) for each in alarm.findings for pattern in self.codes)
            and any(fnmatchcase(alarm.table, pattern) for pattern in self.tables)
            and alarm.overpaid_cents + alarm.underpaid_cents >= self.money_cents
        )


class Settings(_Strict, frozen=True, kw_only=True):
    """The whole file. `pages` is the address of the pages, for links; `role` is role → receivers."""

    form: Literal["discard-rack alarms 1"]
    receiver: Annotated[dict[Name, Receiver], Meta(min_length=1)]
    role: Annotated[dict[Name, Annotated[list[Name], Meta(min_length=1)]], Meta(min_length=1)]
    route: Annotated[list[Route], Meta(min_length=1)]
    mail: MailServer | None = None
    pages: str | None = None


def read_settings(path: Path) -> Settings:
    """Read the settings. Raises `SettingsRefused`, which names file and field, and `OSError`."""
    try:
        if path.stat().st_mode & 0o022:
            raise SettingsRefused(f"{path}: other users can change this file, which says who is told; run chmod go-w on it")
        settings = msgspec.convert(read_toml(path), Settings)
    except FileNotFoundError:
        raise SettingsRefused(f"{path}: there are no settings of alarms; docs/alarms.md shows how to write them") from None
    except (msgspec.ValidationError, ValueError) as error:
        raise SettingsRefused(f"{path}: {error}; docs/alarms.md has the form") from error
    try:
        _check(settings)
    except SettingsRefused as error:
        raise SettingsRefused(f"{path}: {error}") from error
    return settings


def _check(settings: Settings) -> None:
    for name, receiver in settings.receiver.items():
        _check_receiver(f"receiver.{name}", receiver, settings.mail)
    for role, names in settings.role.items():
        for name in names:
            if name not in settings.receiver:
                raise SettingsRefused(f"role.{role}: there is no receiver {name!r}; write [receiver.{name}]")
    for number, route in enumerate(settings.route, 1):
        for role in (route.to, *(step.to for step in route.escalate)):
            if role not in settings.role:
                raise SettingsRefused(f"route {number}: there is no role {role!r}; write it under [role]")
        minutes = [step.after_min for step in route.escalate]
        if minutes != sorted(minutes):
            raise SettingsRefused(f"route {number}: the steps of escalate must be in the order of after_min")
    mail = settings.mail
    if mail is not None:
        if mail.security == "none" and not (mail.plain or is_this_machine(mail.host)):
            raise SettingsRefused('mail: security = "none" is for this machine; use starttls or tls, or set plain = true')
        if (mail.user is None) != (mail.password_file is None and mail.password_env is None):
            raise SettingsRefused("mail: user goes with password_file or password_env")
        if mail.user is not None and mail.security == "none" and not is_this_machine(mail.host):
            raise SettingsRefused("mail: a password is not sent without TLS; use starttls or tls")
    if settings.pages is not None and urlsplit(settings.pages).scheme not in ("https", "http"):
        raise SettingsRefused(f"pages = {settings.pages!r}: expected the address of the pages, https://…")


def _check_receiver(where: str, receiver: Receiver, mail: MailServer | None) -> None:
    if (receiver.url is None) == (receiver.mail_to is None):
        raise SettingsRefused(f"{where}: expected url (a webhook) or mail_to (e-mail), one of the two")
    if receiver.mail_to is not None:
        if mail is None:
            raise SettingsRefused(f"{where}: mail_to needs [mail], the server that takes e-mail")
        return
    if (receiver.secret_file is None) == (receiver.secret_env is None):
        raise SettingsRefused(f"{where}: expected secret_file or secret_env, one of the two; rack alerts secret FILE makes one")
    parts = urlsplit(receiver.url or "")
    try:
        right = parts.scheme in ("https", "http") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        right = False
    if not right or parts.username is not None or parts.fragment:
        raise SettingsRefused(f"{where}: url: expected https://host/path without a user in it")
    if parts.scheme == "http" and not (receiver.plain_http or is_this_machine(parts.hostname or "")):
        raise SettingsRefused(f"{where}: plain HTTP is for this machine; use https, or set plain_http = true")


def is_this_machine(host: str) -> bool:
    """Return whether a host is this machine, by its name or address.

    >>> is_this_machine("127.0.0.1"), is_this_machine("::1"), is_this_machine("localhost"), is_this_machine("10.0.0.1")
    (True, True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def read_secrets(where: str, receiver: Receiver, folder: Path, environment: Mapping[str, str] | None = None) -> list[bytes]:
    """Return a webhook's secrets, one for each line, newest first. Raises `SettingsRefused`, which never shows a secret."""
    text = _secret_text(where, receiver.secret_file, receiver.secret_env, folder, environment)
    secrets = []
    for number, line in enumerate(text.split(), 1):
        try:
            secret = base64.b64decode(line.removeprefix(SECRET_PREFIX), validate=True)
        except binascii.Error:
            secret = b""
        if not line.startswith(SECRET_PREFIX) or not SECRET_BYTES[0] <= len(secret) <= SECRET_BYTES[1]:
            raise SettingsRefused(
                f"{where}: secret {number} is not one: expected {SECRET_PREFIX} and {SECRET_BYTES[0]} to {SECRET_BYTES[1]} bytes "
                "in base64; rack alerts secret FILE makes one"
            )
        secrets.append(secret)
    if not secrets:
        raise SettingsRefused(f"{where}: the secret is empty; rack alerts secret FILE makes one")
    return secrets


def read_password(mail: MailServer, folder: Path, environment: Mapping[str, str] | None = None) -> str | None:
    """Return the mail server's password; None if it needs none. Raises `SettingsRefused`."""
    if mail.user is None:
        return None
    return _secret_text("mail", mail.password_file, mail.password_env, folder, environment).strip("\r\n")


def _secret_text(where: str, file: str | None, variable: str | None, folder: Path, environment: Mapping[str, str] | None) -> str:
    if file is None:
        text = (os.environ if environment is None else environment).get(variable or "")
        if not text:
            raise SettingsRefused(f"{where}: the environment has no {variable}, which must hold the secret")
        return text
    path = folder / file
    try:
        opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise SettingsRefused(f"{where}: {path}: {error.strerror}") from error
    with os.fdopen(opened, "rb") as content:
        if stat.S_IMODE(os.fstat(opened).st_mode) & 0o077:
            raise SettingsRefused(f"{where}: {path}: others can read this secret; chmod 600 it")
        try:
            return content.read().decode()
        except UnicodeDecodeError:
            raise SettingsRefused(f"{where}: {path}: expected a secret in one line of text") from None
