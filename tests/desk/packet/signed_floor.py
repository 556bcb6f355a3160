"""A small floor whose log is signed: a property, a table with rounds, a meter perhaps, and the key in a file."""

from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from desk.packet import Packet, make_packet
from events.log.contract import EventLog
from events.open import open_checkpoints, open_log
from events.proofs.checkpoint import origin_of
from events.proofs.checkpointer import Checkpointer
from events.proofs.keys import FileSigner, new_key
from events.proofs.signed_note import KeyKind, PublicKey
from events.proofs.signing_memory import SigningMemory
from events.sqlite.log import SqliteLog
from events.vocabulary.model import KeyPublished, PropertyConfigured
from tests.replay.tables import LOG_ID, PAID, PROPERTY, SECOND_US, START_US, UNPAID, Table, append

NOW_US = START_US + 86_400 * SECOND_US
ORIGIN = origin_of(LOG_ID, PROPERTY)


class Floor(NamedTuple):
    """Where the log and its key are."""

    address: str
    key: Path
    signer: FileSigner

    @property
    def public(self) -> PublicKey:
        return self.signer.public_key

    def log(self) -> EventLog:
        return open_log(self.address, read_only=True)

    def checkpoint(self) -> None:
        with closing(self.log()) as log, closing(open_checkpoints(self.address, log_id=log.log_id)) as store:
            memory = SigningMemory(self.key, log.log_id)
            checkpointer = Checkpointer(log, store, self.signer, memory, clock=lambda: NOW_US)
            checkpointer.read()
            checkpointer.sign()

    def packet(self, round_no: int = 6, seat: int | None = None, table: str = "fu-01") -> Packet:
        """Make a packet as of the newest checkpoint; always at the same time."""
        with closing(self.log()) as log, closing(open_checkpoints(self.address, log_id=log.log_id, read_only=True)) as store:
            return make_packet(log, table, round_no, seat, checkpoints=store, signer=self.signer, clock=lambda: NOW_US)

    def append(self, table: Table, behind: int) -> None:
        """Append what a table said beyond this many events."""
        with closing(open_log(self.address)) as log:
            append(log, table, after={table.stream: behind})


def floor_at(folder: Path, *tables: Table) -> Floor:
    """Make a log of these tables, with a property and a key that is published there, and a checkpoint over all."""
    signer = new_key(folder / "log.key", ORIGIN, KeyKind.LOG)
    office = Table("property/main")
    office.say(PropertyConfigured(currency="USD", gaming_day_cutover="06:00", name="Bellwether", time_zone="America/New_York"))
    office.say(KeyPublished(by="custodian", public_key=str(signer.public_key), vouch=None))
    ticks = iter(range(START_US, NOW_US, SECOND_US))
    log = SqliteLog(folder / "floor.db", property_id=PROPERTY, log_id=LOG_ID, create=True, clock=lambda: next(ticks))
    with closing(log):
        append(log, office, *tables)
    floor = Floor(f"sqlite://{folder}/floor.db", folder / "log.key", signer)
    floor.checkpoint()
    return floor


def played(rounds: int = 8) -> Table:
    """A table at which seat 3 was not paid in round 6."""
    table = Table()
    for number in range(1, rounds + 1):
        table.play(number, UNPAID if number == 6 else PAID)
    return table
