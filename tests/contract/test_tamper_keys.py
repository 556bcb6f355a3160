"""The table of tampering, with keys: keys of strangers, retired keys, and the operator's own key, which a witness meets.

As in `test_tamper_checkpoints.py`, whoever does it rules over the storage, high-water files included.
"""

import contextlib
from collections.abc import Callable
from pathlib import Path

import pytest

from events.errors import IntegrityError
from events.proofs.checkpointer import Checkpointer
from events.proofs.keys import PROPERTY_STREAM, FileSigner, new_key, read_signer, vouch_for
from events.proofs.signed_note import KeyKind
from events.proofs.signing_memory import SigningMemory
from events.proofs.statements import CHECKPOINTS, read_statement
from events.proofs.verify_checkpoints import EarlierSigner
from events.proofs.witness import Witness, WitnessFolder
from events.sqlite.checkpoints import SqliteCheckpoints
from events.sqlite.log import SqliteLog
from events.vocabulary.codec import canonical, encode
from events.vocabulary.envelope import Envelope
from events.vocabulary.model import Event, KeyPublished, KeyRetired
from tests.contract.backends import PROPERTY
from tests.contract.drafts import DAY, TABLE, Drafts
from tests.contract.gardens import Garden, named, walk
from tests.contract.sealed import LOG_ID, ORIGIN, OTHER, Clock, Contents, Honest, head_of, publish, rewrite_an_event, signed


@pytest.fixture
def stranger(tmp_path: Path) -> FileSigner:
    """A key of the log's name that the log never published."""
    return new_key(tmp_path / "stranger", ORIGIN, KeyKind.LOG)


# What is done with keys.


def test_a_key_that_was_never_published_does_not_sign(
    garden: Garden, contents: Contents, stranger: FileSigner, tmp_path: Path
) -> None:
    contents.resign(stranger, from_number=3)
    report = walk(garden, tmp_path, contents)
    assert named(report) == (CHECKPOINTS, 8, "checkpoint_forged")
    assert report.first_break is not None
    assert "property/main names no such key" in report.first_break.message


def test_history_rewritten_with_another_key_is_named(
    garden: Garden, contents: Contents, stranger: FileSigner, tmp_path: Path
) -> None:
    rewrite_an_event(contents)
    contents.resign(stranger)
    assert named(walk(garden, tmp_path, contents)) == (CHECKPOINTS, 1, "checkpoint_forged")


def test_the_keys_event_removed_is_named(garden: Garden, contents: Contents, honest: Honest, tmp_path: Path) -> None:
    """A log that does not name the key has no checkpoint that counts, and says so; it does not pass for one without any."""
    del contents.events[PROPERTY_STREAM][1:]
    for place, anchors in enumerate(([], [honest.signer.public_key])):
        report = walk(garden, tmp_path / str(place), contents, anchors=anchors)
        assert named(report) == (CHECKPOINTS, 1, "checkpoint_forged")
        assert report.signed is not None
        assert report.signed.checkpoints == 0


def test_the_keys_event_replaced_by_that_of_another_is_named(
    garden: Garden, contents: Contents, honest: Honest, stranger: FileSigner, tmp_path: Path
) -> None:
    """Even if all is signed again: the auditor was given the key."""
    old, new = str(honest.signer.public_key).encode(), str(stranger.public_key).encode()
    contents.edit(PROPERTY_STREAM, 2, old, new)
    contents.rechain(PROPERTY_STREAM)
    contents.resign(stranger)
    assert walk(garden, tmp_path, contents).ok, "without a key from outside a log is only what it says it is"
    report = walk(garden, tmp_path / "again", contents, anchors=[honest.signer.public_key])
    assert named(report) == (CHECKPOINTS, 1, "checkpoint_forged")


