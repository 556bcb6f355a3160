"""What the appender compares reports by; its rules are in the contract suite."""

from typing import Any

import msgspec
import pytest

from events.errors import EventError
from events.log.appender import report_digest
from events.vocabulary.model import DiceRolled, Surrendered
from tests.contract.drafts import Drafts


def test_equal_reports_have_equal_digests() -> None:
    one = Drafts()(Surrendered(seat=1), round_no=3)
    same = msgspec.structs.replace(one, event_id="0f" * 16)
    assert report_digest(one) == report_digest(same)
    for change in (
        {"source": "u"},
        {"source_seq": 2},
        {"occurred_at_us": 1},
        {"round_no": None},
        {"payload": Surrendered(seat=2)},
    ):
        other = msgspec.structs.replace(one, **change)
        assert report_digest(one) != report_digest(other)


@pytest.mark.parametrize("value", [object(), "\ud800"])
def test_a_report_changed_after_it_was_made_is_refused(value: Any) -> None:
    payload = DiceRolled(dice=[1, 2, 3], colours=None, lie="flat")
    draft = Drafts()(payload)
    payload.dice[0] = value
    with pytest.raises(EventError, match="table-07 1"):
        report_digest(draft)
