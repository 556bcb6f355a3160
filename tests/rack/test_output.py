"""Whatever a text holds, a terminal shows it and does nothing else."""

import json
from collections.abc import Callable

import pytest

from rack.output import Output

CODES = [*range(32), *range(0x7F, 0xA0), 0x200E, 0x200F, 0x061C, *range(0x2028, 0x202F), *range(0x2066, 0x206A)]
SAID = {"text": Output().text, "note": Output().note, "problem": Output().problem}


@pytest.mark.parametrize("write", SAID.values(), ids=SAID)
def test_no_line_holds_anything_that_a_terminal_obeys(write: Callable[[str], None], capsys: pytest.CaptureFixture[str]) -> None:
    for code in CODES:
        write(f"before {chr(code)}[2J after")
        said = "".join(capsys.readouterr())
        if chr(code) in "\n\t":
            assert said == f"before {chr(code)}[2J after\n"
        else:
            assert said.rstrip("\n").isprintable()
            assert "before \\" in said


def test_json_keeps_its_values_and_holds_none_either(capsys: pytest.CaptureFixture[str]) -> None:
    text = "".join(map(chr, CODES)) + "é “牌”"
    for write in (Output(as_json=True).value, Output(as_json=True).line):
        write({"a": text})
        said = capsys.readouterr().out
        assert json.loads(said) == {"a": text}
        assert all(each.isprintable() for each in said.splitlines())
        assert "é “牌”" in said


def test_what_is_printable_stays_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    Output().text("Müller · § 688a.12(b) · 牌 · –100.00\tA")
    assert capsys.readouterr().out == "Müller · § 688a.12(b) · 牌 · –100.00\tA\n"
