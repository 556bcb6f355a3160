"""`rack surveillance`: entries, the change of shifts, and what is refused."""

from typing import Any

import pytest

from tests.desk.packet.signed_floor import Floor
from tests.rack.commands.judging.command_line import printed


def rack(capsys: pytest.CaptureFixture[str], floor: Floor, *words: str, code: int = 0) -> Any:
    return printed(capsys, "surveillance", floor.address, *words, code=code)


def test_a_shift_is_entered_signed_over_and_accepted(floor: Floor, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--by", "m.ortiz", "--note", "shuffler jams", "--table", "fu-01", "--camera", "cam-4")
    made = rack(capsys, floor, "enter", *words, "--at", "2026-03-01T21:14:00Z", "--json")
    assert (made["by"], made["what"]) == ("m.ortiz", "surveillance_noted")
    said = rack(capsys, floor, "sign-over", "--by", "m.ortiz", "--shift", "swing", "--note", "watch fu-01")
    assert "m.ortiz handed over the swing shift with 0 open incidents and 0 open disputes: watch fu-01" in said
    assert "waits to be accepted" in rack(capsys, floor, "list", code=1)
    assert rack(capsys, floor, "hand-over") == "Nothing is open, and nothing changed.\n"
    assert "another person" in rack(capsys, floor, "accept", "--by", "m.ortiz", "--note", "x", code=2)
    rack(capsys, floor, "accept", "--by", "s.lee", "--note", "read")
    listed = rack(capsys, floor, "list", "--json")
    assert [each["noted"]["happened_us"] for each in listed["entries"]] == [1_772_399_640_000_000]
    assert [each["accepted"]["by"] for each in listed["hand_overs"]] == ["s.lee"]
    assert rack(capsys, floor, "list", "--day", "2020-01-01", "--json") == {"entries": [], "hand_overs": []}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("enter", "--by", "nobody", "--note", "x"), "'nobody' is not registered"),
        (("enter", "--by", "m.ortiz", "--note", "x", "--at", "yesterday"), "--at yesterday: expected a time"),
    ],
)
def test_what_is_missing_or_out_of_form_is_named(
    floor: Floor, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], why: str
) -> None:
    assert why in rack(capsys, floor, *words, code=2)
