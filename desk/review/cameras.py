"""The cameras: which table and seat each sees, how far its clock is ahead, and the address of its video at a time.

The property keeps them in a TOML file. Invariant: times of the log are the property's; a camera is asked by its own clock, and a
page that shows its video states the difference.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from string import Formatter
from typing import Annotated, Final, Literal
from urllib.parse import quote, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
from msgspec import Meta

from desk.review.persons import ReviewRefused
from events.log.plain_file import read_toml

ADDRESS: Final = re.compile(r"[!#-&(-;=?-\[\]^_a-z{|}~]+")
"""The characters of a link: ASCII without spaces, quotes, angle brackets, backslashes and control characters."""
PLACES: Final = ("camera", "utc", "local", "unix_s", "unix_ms")
"""The names that a link can have in braces."""
WEEK_MS: Final = 7 * 24 * 3_600_000

Token = Annotated[str, Meta(pattern=r"\A[a-z0-9-]{1,32}\Z")]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class System(_Strict, frozen=True, kw_only=True):
    """A video system: the address of a camera's video at a time; playback begins this many seconds before it.

    `{camera}` is the camera's name in the system, `{utc}` and `{local}` the time as ISO 8601 (`local` in `time_zone`, with its
    offset), `{unix_s}` and `{unix_ms}` since 1970.
    """

    link: str
    lead_s: Annotated[int, Meta(ge=0, le=600)] = 5
    time_zone: str | None = None


class Sight(_Strict, frozen=True, kw_only=True):
    """A table that a camera sees; `seats` are its main seats, None: the whole table."""

    table: Token
    seats: Annotated[tuple[Annotated[int, Meta(ge=1, le=7)], ...], Meta(min_length=1)] | None = None


class Camera(_Strict, frozen=True, kw_only=True):
    """A camera. `clock_offset_ms` is how far its clock is ahead of the property's; `name` is its name in its system."""

    id: Token
    sees: Annotated[tuple[Sight, ...], Meta(min_length=1)]
    clock_offset_ms: Annotated[int, Meta(ge=-WEEK_MS, le=WEEK_MS)] = 0
    system: str | None = None
    name: str | None = None

    def clock_us(self, at_us: int) -> int:
        """Return the reading of its clock at a time of the property, in UTC microseconds."""
        return at_us + self.clock_offset_ms * 1_000

    def rank(self, table: str, seat: int | None) -> int | None:
        """Return how well it sees a seat: 0 if that is a main seat, 1 if it sees the whole table; None: not at all."""
        seen = [sight for sight in self.sees if sight.table == table]
        if any(sight.seats is not None and seat in sight.seats for sight in seen):
            return 0
        if any(sight.seats is None for sight in seen):
            return 1
        return 2 if seen and seat is None else None


class _Form(_Strict, frozen=True, kw_only=True):
    form: Literal["discard-rack cameras 1"]
    camera: tuple[Camera, ...] = ()
    system: dict[str, System] = {}


class Cameras:
    """The cameras of a property. Raises `ReviewRefused` if a camera is listed twice or names an unknown system."""

    def __init__(self, cameras: Sequence[Camera], systems: dict[str, System], where: str) -> None:
        self._all, self._systems = {camera.id: camera for camera in cameras}, systems
        if len(self._all) < len(cameras):
            raise ReviewRefused(f"{where}: a camera is listed twice; give each an id of its own")
        for name, system in systems.items():
            _check_system(f"{where}: system.{name}", system)
        for camera in cameras:
            if camera.system is not None and camera.system not in systems:
                raise ReviewRefused(f"{where}: {camera.id}: there is no system {camera.system!r}; write [system.{camera.system}]")

    def find(self, camera_id: str) -> Camera | None:
        """Return a camera by its id."""
        return self._all.get(camera_id)

    def seeing(self, table: str, seat: int | None = None) -> list[Camera]:
        """Return the cameras that see a seat (None: any) of a table, those with this main seat first."""
        ranked = [(rank, camera) for camera in self._all.values() if (rank := camera.rank(table, seat)) is not None]
        return [camera for _, camera in sorted(ranked, key=lambda each: each[0])]

    def link(self, camera: Camera, at_us: int) -> str | None:
        """Return the address of a camera's video at a time of the property (UTC microseconds); None if it has none."""
        if camera.system is None:
            return None
        system = self._systems[camera.system]
        moment = _EPOCH + timedelta(microseconds=camera.clock_us(at_us) - system.lead_s * 1_000_000)
        local = moment.astimezone(ZoneInfo(system.time_zone)) if system.time_zone else moment
        values = {
            "camera": camera.name or camera.id,
            "utc": f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1_000:03d}Z",
            "local": local.isoformat(timespec="milliseconds"),
            "unix_s": str(int(moment.timestamp())),
            "unix_ms": str((moment - _EPOCH) // timedelta(milliseconds=1)),
        }
        return system.link.format_map({name: quote(value, safe="") for name, value in values.items()})


def read_cameras(path: Path) -> Cameras:
    """Read the file. Raises `ReviewRefused`, which names file and field, and `OSError`."""
    try:
        if path.stat().st_mode & 0o022:
            raise ReviewRefused(f"{path}: other users can change this file, which leads to evidence; run chmod go-w on it")
        form = msgspec.convert(read_toml(path), _Form)
    except FileNotFoundError:
        raise ReviewRefused(f"{path}: there is no file of cameras; docs/video.md shows how to write it") from None
    except (msgspec.ValidationError, ValueError) as error:
        raise ReviewRefused(f"{path}: {error}; docs/video.md has the form") from error
    return Cameras(form.camera, form.system, str(path))


def _check_system(where: str, system: System) -> None:
    if not ADDRESS.fullmatch(system.link):
        raise ReviewRefused(
            f"{where}: link: expected printable ASCII without spaces, backslashes and quotes; write other characters as %XX"
        )
    try:
        parts = urlsplit(re.sub(r"\{[^}]*\}", "x", system.link))
        _ = parts.port  # which is a number, or an error
    except ValueError as error:
        raise ReviewRefused(f"{where}: link: {error}") from error
    if "@" in parts.netloc:
        raise ReviewRefused(f"{where}: link: it names a user ({parts.netloc}); leave the user out")
    if parts.scheme not in ("https", "http") or not parts.hostname:
        raise ReviewRefused(f"{where}: link: expected https://…, the address that the video system or its launcher answers")
    try:
        found = [each[1:] for each in Formatter().parse(system.link) if each[1] is not None]
    except ValueError as error:
        raise ReviewRefused(f"{where}: link: {error}") from error
    for name, form, conversion in found:
        if name not in PLACES or form or conversion:
            raise ReviewRefused(f"{where}: link: {{{name}}} is none of {', '.join(f'{{{each}}}' for each in PLACES)}")
    try:
        ZoneInfo(system.time_zone or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ReviewRefused(f"{where}: time_zone {system.time_zone!r}: {error}") from error
    if "{local}" in system.link and system.time_zone is None:
        raise ReviewRefused(f"{where}: link holds {{local}}: name its time_zone")
