"""Until the office files: what a device's filing must be, and by what a transcript is read at a table that has filed."""

import json
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from events.sqlite.log import SqliteLog
from events.vocabulary.codec import decode
from events.vocabulary.envelope import Envelope
from events.vocabulary.model import EventCorrected, GamingDayOpened, Replacement, RulesFiled, TableClosed, TableOpened
from intake.lines import line_of
from rack.cli import main
from rulebook.chapters.submission import submission_from_words
from tests.contract.drafts import Drafts

FIRST = submission_from_words(["pa-688a", "ace_high_bonus=1", "effective=2026-01-01"])
OTHER = submission_from_words(["pa-688a", "ace_high_bonus=2", "effective=2026-01-01"])
LATER = submission_from_words(["pa-688a", "ace_high_bonus=2", "effective=2026-03-15"])
DJ_WILD = submission_from_words(["pa-687a", "effective=2026-01-01"])
STREAM = "table/fu-01"


def filed(text: str, day: str | None = None, digest: str | None = None) -> RulesFiled:
    stated = next(line.partition(" = ")[2] for line in text.splitlines() if line.startswith("effective_gaming_day"))
    return RulesFiled(
        submission="rs-1", toml=text, effective_gaming_day=day or stated, sha256=digest or sha256(text.encode()).hexdigest()
    )


def opened(game: str) -> TableOpened:
    return TableOpened(game=game, deal_method="manual_shoe", shuffler="none", seats=6)


class Floor:
    """A log that a device and people write to by the command line."""

    def __init__(self, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capfd, self.drafts = folder, capfd, Drafts()
        self.address = f"sqlite:{folder}/floor.db"
        self.device(GamingDayOpened(gaming_day="2026-03-14"))

    def device(self, *payloads: Any) -> str:
        file = self.folder / "day.jsonl"
        file.write_bytes(b"".join(line_of(STREAM, self.drafts(each)) + b"\n" for each in payloads))
        return self.ingest(file)

    def ingest(self, file: Path) -> str:
        """Return what was said on stderr; nothing if all of it was taken."""
        code = main(["ingest", str(file), "--log", self.address, "--property", "bellwether", "--quiet"])
        said = self.capfd.readouterr().err
        assert bool(said) == (code == 1), said
        return said

    def events(self) -> list[Envelope]:
        with closing(SqliteLog(self.folder / "floor.db", read_only=True)) as log:
            return [decode(record.data) for record in log.read(STREAM)]

    def filings(self) -> list[str]:
        return [each.payload.toml for each in self.events() if isinstance(each.payload, RulesFiled)]

    def verdict(self, number: int) -> str:
        main(["round", "fu-01", str(number), "--log", self.address, "--json"])
        return str(json.loads(self.capfd.readouterr().out)["verdict"])


@pytest.fixture
def floor(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Floor:
    return Floor(tmp_path, capfd)


def test_a_sound_filing_of_a_device_is_taken(floor: Floor) -> None:
    assert floor.device(opened("face_up_pai_gow"), filed(FIRST)) == ""
    assert floor.device(filed(LATER)) == ""
    assert floor.filings() == [FIRST, LATER]


@pytest.mark.parametrize(
    ("filing", "reason"),
    [
        (filed(FIRST, digest="0" * 64), "that of the text is"),
        (filed(FIRST + "\n"), ""),
        (filed(FIRST, day="2026-02-01"), "the text says 2026-01-01"),
        (filed(DJ_WILD), "the rules are of dj_wild"),
        (filed('effective_gaming_day = 2026-01-01\ngame = "face_up_pai_gow"'), "rules_filed"),
        (filed("effective_gaming_day = 2026-01-01\n[["), "not TOML"),
        (filed(FIRST.replace('paytable = "1"', 'paytable = "99"')), "paytable"),
    ],
    ids=["digest", "another end of line", "day", "game", "no submission", "no TOML", "no such paytable"],
)
def test_a_filing_that_cannot_be_is_refused(floor: Floor, filing: RulesFiled, reason: str) -> None:
    floor.device(opened("face_up_pai_gow"))
    said = floor.device(filing)
    assert reason in said
    assert bool(floor.filings()) == (reason == "")


def test_a_filing_does_not_replace_rules_within_a_gaming_day(floor: Floor) -> None:
    """One typed line must not decide how the next rounds of the day are judged."""
    floor.device(filed(FIRST))
    assert "expected a later gaming day" in floor.device(filed(OTHER))
    assert floor.device(filed(FIRST)) == ""  # the same rules again change nothing
    assert set(floor.filings()) == {FIRST}


def test_nor_do_two_in_one_batch(floor: Floor) -> None:
    assert "expected a later gaming day" in floor.device(filed(FIRST), filed(OTHER))
    assert floor.filings() == [FIRST]


def test_the_game_of_a_table_in_the_same_batch_counts(floor: Floor) -> None:
    assert "the rules are of dj_wild" in floor.device(opened("face_up_pai_gow"), filed(DJ_WILD))
    assert floor.device(TableClosed(by="floor-1"), filed(DJ_WILD)) == ""


def test_a_file_that_is_handed_in_again_is_dropped_as_repeats(floor: Floor) -> None:
    floor.device(filed(FIRST), GamingDayOpened(gaming_day="2026-03-15"), filed(LATER.replace("03-15", "03-16")))
    floor.ingest(floor.folder / "day.jsonl")
    assert len(floor.filings()) == 2


@pytest.mark.parametrize(("text", "taken"), [(OTHER, True), (DJ_WILD, False), (OTHER + "[", False)])
def test_a_correction_that_files_is_checked_too(floor: Floor, text: str, taken: bool) -> None:
    floor.device(opened("face_up_pai_gow"), filed(FIRST))
    seq = floor.events()[-1].seq
    filing = filed(text)
    content = {name: getattr(filing, name) for name in filing.__struct_fields__}
    replacement = Replacement(payload=content, round_no=None, type="rules_filed", version=1)
    corrected = EventCorrected(
        by="sv-1", reason="misread", supersedes_seq=seq, supersedes_event_id=floor.events()[-1].event_id,
        replacement=replacement,
    )  # fmt: skip
    assert (floor.device(corrected) == "") == taken
