"""The times of a transcript: wall-clock times of the property, in gaming days that run from one cutover to the next.

`02:14` on a gaming day that begins at 06:00 is of the next calendar date. When clocks go back an hour comes twice: such a
time needs its offset or its zone's name, unless only one of the two comes after what was stated before.
"""

import re
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from events.vocabulary.model import PropertyConfigured

EXPECTED: Final = "expected a time like 21:14:05 or +90s"
RUN_AHEAD: Final = timedelta(hours=1)
"""How far a transcript's clock, which adds a second for every event, can have run ahead of a time stated next."""
_TIME: Final = re.compile(
    r"(?:(?P<date>\d{4}-\d{2}-\d{2})[T ])?(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.(?P<fraction>\d{1,6}))?)?"
    r"\s*(?P<half>[ap]\.?m\.?)?\s*(?P<zone>Z|[+-]\d{2}:?\d{2}|[A-Z]{3,5})?",
    re.ASCII | re.IGNORECASE,
)


def clock_of(configured: PropertyConfigured | None) -> "Clock":
    """Return the property's clock: UTC if nothing is configured, or a zone that this machine does not know."""
    if configured is None:
        return Clock()
    try:
        zone: tzinfo = ZoneInfo(configured.time_zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        zone = UTC
    return Clock(zone, time.fromisoformat(configured.gaming_day_cutover))


class UnreadableTime(ValueError):
    """A time cannot be read, or means no moment or two; the message says what was expected."""


class Clock(NamedTuple):
    """A property's time zone, and when its gaming day begins."""

    zone: tzinfo = UTC
    cutover: time = time(6)

    def noon(self, gaming_day: str) -> datetime:
        """Return noon of a gaming day, in UTC.

        >>> Clock().noon("2026-03-01").isoformat()
        '2026-03-01T12:00:00+00:00'
        """
        return _moments(date.fromisoformat(gaming_day), time(12), self.zone)[0]

    def moments(self, gaming_day: str, wall: time) -> list[datetime]:
        """Return when clocks show a time on a gaming day: once; twice when they go back; never when they go forward.

        >>> [each.isoformat() for each in Clock().moments("2026-03-01", time(2, 14))]
        ['2026-03-02T02:14:00+00:00']
        """
        day = date.fromisoformat(gaming_day)
        return _moments(day if wall >= self.cutover else day + timedelta(days=1), wall, self.zone)

    def gaming_day(self, moment: datetime) -> str:
        """Return the gaming day of a moment."""
        local = moment.astimezone(self.zone)
        return (local.date() if local.time() >= self.cutover else local.date() - timedelta(days=1)).isoformat()

    def must_be_past(self, at_us: int, now_us: int) -> None:
        """Raise `UnreadableTime` for a time of what happened that has not come, by more than clocks may differ (D1443)."""
        from events.log.clock import is_ahead  # judging a transcript loads neither
        from replay.narrative.names import moment

        if is_ahead(at_us, now_us):
            at, now = (f"{moment(each, self.zone):%Y-%m-%d %H:%M %Z}" for each in (at_us, now_us))
            raise UnreadableTime(
                f"{at} has not come: by this machine's clock it is {now}; expected a time that is past, with its date if it was "
                "another day; if the clock is wrong, set it right"
            )

    def read(self, text: str, gaming_day: str, now: datetime | None) -> tuple[datetime, bool]:
        """Return the moment of a time on a gaming day, and whether the text states its date.

        `now` is the previous moment in the text, or None. A time long before it is on the next day. Raises `UnreadableTime`.

        >>> Clock().read("9:14 pm", "2026-03-01", None)[0].isoformat()
        '2026-03-01T21:14:00+00:00'
        """
        found = _TIME.fullmatch(text)
        if found is None:
            raise UnreadableTime(f"{EXPECTED}, got {text!r}")
        try:
            wall, zone = _wall(found), found["zone"]
            if found["date"]:
                day = date.fromisoformat(found["date"])
                offset = _offset(zone)
                if offset is not None:
                    return datetime.combine(day, wall, offset).astimezone(UTC), True
                return self._one(_moments(day, wall, self.zone), text, zone), True
        except ValueError as error:
            raise UnreadableTime(str(error) if isinstance(error, UnreadableTime) else f"{EXPECTED}, got {text!r}") from None
        return self._next(wall, text, zone, gaming_day, now), False

    def _next(self, wall: time, text: str, zone: str | None, gaming_day: str, now: datetime | None) -> datetime:
        if now is None:
            return self._one(self.moments(gaming_day, wall), text, zone)
        candidates = self.moments(gaming_day, wall)
        if not any(now - each < RUN_AHEAD for each in candidates):  # long past: the next day that is not
            here = date.fromisoformat(self.gaming_day(now))
            days = [(here + timedelta(days=ahead)).isoformat() for ahead in (0, 1)]
            candidates = next(found for day in days if not (found := self.moments(day, wall)) or found[-1] >= now)
        ahead = [each for each in candidates if each >= now]
        return self._one(ahead or candidates[-1:], text, zone)

    def _one(self, moments: list[datetime], text: str, zone: str | None) -> datetime:
        """Return the moment that is meant, by its offset or its zone's name if there are two."""
        if not moments:
            raise UnreadableTime(f"{text!r} never was, because clocks went forward; {EXPECTED} that was")
        offset = _offset(zone)
        if offset is not None:
            moments = [each for each in moments if each.astimezone(self.zone).utcoffset() == offset.utcoffset(None)]
        elif zone is not None:
            moments = [each for each in moments if each.astimezone(self.zone).tzname() == zone.upper()]
        if not moments:
            raise UnreadableTime(
                f"{text!r} is in another zone than the property's; {EXPECTED} there, or one with its date and offset"
            )
        if len(moments) > 1:
            both = " or ".join(each.astimezone(self.zone).isoformat() for each in moments)
            raise UnreadableTime(f"{text!r} comes twice, because clocks went back; write {both}")
        return moments[0]

    def written(self, moment: datetime, gaming_day: str, now: datetime | None) -> str:
        """Return a moment, to the second, as `read` reads it: the time of day, with date and offset if it needs them."""
        moment = moment.replace(microsecond=0)
        local = moment.astimezone(self.zone)
        plain = f"{local:%H:%M:%S}"
        try:
            if (now is None or moment >= now) and self.read(plain, gaming_day, now)[0] == moment:
                return plain
        except UnreadableTime:
            pass
        return local.isoformat()


UTC_CLOCK: Final = Clock()
"""The clock of a transcript whose property is not known."""


def _wall(found: re.Match[str]) -> time:
    hour, half = int(found["hour"]), (found["half"] or "").lower()[:1]
    if half and not 1 <= hour <= 12:
        raise ValueError
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    fraction = int((found["fraction"] or "0").ljust(6, "0"))
    return time(hour, int(found["minute"]), int(found["second"] or 0), fraction)


def _offset(zone: str | None) -> tzinfo | None:
    """Return the zone that an offset states; None for a name or nothing."""
    if zone is None or zone[0].isalpha():
        return UTC if zone is not None and zone.upper() in ("Z", "UTC") else None
    minutes = int(zone[1:3]) * 60 + int(zone[-2:])
    return timezone(timedelta(minutes=-minutes if zone[0] == "-" else minutes))


def _moments(day: date, wall: time, zone: tzinfo) -> list[datetime]:
    found = []
    for fold in (0, 1):
        local = datetime.combine(day, wall, zone).replace(fold=fold)
        moment = local.astimezone(UTC)
        shown = moment.astimezone(zone)
        if moment not in found and (shown.date(), shown.time().replace(fold=0)) == (day, wall):
            found.append(moment)
    return found
