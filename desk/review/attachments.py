"""The attachments of all cases of a log: comparing the files with their recorded hashes, and copying them."""

from typing import Any, NamedTuple

from desk.review.case_folder import AttachmentLost, CaseFolder
from events.log.attachments import attachments_of
from events.log.contract import EventLog
from replay.narrative.names import plural


class AttachmentCheck(NamedTuple):
    """The number of recorded attachments, the number still whole, and the fault of each other one."""

    on_record: int
    whole: int
    lost: tuple[AttachmentLost, ...]

    @property
    def failures(self) -> list[str]:
        """Return a sentence for each missing or changed attachment."""
        return [f"{each.code} {each}" for each in self.lost]

    @property
    def counts(self) -> dict[str, Any]:
        """Return the check as JSON values."""
        return {"on_record": self.on_record, "whole": self.whole, "lost": self.failures}

    def lines(self, done: str, without: str) -> list[str]:
        """Return the result of the check in sentences; no sentence if no attachment is on record.

        `done` says what was done with whole files, `without` what applies if there was no folder.
        """
        if not self.on_record:
            return []
        many = plural(self.on_record, "attachment")
        if not self.whole and not self.lost:
            return [f"{many} of cases on record: {without}"]
        return [*self.failures, f"{self.whole} of {many} of cases {done}"]


def compared(log: EventLog, folder: CaseFolder) -> AttachmentCheck:
    """Compare the files of all attachments with the SHA-256 on record (D608); without a folder, only count them."""
    found = list(attachments_of(log))
    if folder.path is None:
        return AttachmentCheck(len(found), 0, ())
    lost = tuple(each for table, attached in found for each in folder.losses(table, [attached]))
    return AttachmentCheck(len(found), len(found) - len(lost), lost)


def carried(log: EventLog, source: CaseFolder, target: CaseFolder) -> AttachmentCheck:
    """Copy all whole attachments from one folder to another; if either folder is missing, only count them.

    Raises `OSError` if a file cannot be written, and `ReviewRefused` if other bytes are in its place.
    """
    found, lost = list(attachments_of(log)), []
    if source.path is None or target.path is None:
        return AttachmentCheck(len(found), 0, ())
    for table, attached in found:
        try:
            data = source.read(table, attached)
        except AttachmentLost as error:
            lost.append(error)
        else:
            target.store(data)
    return AttachmentCheck(len(found), len(found) - len(lost), tuple(lost))