def extended(contents: Contents, *payloads: Event) -> None:
    """Append events to the property's stream, as a writer would."""
    datas = [event.data for event in contents.events[PROPERTY_STREAM]]
    for payload in payloads:
        seq = len(datas) + 1
        datas.append(
            encode(
                Envelope(
                    log_id=LOG_ID,
                    property_id=PROPERTY,
                    stream=PROPERTY_STREAM,
                    seq=seq,
                    event_id=f"{seq:032x}",
                    source="keys",
                    source_seq=seq,
                    occurred_at_us=1,
                    recorded_at_us=1_800_000_000_000_000,
                    gaming_day=DAY,
                    round_no=None,
                    type=payload.TYPE,
                    version=payload.VERSION,
                    payload=payload,
                )
            )
        )
    contents.rechain(PROPERTY_STREAM, *datas)


def next_checkpoint(contents: Contents, signer: FileSigner) -> None:
    """Add a checkpoint that covers the property's stream as it is."""
    leaves = [line for number in range(len(contents.batches)) for line in contents.lines(number)]
    head = head_of(PROPERTY_STREAM, [event.data for event in contents.events[PROPERTY_STREAM]])
    heads = {read.stream: read.size for read in map(read_statement, leaves) if read.statement == "head"}
    covered = sum((heads | {PROPERTY_STREAM: head.size}).values())
    time = b'{"at_us":1800000000000000,"events":%d,"statement":"time","within_s":null}' % covered
    lines = [canonical(head), time]
    contents.batches.append(signed(lines, [*leaves, *lines], signer))


@pytest.mark.parametrize("retire", [False, True])
def test_a_retired_key_signs_no_more(
    garden: Garden, contents: Contents, honest: Honest, stranger: FileSigner, retire: bool, tmp_path: Path
) -> None:
    old, new = honest.signer, stranger
    published = KeyPublished(by="chief", public_key=str(new.public_key), vouch=vouch_for(new.public_key, old))
    retired = KeyRetired(by="chief", public_key=str(old.public_key), reason="yearly")
    extended(contents, published, *([retired] if retire else []))
    next_checkpoint(contents, old)
    report = walk(garden, tmp_path, contents)
    assert report.ok is not retire
    if retire:
        assert named(report) == (CHECKPOINTS, 10, "checkpoint_forged")
        assert report.first_break is not None
        assert "retired that key with event 4" in report.first_break.message


def test_a_key_signs_nothing_before_its_publication(
    garden: Garden, contents: Contents, honest: Honest, stranger: FileSigner, tmp_path: Path
) -> None:
    vouch = vouch_for(stranger.public_key, honest.signer)
    extended(contents, KeyPublished(by="chief", public_key=str(stranger.public_key), vouch=vouch))
    contents.resign(stranger, from_number=3)
    report = walk(garden, tmp_path, contents)
    assert named(report) == (CHECKPOINTS, 8, "checkpoint_forged")
    assert report.first_break is not None
    assert "published that key only with event 3" in report.first_break.message


def test_an_administrator_without_the_key_who_brings_a_key_of_his_own(
    garden: Garden, contents: Contents, honest: Honest, stranger: FileSigner, tmp_path: Path
) -> None:
    """Nothing of before can be changed; what comes after is trusted only by those who were given the new key."""
    old = honest.signer.public_key
    extended(
        contents,
        KeyPublished(by="chief", public_key=str(stranger.public_key), vouch=None),
        KeyRetired(by="chief", public_key=str(old), reason="lost"),
    )
    next_checkpoint(contents, stranger)
    for place, anchors in enumerate(([], [old], [old, stranger.public_key])):
        report = walk(garden, tmp_path / str(place), contents, anchors=anchors)
        assert report.signed is not None
        assert report.signed.unvouched == (str(stranger.public_key),)
        assert report.ok is (anchors != [old])


def retirement(signer: FileSigner) -> KeyRetired:
    return KeyRetired(by="chief", public_key=str(signer.public_key), reason="yearly")


