"""The log of a simulated day, in memory."""

from collections.abc import Iterable, Sequence

from events.log.contract import Record
from events.vocabulary.envelope import Draft
from tests.replay.tables import MemoryLog, records_of_drafts


class SimulatedLog(MemoryLog):
    """The log of a simulated day, in memory."""

    def __init__(self, groups: Iterable[tuple[str, Sequence[Draft]]]) -> None:
        super().__init__([])
        streams: dict[str, list[Draft]] = {}
        for stream, drafts in groups:
            streams.setdefault(stream, []).extend(drafts)
        self.records: dict[str, list[Record]] = {
            stream: records_of_drafts(stream, without_repeats(drafts)) for stream, drafts in streams.items()
        }
        self.all = [record for records in self.records.values() for record in records]


def without_repeats(drafts: Sequence[Draft]) -> list[Draft]:
    """What a log keeps: messages that a device sent twice are dropped."""
    return list({draft.event_id: draft for draft in drafts}.values())
