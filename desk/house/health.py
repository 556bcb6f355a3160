"""The health of a property: for each part that must run, a line with what to do. It only reads."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from desk.house.plan import APPLIERS, make_plan
from desk.house.property_file import Property, read_property
from desk.house.record import TableRecord
from desk.review.last_verification import State, record_path, verified_at
from desk.review.last_verification import read as read_notice
from desk.review.persons import ReviewRefused
from desk.review.witness_status import REFUSALS, witnessed_at
from desk.sign_in.accounts import Accounts
from desk.sign_in.login_file import local_sign_in
from events.errors import EventError, IntegrityError, LogUnavailable
from events.log.contract import EventLog
from events.open import open_checkpoints, open_log
from events.proofs.keys import KeyRefused, read_public_key, read_ring
from events.proofs.statements import CheckpointBatch, TimeStatement, read_statement

PATIENCE_US: Final = 300 * 1_000_000
"""A checkpoint is due, and a witness silent, after five minutes."""
DAY_US: Final = 24 * 3_600 * 1_000_000
TEST: Final = ".mail-test"
"""The notice of the last test mail that was taken, next to the log: when (UTC microseconds)."""
FAULTS = (OSError, ReviewRefused, EventError, IntegrityError, LogUnavailable, KeyRefused, ValueError)


class Part(NamedTuple):
    """One part: whether it is in order, its state, or what to do."""

    name: str
    ok: bool
    says: str


def look(folder: Path, now_us: int, **options: Any) -> Iterator[Part]:
    """Yield a line for each part of the property in a folder; `options` say how to reach a cluster."""
    try:
        made = read_property(folder)
    except ReviewRefused as error:
        yield Part("property", False, str(error))
        return
    if made.log_file is not None and not made.log_file.exists():
        yield Part("property", False, f"there is no log yet; `rack apply {folder} --by PERSON` makes it")
        return
    checks: dict[str, Callable[[Property, EventLog, int], Part | None]] = {
        "property": _applied,
        "signatures": _signatures,
        "sign-in": _sign_in,
        "key": _key,
        "checkpoint": partial(_checkpoint, options),
        "witness": partial(_witness, options),
        "mail": _mail,
        "archive": _archive,
    }
    try:
        log = open_log(made.address, read_only=True, **options)
    except FAULTS as error:
        yield Part("log", False, str(error))
        return
    with closing(log):
        yield Part(
            "log", True, f"{len(log.streams())} streams, {sum(log.head(each).seq for each in log.streams()):,} events"
        )
        for name, check in checks.items():
            try:
                part = check(made, log, now_us)
            except FAULTS as error:
                part = Part(name, False, str(error))
            if part is not None:
                yield part


def _applied(made: Property, log: EventLog, now_us: int) -> Part:
    plan = make_plan(made, log, lambda _: {})
    if plan.changes:
        return Part("property", False, f"{plan.changes} changes are not applied; see `rack plan {made.folder}`")
    return Part("property", True, "as its file says")


def _signatures(made: Property, log: EventLog, now_us: int) -> Part:
    waiting, of_devices = [], []
    for table in made.form.table:
        record = TableRecord(log, table.id)
        last = record.filings.last_of_office
        if last is None and record.last:
            of_devices.append(table.id)
        elif last is not None and not record.signers(last):
            waiting.append(table.id)
    if of_devices:
        return Part(
            "filings", False, f"filed by devices alone: {', '.join(of_devices)}; file the rules with `rack rules file`"
        )
    if waiting:
        return Part(
            "filings", False, f"unsigned: {', '.join(waiting)}; a second person signs with `rack rules sign TABLE`"
        )
    return Part("filings", True, "every filing has its second signature")


def _sign_in(made: Property, log: EventLog, now_us: int) -> Part:
    login = made.folder / "login.toml"
    if not login.exists():
        return Part(
            "sign-in", False, "no login.toml: no one signs in; write [sign_in], or name an identity provider in it"
        )
    local = local_sign_in(login)
    if local is None:
        return Part("sign-in", True, "by the identity provider that login.toml names")
    standing = Accounts(local.accounts).states(now_us / 1_000_000)
    people = [each.id for each in made.form.person if each.roles and each.closed is None]
    waiting = [each for each in people if each not in standing or not standing[each].is_set_up]
    if waiting:
        return Part(
            "sign-in", False, f"not set up: {', '.join(waiting)}; give each an invitation: `rack sign-in invite PERSON`"
        )
    return Part("sign-in", True, f"{len(people)} persons have set it up")


def _key(made: Property, log: EventLog, now_us: int) -> Part:
    key = made.form.key
    if key is None:
        return Part("key", False, "no [key]: nothing is signed, and the log could be rewritten undetected")
    public = made.folder / f"{key.file}.pub"
    if not public.exists():
        by = next((each.token for each in made.persons.all if set(APPLIERS) & set(each.roles)), "PERSON")
        way = f"rack keys new {made.folder / key.file} --log {made.address} --by {by}"
        return Part("key", False, f"no packet or report can be signed; make the key: `{way}`")
    in_force = read_ring(log).in_force(log.head("property/main").seq)
    if read_public_key(public) not in in_force:
        return Part("key", False, f"{public} is not published in the log (`rack keys list`)")
    return Part("key", True, "published, and in force")


def _checkpoint(options: Mapping[str, Any], made: Property, log: EventLog, now_us: int) -> Part | None:
    if made.form.key is None:
        return None
    last = None
    with (
        suppress(LogUnavailable),
        closing(open_checkpoints(made.address, log_id=log.log_id, read_only=True, **options)) as store,
    ):
        last = next(iter(deque(store.batches(), maxlen=1)), None)
    events = sum(log.head(stream).seq for stream in log.streams())
    time = None if last is None else read_statement(CheckpointBatch.decode(last).lines[-1])
    if not isinstance(time, TimeStatement):
        return Part("checkpoint", False, "none; run rack-checkpoints.service, or `rack checkpoint`")
    if time.events < events and now_us - time.at_us > PATIENCE_US:
        return Part(
            "checkpoint", False, f"due: {events - time.events:,} events came since; run rack-checkpoints.service"
        )
    return Part("checkpoint", True, f"{time.events:,} of {events:,} events are signed for")


def _witness(options: Mapping[str, Any], made: Property, log: EventLog, now_us: int) -> Part:
    witness = made.form.witness
    if witness is None:
        return Part("witness", False, "no [witness]: no one else can vouch for the log")
    folder, key = made.folder / witness.folder, made.folder / f"{witness.key}.pub"
    if not key.exists():
        return Part("witness", False, f"make its key: `rack keys new {made.folder / witness.key} --witness NAME`")
    try:
        seen = witnessed_at(made.address, folder, key, **options)
    except REFUSALS as error:
        return Part("witness", False, f"{error}; run rack-witness.service, or `rack witness`")
    if seen.disagrees:
        return Part(
            "witness",
            False,
            f"it disagrees with the log: {seen.trouble or 'see its folder'}; run `rack verify --witness`",
        )
    if seen.newest_s is None or seen.silent(now_us):
        return Part(
            "witness", False, f"{seen.behind} checkpoints wait for it, longer than 5 minutes; run rack-witness.service"
        )
    return Part("witness", True, f"{seen.cosigned} checkpoints vouched for, none waits longer than 5 minutes")


def _mail(made: Property, log: EventLog, now_us: int) -> Part:
    if made.form.mail is None or not made.form.route:
        return Part("mail", False, "no [mail] with a [[route]]: no one gets mail about incidents")
    notice = made.folder / TEST
    if not notice.exists():
        return Part("mail", False, f"no test mail was taken yet: `rack doctor {made.folder} --send-test`")
    taken_us = int(notice.read_text(encoding="utf-8"))
    return Part("mail", True, f"a test was taken {max(0, now_us - taken_us) // DAY_US} days ago")


def _archive(made: Property, log: EventLog, now_us: int) -> Part:
    backup = made.form.backup
    if backup is None:
        return Part("archive", False, "no [backup]: a failed disk loses the data")
    folder = made.folder / backup.folder
    if not folder.is_dir():
        return Part("archive", False, f"none yet: `rack archive --out {folder}`, or run rack-archive.timer")
    address = f"archive://{quote(folder.resolve().as_posix())}"
    if read_notice(record_path(address)) is None:
        return Part("archive", False, f"it was never verified: `rack verify --log {address}`")
    standing = verified_at(address)
    said = standing.detail or (standing.shown.sentence if standing.shown is not None else standing.state.value)
    return Part("archive", standing.state is State.PASSED, f"last verified: {said}")
