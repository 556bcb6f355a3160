"""Keys that vouch or sign though they are not in force: in the property's stream and among the checkpoints, rightly chained.

Whoever does it rules over the storage, and holds a key that was retired, or none that the log ever named.
"""

import functools
import random
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from events.proofs.keys import PROPERTY_STREAM, FileSigner, new_key, vouch_for
from events.proofs.signed_note import KeyKind, PublicKey
from events.proofs.statements import CHECKPOINTS
from events.proofs.verify import VerificationReport, verify
from events.vocabulary.model import Event, KeyPublished, KeyRetired
from tests.contract.gardens import Garden, KafkaGarden, SqliteGarden
from tests.contract.sealed import ORIGIN, Contents, Honest, build
from tests.contract.test_tamper_keys import extended, next_checkpoint
from tests.faults.table import demand, fault

HELD = "the event is named with what is wrong; followed from no key, and the same vouch in time is whole"


class Actors(NamedTuple):
    """The log's first key, which is retired, the one that comes after it, and one that the log never names."""

    old: FileSigner
    new: FileSigner
    unknown: FileSigner


@functools.cache
def _honest() -> tuple[Honest, Actors]:
    folder = Path(tempfile.mkdtemp(prefix="rack-keys-"))
    honest = build(folder)
    new, unknown = (new_key(folder / name, ORIGIN, KeyKind.LOG) for name in ("new", "unknown"))
    return honest, Actors(honest.signer, new, unknown)


def _published(key: FileSigner, by: FileSigner) -> Event:
    return KeyPublished(by="chief", public_key=str(key.public_key), vouch=vouch_for(key.public_key, by))


def _retired(key: FileSigner) -> Event:
    return KeyRetired(by="chief", public_key=str(key.public_key), reason="yearly")


def _anchors(actors: Actors) -> Iterator[list[PublicKey]]:
    """Yield what an auditor may hold: nothing, the old key, the new one, both in either order."""
    old, new = actors.old.public_key, actors.new.public_key
    yield from ([], [old], [new], [old, new], [new, old])


Voucher = Callable[[Actors], FileSigner]
VOUCHERS: dict[str, tuple[Voucher, str]] = {
    "retired": (lambda actors: actors.old, "had retired the key"),
    "itself": (lambda actors: actors.new, "the key vouches for itself"),
    "unknown": (lambda actors: actors.unknown, "no event before it publishes the key"),
}


def _vouch(garden: Garden, folder: Path, kind: str, rng: random.Random) -> None:
    """Publish a key with such a vouch, after other events of the property, and sign with it; then the same in time."""
    honest, actors = _honest()
    voucher, words = VOUCHERS[kind]
    contents = honest.contents.copy()
    for _ in range(rng.randint(0, 2)):
        extended(contents, KeyPublished(by="chief", public_key=str(actors.old.public_key), vouch=None))
    sound = contents.copy()
    said = [_retired(actors.old), _published(actors.new, voucher(actors))]
    extended(contents, *(said if kind == "retired" or rng.random() < 0.5 else reversed(said)))
    at = 1 + next(n for n, each in enumerate(contents.events[PROPERTY_STREAM]) if _names(each.data, actors.new))
    next_checkpoint(contents, actors.new)
    for anchors, report in _reports(garden, folder / "bad", contents, _anchors(actors)):
        found = [each for each in report.breaks if (each.stream, each.seq) == (PROPERTY_STREAM, at)]
        demand(len(found) == 1, f"{kind}: event {at} is not named with {len(anchors)} keys: {report.breaks}")
        demand(words in found[0].message, f"{kind}: said was {found[0].message}")
        followed = any(each.stream == CHECKPOINTS for each in report.breaks)
        demand(followed == (len(anchors) == 1), f"{kind}: the vouch is followed from {anchors}")
    extended(sound, _published(actors.new, actors.old), _retired(actors.old))
    next_checkpoint(sound, actors.new)
    for _, report in _reports(garden, folder / "sound", sound, _anchors(actors)):
        demand(report.ok, f"a vouch in time is called broken: {report.breaks}")


def _names(data: bytes, key: FileSigner) -> bool:
    return str(key.public_key).encode() in data


def _reports(
    garden: Garden, folder: Path, contents: Contents, held: Iterable[list[PublicKey]]
) -> Iterator[tuple[list[PublicKey], VerificationReport]]:
    """Yield what each auditor's keys come to on the same storage."""
    folder.mkdir(parents=True)
    with garden.plant(folder, contents) as (log, store):
        for anchors in held:
            yield anchors, verify(log, checkpoints=store, anchors=anchors)