def publication(signer: FileSigner, by: FileSigner) -> KeyPublished:
    return KeyPublished(by="chief", public_key=str(signer.public_key), vouch=vouch_for(signer.public_key, by))


@pytest.mark.parametrize("late", [False, True], ids=["at the event before", "at the event after"])
def test_a_vouch_counts_before_the_retirement_and_not_after(
    garden: Garden, contents: Contents, honest: Honest, stranger: FileSigner, late: bool, tmp_path: Path
) -> None:
    """D447: event 3 and 4 are the publication of the new key and the retirement of the old one, in either order."""
    said = [publication(stranger, honest.signer), retirement(honest.signer)]
    extended(contents, *(reversed(said) if late else said))
    next_checkpoint(contents, stranger)
    for place, anchors in enumerate(([], [honest.signer.public_key])):
        report = walk(garden, tmp_path / str(place), contents, anchors=anchors)
        assert report.ok is not late
        if late:
            assert named(report) == (PROPERTY_STREAM, 4, "vouch")
            assert report.first_break is not None
            assert "event 3 had retired the key" in report.first_break.message
            assert report.signed is not None
            assert report.signed.checkpoints == (4 if anchors else 5), "by the old key nothing after it counts"


@pytest.mark.parametrize(("by", "words"), [("itself", "vouches for itself"), ("unknown", "no event before it publishes")])
def test_a_vouch_by_a_key_that_may_not_is_named(
    garden: Garden, contents: Contents, honest: Honest, stranger: FileSigner, by: str, words: str, tmp_path: Path
) -> None:
    unknown = new_key(tmp_path / "unknown", ORIGIN, KeyKind.LOG)
    extended(contents, publication(stranger, stranger if by == "itself" else unknown), retirement(honest.signer))
    next_checkpoint(contents, stranger)
    for place, anchors in enumerate(([], [honest.signer.public_key], [unknown.public_key, stranger.public_key])):
        report = walk(garden, tmp_path / str(place), contents, anchors=anchors)
        assert named(report) == (PROPERTY_STREAM, 3, "vouch")
        assert report.first_break is not None
        assert words in report.first_break.message


def test_the_holder_of_the_new_key_alone(
    garden: Garden, contents: Contents, honest: Honest, stranger: FileSigner, tmp_path: Path
) -> None:
    """D448: what the old key signed is neither forged nor checked; what is forged is still found."""
    old, new = honest.signer, stranger
    extended(contents, publication(new, old), retirement(old))
    report = walk(garden, tmp_path / "nothing signed", contents, anchors=[new.public_key])
    assert named(report) == (CHECKPOINTS, 1, "checkpoint_unchecked")
    next_checkpoint(contents, new)
    report = walk(garden, tmp_path / "signed", contents, anchors=[new.public_key])
    assert report.ok
    assert report.signed is not None
    assert report.signed.earlier == (EarlierSigner(str(old.public_key), 4),)
    assert (report.signed.checkpoints, report.signed.keys) == (5, (str(new.public_key),))
    forged = contents.copy()
    extended(forged, KeyPublished(by="chief", public_key=str(new.public_key), vouch=None))
    next_checkpoint(forged, old)
    report = walk(garden, tmp_path / "by the retired key", forged, anchors=[new.public_key])
    assert named(report) == (CHECKPOINTS, 12, "checkpoint_forged")
    contents.resign(new_key(tmp_path / "unknown", ORIGIN, KeyKind.LOG), from_number=3)
    report = walk(garden, tmp_path / "by a stranger", contents, anchors=[new.public_key])
    assert named(report) == (CHECKPOINTS, 8, "checkpoint_forged")


