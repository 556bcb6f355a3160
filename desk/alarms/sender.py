"""The sender: reads new verdicts, escalates unacknowledged alarms, and delivers one message at a time to each receiver.

Invariant: one thread uses the outbox. Other threads talk to the receivers, so that a receiver that hangs delays no other, and
none affects the process that judges.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple, Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from desk.alarms.alarm import Alarm, House, to_body, trial_message
from desk.alarms.email_sender import Mailbox
from desk.alarms.new_alarms import Tell, Watch
from desk.alarms.outbox import Letter, Outbox
from desk.alarms.settings import Settings, SettingsRefused, read_password, read_secrets
from desk.alarms.webhook import Answer, Webhook
from desk.recorded_round import currency_of, property_configured
from desk.review.desk import Desk
from events.errors import EventError, IntegrityError, LogUnavailable

POLL_S = 0.25
RETRY_S = 5.0
"""The wait before a log that cannot be read is opened again."""
UNREADABLE = (LogUnavailable, EventError, IntegrityError)


class Door(Protocol):
    """A way to reach a receiver."""

    def send(self, key: str, body: bytes, at_s: int) -> Answer:
        """Send a message under its key at a time (UTC seconds)."""


def doors(settings: Settings, folder: Path, environment: Mapping[str, str] | None = None) -> dict[str, Door]:
    """Return receiver → the way to reach it; `folder` is that of the settings. Raises `SettingsRefused`, `OSError`."""
    found: dict[str, Door] = {}
    for name, receiver in settings.receiver.items():
        if receiver.url is not None:
            secrets = read_secrets(f"receiver.{name}", receiver, folder, environment)
            ca_file = str(folder / receiver.ca_file) if receiver.ca_file else None
            found[name] = Webhook(receiver.url, secrets, timeout_s=receiver.timeout_s, ca_file=ca_file)
        elif settings.mail is not None:
            password = read_password(settings.mail, folder, environment)
            found[name] = Mailbox(settings.mail, password, receiver.mail_to or (), timeout_s=receiver.timeout_s)
    return found


class Deliveries:
    """Sends due messages to the receivers and records their answers."""

    def __init__(self, outbox: Outbox, doors: Mapping[str, Door], tell: Tell, clock: Callable[[], int]) -> None:
        self._outbox, self._doors, self._tell, self._clock = outbox, doors, tell, clock
        self._pool = ThreadPoolExecutor(max(1, len(doors)), thread_name_prefix="alarms")
        self._under_way: dict[str, tuple[Letter, Future[Answer]]] = {}

    def step(self) -> bool:
        """Record answers and send due messages; return whether there was anything to do."""
        done = self._note()
        for receiver, door in self._doors.items():
            if receiver not in self._under_way:
                letter = self._outbox.next_letter(receiver, self._clock())
                if letter is not None:
                    now_us = self._clock()
                    self._outbox.tried(letter.key, now_us)
                    sent = self._pool.submit(door.send, letter.key, letter.body, now_us // 1_000_000)
                    self._under_way[receiver] = letter, sent
                    done = True
        return done

    def pause(self, seconds: float) -> None:
        """Wait until a receiver answers, at most this long."""
        sent = [each for _, each in self._under_way.values()]
        if sent:
            wait(sent, seconds, return_when="FIRST_COMPLETED")
        else:
            time.sleep(seconds)

    def close(self) -> None:
        """Wait for pending answers and record them."""
        self._pool.shutdown(wait=True)
        self._note()

    def _note(self) -> bool:
        answered = [name for name, (_, sent) in self._under_way.items() if sent.done()]
        for receiver in answered:
            letter, sent = self._under_way.pop(receiver)
            answer = sent.result()
            if answer.taken:
                self._outbox.delivered(letter, answer.said)
                self._tell(f"{letter.what} {letter.alarm[:8]} to {receiver}: {answer.said}")
            else:
                wait_us = answer.wait_s * 1_000_000
                self._outbox.failed(letter, answer.said, silent=answer.silent, now_us=self._clock(), wait_us=wait_us)
                self._tell(f"{letter.what} {letter.alarm[:8]} to {receiver}: NOT taken: {answer.said}")
        return bool(answered)


class Sender:
    """The work of `rack alerts send`. `open_desk` opens the log for reading; `house_of` returns its house."""

    def __init__(
        self,
        outbox: Outbox,
        settings: Settings,
        doors: Mapping[str, Door],
        *,
        open_desk: Callable[[], AbstractContextManager[Desk]],
        house_of: Callable[[Desk], House],
        tell: Tell,
        past: bool = False,
        clock: Callable[[], int] | None = None,
    ) -> None:
        self._outbox, self._settings, self._tell, self._past = outbox, settings, tell, past
        self._open_desk, self._house_of = open_desk, house_of
        self._clock = clock or now_us
        self._deliveries = Deliveries(outbox, doors, tell, self._clock)
        self._resources = ExitStack()
        self._desk: Desk | None = None
        self._watch: Watch | None = None
        self._open_at = 0.0
        self._trouble = ""

    def run(self, ended: threading.Event) -> None:
        """Send until `ended` is set."""
        try:
            while not ended.is_set():
                self.look()
                if not self._deliveries.step():
                    self._deliveries.pause(POLL_S)
        finally:
            self.close()

    def run_once(self) -> None:
        """Read the verdicts, and try every due message once."""
        try:
            self.look()
            while self._deliveries.step():
                self._deliveries.pause(POLL_S)
        finally:
            self.close()

    def close(self) -> None:
        """Wait for pending answers, and release the log."""
        self._deliveries.close()
        self._resources.close()

    def look(self) -> None:
        """Read new verdicts, and escalate. If the log cannot be read, report it once and try again later."""
        try:
            if self._desk is None:
                if time.monotonic() < self._open_at:
                    return
                self._open()
            if self._desk is not None and self._watch is not None:
                self._watch.read(self._desk.results, self._clock())
                self._escalate(self._desk, self._watch)
            self._trouble = ""
        except UNREADABLE as error:
            if str(error) != self._trouble:
                self._tell(f"the log cannot be read now and will be tried again: {error}")
            self._trouble, self._desk, self._watch = str(error), None, None
            self._open_at = time.monotonic() + RETRY_S
            self._resources.close()

    def _open(self) -> None:
        desk = self._resources.enter_context(self._open_desk())
        is_new = self._outbox.belongs_to(desk.log.log_id)
        watch = Watch(self._outbox, self._settings, self._house_of(desk), self._tell)
        if is_new and not self._past:
            streams = watch.begin(desk.log, desk.results)
            self._tell(f"a new outbox: earlier findings are not sent ({streams} streams); --past sends it too")
        self._desk, self._watch = desk, watch

    def _escalate(self, desk: Desk, watch: Watch) -> None:
        for step in self._outbox.steps_due(self._clock()):
            try:
                by = acknowledged_by(desk, step.standing.alarm)
            except IntegrityError:  # no one can tell, so the next recipient is told
                by = None
            if by is not None:
                self._outbox.acknowledge(step.standing.alarm.id, by)
                continue
            names = self._settings.role.get(step.role, [])
            messages = [(name, watch.message("escalated", step.standing, name, step.after_min)) for name in names]
            self._outbox.escalate(step, messages, self._clock())


def acknowledged_by(desk: Desk, alarm: Alarm) -> str | None:
    """Return the first person to act on a finding of an alarm's incident, or None. Raises an `IntegrityError`."""
    review = desk.review(alarm.table)
    said = [entry for each in alarm.findings for entry in review.finding(each.id).history]
    return min(said, key=lambda entry: entry.seq).by if said else None


