"""The chain of an archive's manifests: read it, add to it, and find what was changed."""

import os
from hashlib import sha256
from pathlib import Path

import msgspec

from events.archive.files import MAX_SMALL_BYTES, PARTIAL, make_folder, read_small, write_new
from events.archive.manifest import ARCHIVE, HEAD, IDENTITY, LISTS, ArchiveIdentity, ManifestHead, SegmentManifest, parse, path_of
from events.errors import BrokenSeal, IntegrityError, LogUnavailable, LostTail, SequenceGap
from events.log.contract import Head
from events.log.hash_chain import genesis
from events.vocabulary.codec import canonical

UNKNOWN = ArchiveIdentity(format=1, log_id="0" * 32, property_id="unknown")
"""The identity of an archive whose `archive.json` cannot be read."""


class ManifestChain:
    """The manifests of an archive up to the first that does not continue the one before. `refresh` reads only new ones.

    `broken` is the first manifest that is not as sealed; `sealed` leaves out the manifests that it makes doubtful. Raises
    `LogUnavailable` if there is no archive.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sealed: list[SegmentManifest] = []
        self.broken: IntegrityError | None = None
        self.identity = UNKNOWN
        self._streams: dict[str, list[SegmentManifest]] = {}
        self._digests = [self._identify()]
        noted = self._noted()  # before the manifests, to which a writer may be adding
        self.refresh()
        self._look_for_gaps()
        self._compare(noted)

    @property
    def digest(self) -> str:
        """The digest of the last manifest in hex; it identifies the whole archive."""
        return self._digests[-1]

    def streams(self) -> list[str]:
        """Return the names of all streams, sorted."""
        return sorted(stream for stream in self._streams if stream not in LISTS)

    def of(self, stream: str) -> list[SegmentManifest]:
        """Return a stream's manifests in order."""
        return self._streams.get(stream, [])

    def head(self, stream: str) -> Head:
        """Return the end of a stream in the archive."""
        manifests = self.of(stream)
        return manifests[-1].end if manifests else Head(0, self.genesis(stream))

    def genesis(self, stream: str) -> bytes:
        """Return the chain hash before a stream's first event."""
        return genesis(self.identity.log_id, self.identity.property_id, stream)

    def refresh(self) -> None:
        """Read the manifests added since the last read."""
        while self.broken is None and self._read_next():
            pass

    def add(self, manifest: SegmentManifest) -> None:
        """Write the next manifest durably, which seals its segment."""
        data = canonical(msgspec.structs.asdict(manifest))
        if len(data) > MAX_SMALL_BYTES:
            raise ValueError(f"{manifest.named} has {len(data)} bytes; the limit is {MAX_SMALL_BYTES}")
        write_new(path_of(self.folder, manifest.number), data)
        self._take(manifest, data)

    def note(self) -> None:
        """Write the number of manifests durably."""
        noted = ManifestHead(manifests=len(self.sealed), sha256=self.digest)
        write_new(self.folder / HEAD, canonical(msgspec.structs.asdict(noted)))

    def _identify(self) -> str:
        """Read the log's identity; return its digest."""
        written = b""
        try:
            written = read_small(self.folder / IDENTITY)
            self.identity = parse(written, ArchiveIdentity)
        except FileNotFoundError:
            if not (self.folder / "manifests").is_dir():
                raise LogUnavailable(f"there is no archive at {self.folder} (it has no {IDENTITY})") from None
            self.broken = BrokenSeal(ARCHIVE, 1, f"{IDENTITY}, which names the log of this archive, is missing")
        except (ValueError, OSError) as error:
            self.broken = BrokenSeal(ARCHIVE, 1, f"{IDENTITY}, which names the log of this archive, cannot be read: {error}")
        return sha256(written).hexdigest()

    def _read_next(self) -> bool:
        number = len(self.sealed) + 1
        try:
            data = read_small(path_of(self.folder, number))
            manifest = parse(data, SegmentManifest)
        except FileNotFoundError:
            return False
        except (ValueError, OSError) as error:
            self._break(number, f"manifest {number} cannot be read: {error}")
            return False
        if manifest.number != number:
            self._break(number, f"the file of manifest {number} holds {manifest.named}")
            return False
        if manifest.previous_manifest != self.digest:
            before = self.sealed[-1].named if number > 1 else IDENTITY
            wrong = max(1, number - 1) if self._is_vouched_for(number, data) else number
            self._break(wrong, f"{manifest.named} does not continue {before}: one of them was changed")
            return False
        if (manifest.log_id, manifest.property_id) != (self.identity.log_id, self.identity.property_id):
            self._break(number, f"{manifest.named} is of the log {manifest.log_id}, not {self.identity.log_id}")
            return False
        head = self.head(manifest.stream)
        continues = (manifest.first_seq, manifest.start) == (head.seq + 1, head.hash)
        if not continues and not self._is_vouched_for(number, data):
            self._break(
                number, f"manifest {number} was changed: its digest is not the one that the next manifest or the head names"
            )
            return False
        if manifest.first_seq != head.seq + 1:
            self.broken = SequenceGap(manifest.stream, head.seq + 1, manifest.first_seq)
            return False
        if manifest.start != head.hash:
            self.broken = BrokenSeal(manifest.stream, manifest.first_seq, "the segment does not continue the one before")
            return False
        self._take(manifest, data)
        return True

    def _is_vouched_for(self, number: int, data: bytes) -> bool:
        """Whether a later manifest or the head names this manifest's digest: then it is as sealed."""
        digest = sha256(data).hexdigest()
        noted = self._noted()
        try:
            return parse(read_small(path_of(self.folder, number + 1)), SegmentManifest).previous_manifest == digest
        except FileNotFoundError:
            return isinstance(noted, ManifestHead) and noted.sha256 == digest
        except (ValueError, OSError):
            return False

    def _take(self, manifest: SegmentManifest, data: bytes) -> None:
        self.sealed.append(manifest)
        self._digests.append(sha256(data).hexdigest())
        self._streams.setdefault(manifest.stream, []).append(manifest)

    def _break(self, number: int, message: str) -> None:
        """Record what is wrong at a manifest, and drop that one and all later ones."""
        self.broken = BrokenSeal(ARCHIVE, number, message)
        while len(self.sealed) >= number:
            manifest = self.sealed.pop()
            self._digests.pop()
            self._streams[manifest.stream].pop()
            if not self._streams[manifest.stream]:
                del self._streams[manifest.stream]

    def _noted(self) -> ManifestHead | str:
        """Return the content of `head.json`, or why it cannot be read."""
        try:
            return parse(read_small(self.folder / HEAD), ManifestHead)
        except FileNotFoundError:
            return f"{HEAD}, which states the number of manifests, is missing"
        except (ValueError, OSError) as error:
            return f"{HEAD}, which states the number of manifests, cannot be read: {error}"

    def _compare(self, noted: ManifestHead | str) -> None:
        if self.broken is not None:
            return
        if isinstance(noted, str):
            self.broken = BrokenSeal(ARCHIVE, len(self.sealed) + 1, noted)
        elif noted.manifests > len(self.sealed):
            message = f"{noted.manifests} manifests were sealed, {len(self.sealed)} were found"
            self.broken = LostTail(ARCHIVE, len(self.sealed) + 1, message)
        elif noted.sha256 != self._digests[noted.manifests]:
            number = max(1, noted.manifests)
            what = self.sealed[number - 1].named if noted.manifests else IDENTITY
            self._break(number, f"{what} is not the one that {HEAD} names: one of them was changed")

    def _look_for_gaps(self) -> None:
        """Find a missing manifest before others; otherwise the gap would look like the end of the archive."""
        known = len(self.sealed)
        later = [number for number in map(_number, _names(self.folder)) if number > known]
        if self.broken is None and later and not path_of(self.folder, known + 1).exists():
            self.broken = SequenceGap(ARCHIVE, known + 1, min(later))


def create(folder: Path, log_id: str, property_id: str) -> None:
    """Make an empty archive, or finish one that another run began. The folder must exist."""
    identity = canonical({"format": 1, "log_id": log_id, "property_id": property_id})
    if not (folder / IDENTITY).exists():
        if any(path.name not in ("archive.lock", IDENTITY + PARTIAL) for path in folder.iterdir()):
            raise LogUnavailable(f"{folder} is not an archive and not empty; name another folder")
        write_new(folder / IDENTITY, identity)
    make_folder(folder / "manifests")
    if not (folder / HEAD).exists() and not _names(folder):
        noted = ManifestHead(manifests=0, sha256=sha256(read_small(folder / IDENTITY)).hexdigest())
        write_new(folder / HEAD, canonical(msgspec.structs.asdict(noted)))


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder / "manifests")
    except OSError:
        return []


def _number(name: str) -> int:
    stem, dot, ending = name.partition(".")
    return int(stem) if (dot, ending) == (".", "json") and stem.isascii() and stem.isdigit() else 0