def test_an_earlier_key_signs_no_more_for_the_holder_of_a_later_one_once_that_has_begun(
    garden: Garden, contents: Contents, honest: Honest, stranger: FileSigner, tmp_path: Path
) -> None:
    """Both are in force: up to the first checkpoint of the later key the earlier one may sign, also past its publication."""
    old, new = honest.signer, stranger
    extended(contents, publication(new, old))
    next_checkpoint(contents, old)
    extended(contents, KeyPublished(by="chief", public_key=str(old.public_key), vouch=None))
    next_checkpoint(contents, new)
    report = walk(garden, tmp_path / "begun", contents, anchors=[new.public_key])
    assert report.ok
    extended(contents, KeyPublished(by="chief", public_key=str(old.public_key), vouch=None))
    next_checkpoint(contents, old)
    assert walk(garden, tmp_path / "old", contents, anchors=[old.public_key]).ok
    report = walk(garden, tmp_path / "after", contents, anchors=[new.public_key])
    assert named(report) == (CHECKPOINTS, 14, "checkpoint_forged")
    assert report.first_break is not None
    assert "had begun to sign before" in report.first_break.message


def test_a_witness_with_the_new_key_alone_cosigns_from_its_first_checkpoint_on(
    garden: Garden, contents: Contents, honest: Honest, stranger: FileSigner, tmp_path: Path
) -> None:
    signer = new_key(tmp_path / "w", "north", KeyKind.WITNESS)
    folder = WitnessFolder(tmp_path / "north", signer.public_key)
    extended(contents, publication(stranger, honest.signer), retirement(honest.signer))
    for place, cosigned in enumerate((False, True)):
        with garden.plant(tmp_path / str(place), contents) as (log, store):
            witness = Witness(log, store, signer, folder, anchors=[stranger.public_key], clock=Clock())
            assert (witness.look() is not None) is cosigned
        next_checkpoint(contents, stranger)
    assert folder.refused() == []


def test_a_witness_that_saw_the_new_key_sign_refuses_the_earlier_one_in_its_next_look(tmp_path: Path) -> None:
    drafts, clock = Drafts(), Clock()
    old, new = (new_key(tmp_path / name, ORIGIN, KeyKind.LOG) for name in ("old", "new"))
    signer = new_key(tmp_path / "w", "north", KeyKind.WITNESS)
    folder, path = WitnessFolder(tmp_path / "north", signer.public_key), tmp_path / "floor.db"
    with (
        contextlib.closing(SqliteLog(path, property_id=PROPERTY, create=True, log_id=LOG_ID)) as log,
        contextlib.closing(SqliteCheckpoints(f"{path}.checkpoints", log_id=LOG_ID)) as store,
    ):

        def sign(key: FileSigner, name: str) -> None:
            made = Checkpointer(log, store, key, SigningMemory(tmp_path / name, LOG_ID), clock=clock)
            made.read()
            made.sign()

        publish(log, drafts, old)
        publish(log, drafts, new, vouch_for(new.public_key, old))
        witness = Witness(log, store, signer, folder, anchors=[new.public_key], clock=clock)
        sign(old, "old")
        assert witness.look() is None, "signed before the key that the witness was given"
        sign(new, "new")
        assert witness.look() is not None
        assert witness.look() is None, "nothing new"
        sign(old, "old")
        with pytest.raises(IntegrityError, match="had begun to sign before"):
            witness.look()


def test_all_checkpoints_removed_is_named_where_a_key_was_given(
    garden: Garden, contents: Contents, honest: Honest, tmp_path: Path
) -> None:
    """A log that is not signed is no break by itself: it says how many checkpoints it has. To the auditor with a key it is."""
    contents.batches.clear()
    report = walk(garden, tmp_path / "without", contents)
    assert report.ok
    assert report.signed is not None
    assert report.signed.checkpoints == 0
    report = walk(garden, tmp_path / "with", contents, anchors=[honest.signer.public_key])
    assert named(report) == (CHECKPOINTS, 1, "checkpoint_lost")


# What is done with the operator's own key: only who saw the first story can tell.


