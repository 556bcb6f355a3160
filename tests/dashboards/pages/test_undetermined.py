"""An UNDETERMINED round is called so in one sentence by pages, packet and commands, and nothing marks it as right."""

from pathlib import Path

import pytest

from dashboards.parts import desk
from dashboards.run import LOG_VARIABLE, WAREHOUSE_VARIABLE
from floor.catalogue import SIMULATIONS
from tests.dashboards.undetermined import Said, undetermined

pytestmark = [pytest.mark.nightly, pytest.mark.xdist_group("demo of all")]


@pytest.fixture(scope="module")
def rounds(demo_of_all: Path) -> list[Said]:
    """The sentences for UNDETERMINED rounds of a demo of all games, one of each game and cause."""
    desk._read.clear()
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(LOG_VARIABLE, "")  # what the walk sets is put back
        patched.setenv(WAREHOUSE_VARIABLE, "")
        return list(undetermined(demo_of_all, of_a_kind=1))


def test_every_game_and_every_cause_is_among_them(rounds: list[Said]) -> None:
    whole = " ".join(each.sentences["packet"] for each in rounds)
    assert {each.game for each in rounds} == set(SIMULATIONS)
    for cause in ("were lost", "the device clocks contradict", "the correction at event", "were not all read"):
        assert cause in whole


def test_pages_packet_and_commands_say_one_sentence(rounds: list[Said]) -> None:
    for each in rounds:
        assert len(set(each.sentences.values())) == 1, f"{each.table} {each.round_no}: {each.sentences}"
        assert each.sentences["packet"].startswith("UNDETERMINED because ")


def test_nothing_on_a_page_marks_them_as_right(rounds: list[Said]) -> None:
    assert [(each.table, each.round_no, each.marks) for each in rounds if each.marks] == []