def _forged_checkpoint(garden: Garden, folder: Path, rng: random.Random) -> None:
    """The retired key signs after its retirement: at the end, or in the new key's place."""
    _, actors = _honest()
    contents = _rotated(actors)
    if rng.random() < 0.5:
        next_checkpoint(contents, actors.new)
        extended(contents, KeyPublished(by="chief", public_key=str(actors.new.public_key), vouch=None))
    first = 1 + sum(len(contents.lines(number)) for number in range(len(contents.batches)))
    next_checkpoint(contents, actors.old)
    for anchors, report in _reports(garden, folder, contents, _anchors(actors)):
        found = [(each.stream, each.seq, each.kind) for each in report.breaks]
        demand((CHECKPOINTS, first, "checkpoint_forged") in found, f"with {len(anchors)} keys, found was {found}")


def _new_key_alone(garden: Garden, folder: Path, rng: random.Random) -> None:
    """A sound log, checked with the new key alone: before it signed anything, and after."""
    _, actors = _honest()
    contents = _rotated(actors)
    earlier = len(contents.batches)
    anchors = [actors.new.public_key]
    ((_, report),) = _reports(garden, folder / "unsigned", contents, [anchors])
    demand([each.kind for each in report.breaks] == ["checkpoint_unchecked"], f"found was {report.breaks}")
    named = f"signed before the key you gave, by {ORIGIN} ({actors.old.public_key.id.hex()})"
    demand(named in report.breaks[0].message, f"said was {report.breaks[0].message}")
    for _ in range(rng.randint(1, 3)):
        extended(contents, KeyPublished(by="chief", public_key=str(actors.new.public_key), vouch=None))
        next_checkpoint(contents, actors.new)
    ((_, report),) = _reports(garden, folder / "signed", contents, [anchors])
    demand(report.ok, f"a sound log is called broken: {report.breaks}")
    counted = [(each.key, each.checkpoints) for each in (report.signed.earlier if report.signed is not None else ())]
    demand(counted == [(str(actors.old.public_key), earlier)], f"not checked are {counted}")


def _rotated(actors: Actors) -> Contents:
    contents = _honest()[0].contents.copy()
    extended(contents, _published(actors.new, actors.old), _retired(actors.old))
    return contents


def _on_sqlite(folder: Path, times: int, attempt: Callable[[Garden, Path, random.Random], None]) -> int:
    with closing(SqliteGarden()) as garden:
        for turn in range(times):
            attempt(garden, folder / str(turn), random.Random(turn))
    return times


@fault(
    "keys",
    "a retired key vouches for a new one",
    how="its vouch is published after its retirement, the chain right, and the new key signs",
    held=HELD,
    quick=1,
    often=20,
)
def retired(folder: Path, times: int) -> int:
    return _on_sqlite(folder, times, lambda garden, place, rng: _vouch(garden, place, "retired", rng))


@fault(
    "keys",
    "a key vouches for itself",
    how="a new key is published with its own vouch, before or after the old one's retirement, and signs",
    held=HELD,
    quick=1,
    often=20,
)
def itself(folder: Path, times: int) -> int:
    return _on_sqlite(folder, times, lambda garden, place, rng: _vouch(garden, place, "itself", rng))


@fault(
    "keys",
    "an unknown key vouches for a new one",
    how="the vouch is by a key that the log never names",
    held=HELD,
    quick=1,
    often=20,
)
def unknown(folder: Path, times: int) -> int:
    return _on_sqlite(folder, times, lambda garden, place, rng: _vouch(garden, place, "unknown", rng))


@fault(
    "keys",
    "a checkpoint by a retired key",
    how="it signs after its retirement, at the end or in the new key's place",
    held="named as forged, whichever key the auditor holds",
    quick=2,
    often=20,
)
def retired_signer(folder: Path, times: int) -> int:
    return _on_sqlite(folder, times, _forged_checkpoint)


@fault(
    "keys",
    "a sound log checked with the new key alone",
    how="a rotation, then no checkpoint or up to three of the new key",
    held="not called forged; the earlier key is named, its checkpoints counted as not checked; not whole until the new one signs",
    quick=1,
    often=20,
)
def new_key_alone(folder: Path, times: int) -> int:
    return _on_sqlite(folder, times, _new_key_alone)


@fault(
    "keys",
    "all of these keys, on Kafka",
    how="each of the above by turns, on a real broker",
    held=HELD,
    quick=1,
    often=4,
    kafka=True,
)
def on_kafka(folder: Path, times: int) -> int:
    done = 0
    with warnings.catch_warnings(), closing(KafkaGarden()) as garden:
        warnings.simplefilter("ignore", ResourceWarning)  # what the client's connections leave behind, as in tests/conftest.py
        for turn in range(times):
            rng = random.Random(turn)
            for kind in VOUCHERS:
                _vouch(garden, folder / f"{turn}-{kind}", kind, rng)
            _forged_checkpoint(garden, folder / f"{turn}-forged", rng)
            _new_key_alone(garden, folder / f"{turn}-alone", rng)
            done += len(VOUCHERS) + 2
    return done
