"""A filing by a device if the office files: found, and left out (Log contract, filings; D920)."""

import pytest

from replay.run.replayer import adjudications, findings
from tests.replay.fold.test_corrections import in_all_ways
from tests.replay.tables import PAID, Table, filed

OTHERS = "pa-688a ace_high_bonus=2"


def told(table: Table) -> tuple[list[tuple[int, str, str]], list[tuple[str, tuple[int, ...]]]]:
    """Verdict and rules of each round, and what was found with its evidence."""
    results = in_all_ways(table)
    verdicts = [(each.round_no or 0, each.verdict, each.rules_digest or "") for each in adjudications(results)]
    return verdicts, [(each.code, each.evidence) for each in findings(results)]


@pytest.mark.parametrize("within", [False, True], ids=["between rounds", "in a round"])
def test_where_the_office_files_a_device_files_nothing(within: bool) -> None:
    table = Table(words=None)
    table.say(filed(), source="filing-m-ortiz")
    table.play(1, PAID if not within else PAID.replace("close\n", ""))
    device = table.say(filed(OTHERS), source="terminal-1")
    table.play(2, PAID)
    verdicts, found = told(table)
    assert {rules for *_, rules in verdicts} == {filed().sha256}
    assert ("LOG-FILING", device) in [(code, evidence[-1]) for code, evidence in found]


@pytest.mark.parametrize("source", ["terminal-1", "transcript-0f", "filing"])
def test_filings_of_devices_before_the_office_first_filed_count(source: str) -> None:
    table = Table(words=None)
    table.say(filed(OTHERS), source=source)
    table.play(1, PAID)
    table.say(filed(), source="filing-m-ortiz")
    table.play(2, PAID)
    verdicts, found = told(table)
    assert verdicts == [(1, "UPHELD", filed(OTHERS).sha256), (2, "UPHELD", filed().sha256)]
    assert found == []


def test_who_enters_something_later_than_it_happened_has_no_clock_that_runs_back() -> None:
    """The time of an entry is the event's; an earlier one may be entered after a later one (Log contract, device clocks)."""
    for source, codes in (("pit-m-ortiz", []), ("terminal-1", ["LOG-CLOCK"])):
        table = Table()
        table.say(table.payload(1), source=source)
        table.say(table.payload(1), source=source, at_us=1)
        table.play(1, PAID)
        assert [code for code, _ in told(table)[1]] == codes
