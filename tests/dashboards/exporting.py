"""A floor with more rows than a page shows, the button of an export, the file it hands out, and what the log has of it."""

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboards.access.downloads import DOWNLOADS, Download
from dashboards.parts import desk
from desk.review.desk import desk_at
from events.vocabulary.codec import decode
from events.vocabulary.model import RecordExported
from tests.dashboards import living
from tests.dashboards.living import Living
from tests.dashboards.running import said

MANY = 60
"""Rounds, each with a finding and two wagers: a page of the queue shows 50 findings, one of wagers 100."""


def floor_of_many(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Living:
    """Make the floor, and have the pages of this process show it."""
    desk._read.clear()
    floor = living.make(folder, tuple(range(1, MANY + 1)))
    floor.serve(monkeypatch)
    return floor


def saved(test: AppTest) -> Download | None:
    """Return the file that a page offers, if it offers one."""
    found = re.search(r'href="downloads/([^"]+)"', said(test))
    return DOWNLOADS.fetch("app-test", found[1]) if found else None


def recorded(floor: Living) -> list[RecordExported]:
    """Return the exports that the log has on record."""
    with desk_at(floor.log, read_only=True) as at:
        payloads = [decode(record.data).payload for record in at.log.read("review/fu-01")]
    return [each for each in payloads if isinstance(each, RecordExported)]