@pytest.fixture
def watched(garden: Garden, honest: Honest, tmp_path: Path) -> WitnessFolder:
    """The folder of a witness that cosigned the honest log."""
    signer = new_key(tmp_path / "w", "north", KeyKind.WITNESS)
    folder = WitnessFolder(tmp_path / "north", signer.public_key)
    with garden.plant(tmp_path / "first", honest.contents) as (log, store):
        assert Witness(log, store, signer, folder, clock=Clock()).look() is not None
    return folder


def refused_by_the_witness(garden: Garden, folder: WitnessFolder, path: Path, contents: Contents) -> IntegrityError:
    signer = read_signer(folder.path.with_name("w"))
    with garden.plant(path, contents) as (log, store), pytest.raises(IntegrityError) as refused:
        Witness(log, store, signer, folder, clock=Clock()).look()
    assert len(list(folder.path.glob("*.note"))) == 1, "nothing was cosigned"
    return refused.value


def rewrite_with_the_key(contents: Contents, signer: FileSigner) -> None:
    rewrite_an_event(contents)
    contents.resign(signer)


def rewrite_with_the_key_and_go_on(contents: Contents, signer: FileSigner) -> None:
    rewrite_an_event(contents)
    contents.resign(signer)
    next_one = KeyPublished(by="chief", public_key=str(signer.public_key), vouch=None)
    extended(contents, next_one)
    next_checkpoint(contents, signer)


def remove_the_last_checkpoints(contents: Contents, signer: FileSigner) -> None:
    del contents.batches[2:]


def remove_all_checkpoints(contents: Contents, signer: FileSigner) -> None:
    del contents.batches[:]


def cut_events_and_checkpoints(contents: Contents, signer: FileSigner) -> None:
    del contents.batches[1:]
    del contents.events[TABLE][7:]
    del contents.events[OTHER]


def leave_out_a_checkpoint(contents: Contents, signer: FileSigner) -> None:
    """The second is made as if the idle third had never been."""
    del contents.batches[2]
    contents.resign(signer)


@pytest.mark.sampled(6, of="kafka")
@pytest.mark.parametrize(
    ("do", "seq", "kind"),
    [
        (rewrite_with_the_key, 9, "checkpoint_fork"),
        (rewrite_with_the_key_and_go_on, 9, "checkpoint_fork"),
        (remove_the_last_checkpoints, 7, "checkpoint_lost"),
        (remove_all_checkpoints, 1, "checkpoint_lost"),
        (cut_events_and_checkpoints, 4, "checkpoint_lost"),
        (leave_out_a_checkpoint, 9, "checkpoint_lost"),
    ],
)
def test_what_the_operator_rewrites_with_the_key_is_named_by_the_witness(
    garden: Garden,
    contents: Contents,
    honest: Honest,
    watched: WitnessFolder,
    do: Callable[..., None],
    seq: int,
    kind: str,
    tmp_path: Path,
) -> None:
    do(contents, honest.signer)
    assert walk(garden, tmp_path / "alone", contents).ok, "the log alone does not show it"
    report = walk(garden, tmp_path / "marked", contents, marks=watched.marks(ORIGIN))
    assert named(report) == (CHECKPOINTS, seq, kind)
    error = refused_by_the_witness(garden, watched, tmp_path / "second", contents)
    assert (error.stream, error.seq) == (CHECKPOINTS, seq)


def cut_events(contents: Contents) -> None:
    del contents.events[TABLE][10:]


@pytest.mark.parametrize(("do", "seq"), [(rewrite_an_event, 1), (cut_events, 11)])
def test_what_was_cosigned_stays_when_events_are_rewritten(
    garden: Garden, contents: Contents, watched: WitnessFolder, do: Callable[[Contents], None], seq: int, tmp_path: Path
) -> None:
    """Without the key: the checkpoints stand, the events do not bear them out, and the witness looks for itself."""
    do(contents)
    error = refused_by_the_witness(garden, watched, tmp_path / "second", contents)
    assert (error.stream, error.seq) == (TABLE, seq)
