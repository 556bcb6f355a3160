"""The attachments of all cases of a log: their files compared with the hashes on record, and carried to another place."""

from __future__ import annotations

from typing import NamedTuple

from events.log.attachments import attachments_of
from events.log.contract import EventLog
from replay.review.case_folder import AttachmentLost, CaseFolder


class AttachmentCheck(NamedTuple):
    """How many attachments are on record, how many of them are there whole, and what is wrong with the others."""

    on_record: int
    whole: int
    lost: tuple[AttachmentLost, ...]

    @property
    def failures(self) -> list[str]:
        """Return a sentence for each attachment that is gone or was changed."""
        return [f"{each.code} {each}" for each in self.lost]


def compared(log: EventLog, folder: CaseFolder) -> AttachmentCheck:
    """Compare the files of all attachments with the SHA-256 on record. `folder` must be named."""
    found = list(attachments_of(log))
    lost = tuple(each for table, attached in found for each in folder.losses(table, [attached]))
    return AttachmentCheck(len(found), len(found) - len(lost), lost)


def carried(log: EventLog, source: CaseFolder, target: CaseFolder) -> AttachmentCheck:
    """Copy the files of all attachments from one folder to another, as far as they are whole.

    Raises `OSError` where one cannot be written, and `ReviewRefused` where other bytes lie in its place.
    """
    found, lost = list(attachments_of(log)), []
    for table, attached in found:
        try:
            data = source.read(table, attached)
        except AttachmentLost as error:
            lost.append(error)
        else:
            target.store(data)
    return AttachmentCheck(len(found), len(found) - len(lost), tuple(lost))