def house_of(desk: Desk) -> House:
    """Return the house of the alarms."""
    configured = property_configured(desk.log)
    try:
        zone = None if configured is None else ZoneInfo(configured.time_zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        zone = None
    return House(
        log=desk.log.log_id,
        property=desk.log.property_id,
        currency=currency_of(desk.log),
        zone=zone,
        zone_name="UTC" if zone is None else zone.key,
    )


class ReceiverAnswer(NamedTuple):
    """A receiver's answer to the test message with this key."""

    receiver: str
    key: str
    answer: Answer

    @property
    def line(self) -> str:
        """The answer in one line."""
        return f"{self.receiver}: {'taken' if self.answer.taken else 'NOT taken'} ({self.answer.said})"


def send_tests(settings: Settings, folder: Path, only: str | None = None) -> Iterator[ReceiverAnswer]:
    """Send a test to every receiver or to one. Raises `SettingsRefused` if no receiver has that name."""
    ways = doors(settings, folder)
    if only is not None and only not in ways:
        raise SettingsRefused(f"there is no receiver {only!r}: the settings have {', '.join(ways)}")
    for name, way in ways.items():
        if only in (None, name):
            message = trial_message(token_hex(16), settings.pages)
            yield ReceiverAnswer(name, message.key, way.send(message.key, to_body(message), now_us() // 1_000_000))


def now_us() -> int:
    """Return the present in UTC microseconds."""
    return time.time_ns() // 1000
