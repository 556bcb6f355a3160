"""The register of devices: who may hand events in, under which sources, and in which profile.

A device shows a token, `<name>.<secret>`, which is shown once, when it is made, and kept as the SHA-256 of its secret: who
reads the register cannot hand anything in. (A secret has 256 random bits, so that a plain hash of it cannot be searched.) The
register is a TOML file of mode 0600, replaced as a whole by `rack devices` and read again by the gateway whenever it changes:
what is revoked is refused from the next request on. A revoked device stays in the register, and its name is not given again.
"""

import contextlib
import fcntl
import hmac
import json
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from events.log.high_water import sync
from events.log.plain_file import MOST_TOML, toml_in
from events.vocabulary.envelope import StreamName
from events.vocabulary.model import Digest, Token
from intake.errors import IntakeError
from intake.writer_rights import owner_of

SECRET_BYTES: Final = 32
_NOBODY: Final = "0" * 64
_FIELDS: Final = ("token_sha256", "sources", "streams", "profile", "added", "revoked")


class Device(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A device. `profile` is a file, relative to the register's folder; times are ISO 8601, in UTC.

    `streams` are those that it may write to; None: any table or meter.
    """

    token_sha256: Digest
    sources: Annotated[list[Token], Meta(min_length=1)]
    added: str
    streams: Annotated[list[StreamName], Meta(min_length=1)] | None = None
    profile: str | None = None
    revoked: str | None = None


class _Register(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    device: dict[Token, Device] = {}


Devices = Mapping[str, Device]
"""Name → device."""


def read_devices(path: Path) -> Devices:
    """Return what a register says. Raises `IntakeError` if it is missing, readable by others, or not of its form."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        raise IntakeError(f"{path}: there is no register of devices; `rack devices add` makes one") from None
    except OSError as error:
        raise IntakeError(f"{path}: {error.strerror}; name a register that `rack devices add` made") from error
    with os.fdopen(file, "rb") as opened:
        if stat.S_IMODE(os.fstat(file).st_mode) & 0o077:
            raise IntakeError(f"{path}: others can read the register of devices; chmod 600 it")
        data = opened.read(MOST_TOML + 1)
    try:
        register = msgspec.convert(toml_in(data), _Register)
    except (msgspec.ValidationError, ValueError) as error:
        raise IntakeError(f"{path}: {error}; `rack devices` writes this file") from error
    for name, device in register.device.items():
        _check_sources(f"{path}: {name}", device.sources)
    return register.device


def device_of(devices: Devices, token: str) -> tuple[str, Device] | None:
    """Return the device of a token; None if no device has it, or a revoked one. Every wrong token takes equally long."""
    name, _, secret = token.partition(".")
    device = devices.get(name)
    stated = _NOBODY if device is None else device.token_sha256
    fits = hmac.compare_digest(sha256(secret.encode()).hexdigest(), stated)
    return (name, device) if fits and device is not None and device.revoked is None else None


def add_device(
    path: Path, name: str, sources: list[str], profile: str | None, at: str, *, streams: list[str] | None = None
) -> str:
    """Add a device and return its token, which is shown nowhere else. Raises `IntakeError`."""
    secret = secrets.token_urlsafe(SECRET_BYTES)
    with _changing(path) as devices:
        if name in devices:
            state = "is in the register" if devices[name].revoked is None else "was revoked, and a name is not given again"
            raise IntakeError(f"{path}: {name} {state}; choose another name")
        _check_sources(name, sources)
        for other, device in devices.items():
            shared = set(sources) & set(device.sources)
            if shared and device.revoked is None:
                raise IntakeError(f"{path}: {other} speaks for {min(shared)} already; revoke it first, or name another source")
        made = {
            "token_sha256": sha256(secret.encode()).hexdigest(),
            "sources": sources,
            "added": at,
            "profile": profile,
            "streams": streams,
        }
        try:
            devices[name] = msgspec.convert(made, Device)
            msgspec.convert(name, Token)
        except msgspec.ValidationError as error:
            raise IntakeError(f"{name}: {error}; names and sources have 1 to 32 of a-z, 0-9 and -") from error
    return f"{name}.{secret}"


def revoke_device(path: Path, name: str, at: str) -> None:
    """Refuse a device from now on. Raises `IntakeError` if it is not in the register, or revoked already."""
    with _changing(path, create=False) as devices:
        if name not in devices or devices[name].revoked is not None:
            what = "is not in the register" if name not in devices else "was revoked already"
            raise IntakeError(f"{path}: {name} {what}; `rack devices list` shows the register")
        devices[name] = msgspec.structs.replace(devices[name], revoked=at)


class DeviceWatch:
    """The current register: reads its file again if it changes. Raises `IntakeError` if it cannot be read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: tuple[int, ...] | None = None
        self._devices: Devices = {}
        self.current()

    def current(self) -> Devices:
        """Return the devices.

        A register that cannot be read, or was emptied, lets no one in; a token is then neither accepted nor called wrong.
        """
        try:
            state = os.stat(self.path)
            seen = (state.st_ino, state.st_mtime_ns, state.st_size, state.st_mode)
        except FileNotFoundError:
            return read_devices(self.path)  # which says so
        except OSError as error:
            raise IntakeError(f"{self.path}: {error.strerror}") from error
        if seen != self._seen:
            self._devices = read_devices(self.path)
            self._seen = seen
        if not self._devices:
            raise IntakeError(f"{self.path}: the register names no device; `rack devices add` adds one")
        return self._devices


def _check_sources(where: str, sources: list[str]) -> None:
    for source in sources:
        if owner_of(source) is not None:
            raise IntakeError(f"{where}: the source {source} is one of Discard Rack's own; name another")


@contextlib.contextmanager
def _changing(path: Path, *, create: bool = True) -> Iterator[dict[str, Device]]:
    """Yield the devices to be changed, keep others from changing them meanwhile, and then replace the file as a whole."""
    lock = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        devices = dict(read_devices(path)) if path.exists() or not create else {}
        yield devices
        _replace(path, _text(devices).encode())
    finally:
        os.close(lock)


def _text(devices: Devices) -> str:
    lines = ["# The devices that may hand events in, as `rack devices` wrote them. Tokens are not in here, only their SHA-256."]
    for name, device in devices.items():
        lines += ["", f"[device.{name}]"]
        for field in _FIELDS:
            value = getattr(device, field)
            if value is not None:
                lines.append(f"{field} = {json.dumps(value)}")  # text and lists of text: the same in TOML
    return "\n".join(lines) + "\n"


def _replace(path: Path, data: bytes) -> None:
    fresh = path.with_name(f".{path.name}.new")
    with contextlib.suppress(FileNotFoundError):
        fresh.unlink()  # of one that was broken off: the lock is ours
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, path)
    sync(path.parent)
