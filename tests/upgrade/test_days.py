"""The stored days are judged as they were, or the changelog says under *Rules* why not."""

from difflib import unified_diff

import pytest

from rulebook.catalogue import GAMES
from tests.upgrade import days


@pytest.mark.slow
def test_a_verdict_on_the_stored_days_changes_only_with_a_line_under_rules() -> None:
    changes, lines = days.stored()
    now = days.judged()
    difference = "\n".join(unified_diff(lines, now, "stored", "judged now", n=0, lineterm=""))
    assert now == lines, f"\n{difference}\nmeant? Add a line under Rules in CHANGELOG.md; {days.__doc__}"
    assert changes[-1][0] == days.digest_of(lines), f"the lines changed without a reason above them; {days.__doc__}"
    for _, why in changes[1:]:
        assert days.is_a_rule(why), f"CHANGELOG.md has no line under Rules that begins: {why}"


def test_the_stored_days_have_every_game_and_what_goes_wrong_and_are_small() -> None:
    verdicts = {line.split()[1] for line in days.stored()[1] if "#" in line}
    assert verdicts == {"UPHELD", "VARIANCE", "VOID", "UNDETERMINED"}
    log = days.StoredLog()
    assert len([stream for stream in log.streams() if stream.startswith("table/")]) >= len(GAMES)
    assert len({each.gaming_day for each in days.judged_rounds()}) == days.DAYS
    assert {each.game for each in days.judged_rounds()} == set(GAMES)
    assert days.STORED.stat().st_size < 1_000_000


def test_what_is_under_rules_is_read_of_every_version() -> None:
    text = "## Unreleased\n\n### Rules\n\n- One\n  goes on\n- Two\n\n### Features\n\n- No\n\n## 1.0\n\n### Rules\n\n- Three\n"
    assert days.rules_lines(text) == ["One goes on", "Two", "Three"]
