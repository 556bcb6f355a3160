"""Read all checkpoints of a log again: statements, roots, signatures, and what others remember; for `events.proofs.verify`."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from events.errors import IntegrityError
from events.log.clock import AheadOfClock, is_ahead
from events.log.contract import CheckpointStore, EventLog, Head
from events.proofs.checkpoint import origin_of
from events.proofs.history import History, Keys, Mark, StatedHeads
from events.proofs.keys import named
from events.proofs.signed_note import PublicKey
from events.proofs.statements import CHECKPOINTS, BadCheckpoint, TimeStatement


class Silence(msgspec.Struct, frozen=True):
    """No checkpoint was made between these two times (UTC microseconds), though one was due within this many seconds."""

    from_us: int
    to_us: int
    within_s: int


class EarlierSigner(msgspec.Struct, frozen=True):
    """A key that vouches for a given key, and the number of checkpoints it signed before the given key's first."""

    key: str
    checkpoints: int

    def line(self) -> str:
        """Return them in one sentence, without its period."""
        return f"{before_the_key(self.checkpoints, PublicKey.parse(self.key))}; give that key too to check with it"


def before_the_key(checkpoints: int, key: PublicKey) -> str:
    """Return which key signed this many checkpoints before the given one did."""
    many = "1 checkpoint was" if checkpoints == 1 else f"{checkpoints:,} checkpoints were"
    return f"{many} signed before the key you gave, by {named(key)}, and not checked with your key"


class Signatures(msgspec.Struct, frozen=True, kw_only=True):
    """What the checkpoints of a log prove.

    `checkpoints` and `statements` count those that are sound; `root` is the root over the statements (hex); `events` is how many
    events the last of them covers, `at_us` when it was made, and within how many seconds it promises the next (None: it
    promises none). `keys` are those that
    signed; `anchored` says that they, or keys that vouch for them, were given by the caller, and not only named by the
    log itself; `earlier` are those of the checkpoints that keys signed which vouch for a given one, before it signed any;
    `unvouched` are those of the log's later keys for which no key in force vouches; `unnamed` are given keys that the log
    does not name, with which nothing was checked.
    """

    checkpoints: int = 0
    statements: int = 0
    root: str = ""
    events: int = 0
    at_us: int | None = None
    within_s: int | None = None
    keys: tuple[str, ...] = ()
    anchored: bool = False
    earlier: tuple[EarlierSigner, ...] = ()
    unvouched: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()
    silences: tuple[Silence, ...] = ()


class CheckpointVerification(msgspec.Struct, frozen=True):
    """The verification of a log's checkpoints: their statements about each stream and its results, what these prove, and the
    faults.
    """

    stated: Mapping[str, StatedHeads]
    results: Mapping[str, Sequence[Head]]
    signed: Signatures
    errors: Sequence[IntegrityError]
    future: Sequence[AheadOfClock] = ()


def check_checkpoints(
    log: EventLog,
    store: CheckpointStore,
    *,
    anchors: Sequence[PublicKey],
    marks: Iterable[Mark],
    gap_s: int | None = None,
    now_us: int | None = None,
) -> CheckpointVerification:
    """Walk all checkpoints up to the first that cannot be trusted.

    `anchors` are the keys that the auditor was given, each of which counts by itself; none: the keys that the log names. With
    anchors, one of them, or a key for which one vouches, must have signed a checkpoint. `marks` are checkpoints that others
    remember, as a witness does. A silence is a pause longer than the checkpoint before it promises, or than `gap_s`. The first
    checkpoint of a time after `now_us` is named.
    """
    errors: list[IntegrityError] = []
    held: list[Mark] = []
    try:
        held.extend(marks)
    except IntegrityError as error:  # what should be a witness's is not
        errors.append(error)
    try:
        mark = store.acknowledged()
        held += [] if mark is None else [Mark(mark, "the high-water file of the checkpoints")]
    except IntegrityError as error:  # the high-water file of another log
        errors.append(BadCheckpoint(1, "checkpoint_lost", error.detail))
    keys, history = Keys(log, anchors), History(origin_of(log.log_id, log.property_id), held)
    checkpoints, silences, last, future = 0, list[Silence](), None, list[AheadOfClock]()
    try:
        for data in store.batches():
            before = history.ledger.time
            history.add(data, keys)
            time = history.ledger.time
            assert time is not None  # every batch ends with one
            silences += _silence(before, time, gap_s)
            checkpoints, last = checkpoints + 1, time
            if not future and now_us is not None and is_ahead(time.at_us, now_us):
                future.append(AheadOfClock(CHECKPOINTS, history.ledger.size, time.at_us))
        history.end()
        if anchors and not checkpoints:
            raise BadCheckpoint(1, "checkpoint_lost", "there is no checkpoint at all, though a key was given to check them")
        if not keys.begun and keys.before:
            signed_before = "; ".join(before_the_key(many, key) for key, many in keys.before.items())
            raise BadCheckpoint(1, "checkpoint_unchecked", f"none is signed with the key you gave: {signed_before}")
    except IntegrityError as error:
        errors.append(error)
    signed = Signatures(
        checkpoints=checkpoints,
        statements=history.last.size if history.last is not None else 0,
        root=history.last.root.hex() if history.last is not None else "",
        events=last.events if last is not None else 0,
        at_us=last.at_us if last is not None else None,
        within_s=last.within_s if last is not None else None,
        keys=tuple(map(str, keys.signers)),
        anchored=bool(anchors),
        earlier=tuple(EarlierSigner(str(key), many) for key, many in keys.before.items()),
        unvouched=tuple(map(str, keys.ring.unvouched())),
        unnamed=tuple(str(key) for key in anchors if keys.ring.of(key) is None),
        silences=tuple(silences),
    )
    return CheckpointVerification(history.stated, history.ledger.results, signed, errors, future)


def _silence(before: TimeStatement | None, now: TimeStatement, gap_s: int | None) -> list[Silence]:
    bounds = [bound for bound in (gap_s, before.within_s if before is not None else None) if bound is not None]
    if before is None or not bounds or now.at_us - before.at_us <= min(bounds) * 1_000_000:
        return []
    return [Silence(before.at_us, now.at_us, min(bounds))]
