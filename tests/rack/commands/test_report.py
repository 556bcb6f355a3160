"""`rack report`: the same bytes from the log, made again, and from an archive; on record before the files are there."""

import json
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins

from analytics.reports.catalogue import REPORTS
from events.open import open_log
from events.vocabulary.codec import decode
from events.vocabulary.model import DropCounted, Event, EventCorrected, RecordExported, Replacement, WagerPaid
from rack.cli import main
from tests.desk.packet.signed_floor import Floor, floor_at, played
from tests.replay.tables import DAY, filed


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Floor:
    folder = tmp_path_factory.mktemp("floor")
    made = floor_at(folder, played())
    assert main(["replay", "--log", made.address, "--warehouse", str(folder / "warehouse.duckdb"), "--quiet"]) == 1
    return made


@pytest.fixture(scope="module")
def archived(floor: Floor, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of an archive of the floor, judged again, with a warehouse `archived.duckdb` next to it."""
    folder = tmp_path_factory.mktemp("archive")
    address = f"archive://{folder / 'kept'}"
    assert main(["archive", "--log", floor.address, "--out", str(folder / "kept"), "--running", "--quiet"]) == 0
    words = ["replay", "--log", address, "--warehouse", str(folder / "archived.duckdb"), "--quiet"]
    assert main(words) == 1
    return address


def warehouse(address: str) -> Path:
    return next(Path(address.partition("://")[2]).parent.glob("*.duckdb"))


def rack(capsys: pytest.CaptureFixture[str], *words: str | Path, codes: tuple[int, ...] = (0,)) -> Any:
    code = main([str(each) for each in words])
    said = capsys.readouterr()
    assert code in codes, said.err
    return json.loads(said.out) if said.out else said.err


def report(capsys: pytest.CaptureFixture[str], name: str, floor: Floor, out: Path, address: str | None = None) -> Any:
    at = address or floor.address
    words = ("report", name, "--out", out, "--log", at, "--warehouse", warehouse(at), "--key", floor.key)
    return rack(capsys, *words, "--by", "m.ortiz", "--json", codes=(0, 1))


@pytest.mark.slow
@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", REPORTS)
def test_a_report_is_the_same_bytes_again_and_from_an_archive(
    name: str, floor: Floor, archived: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = report(capsys, name, floor, tmp_path / "first")
    files = {Path(path).name: digest for path, digest in first["files"].items()}
    assert {path.name: sha256(path.read_bytes()).hexdigest() for path in (tmp_path / "first").iterdir()} == files
    assert any(each.endswith(".pdf") for each in files)
    again = report(capsys, name, floor, tmp_path / "first")
    elsewhere = report(capsys, name, floor, tmp_path / "archive", archived)
    for other in (again, elsewhere):
        assert {Path(path).name: digest for path, digest in other["files"].items()} == files


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_is_on_record_and_verifies_without_the_log(
    name: str, floor: Floor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = report(capsys, name, floor, tmp_path)
    pdf = next(Path(path) for path in made["files"] if path.endswith(".pdf"))
    with closing(open_log(floor.address, read_only=True)) as log:
        exported = [
            payload
            for stream in log.streams()
            if stream.startswith("review/")
            for record in log.read(stream)
            if isinstance(payload := decode(record.data).payload, RecordExported)
        ]
    digest = made["files"][str(pdf)]
    assert digest in {each.digest for each in exported if (each.by, each.format, each.what) == ("m.ortiz", "pdf", "table")}
    checked = rack(capsys, "verify", pdf, "--key", f"{floor.key}.pub", "--json")
    assert (checked["ok"], checked["name"], checked["first"]) == (True, name, made["from"])
    data = bytearray(pdf.read_bytes())
    data[len(data) // 2] ^= 1
    pdf.write_bytes(data)
    rack(capsys, "verify", pdf, "--key", f"{floor.key}.pub", codes=(4,))


def test_a_report_that_was_filed_is_never_overwritten(floor: Floor, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = report(capsys, "table-games", floor, tmp_path)
    Path(next(iter(made["files"]))).write_bytes(b"filed")
    assert "never overwritten" in report_refused(capsys, floor, tmp_path)


def report_refused(capsys: pytest.CaptureFixture[str], floor: Floor, out: Path, *more: str, code: int = 2) -> str:
    at = floor.address
    words = ("report", "table-games", "--out", out, "--log", at, "--warehouse", warehouse(at), "--key", floor.key, *more)
    said: str = rack(capsys, *words, codes=(code,))
    return said


LATER: dict[str, Event] = {
    "wager_paid": WagerPaid(
        bettor="unknown", number=None, seat=3, source="inventory", stake_cents=2500, wager="base", winnings_cents=2400
    ),
    "drop_counted": DropCounted(amount_cents=70_000, box="b-1", by="c-2", gaming_day=DAY),
    "rules_filed": filed("pa-688a ace_high_bonus=1"),
}


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("corrected", [*LATER, None])
def test_a_report_made_again_is_dated_by_what_came_since_and_says_what_and_of_which_copy(
    corrected: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who makes a signed report again learns that it differs and why, also in another folder; the signed one still verifies."""
    table = played()
    table.say(DropCounted(amount_cents=60_000, box="b-1", by="c-2", gaming_day=DAY), source="count")
    floor, behind = floor_at(tmp_path, table), table.last
    words = ["replay", "--log", floor.address, "--warehouse", str(tmp_path / "warehouse.duckdb"), "--quiet"]
    main(words)
    capsys.readouterr()
    before = report(capsys, "table-games", floor, tmp_path / "before")
    assert before["differs_from"] is None
    if corrected is None:
        table.say(DropCounted(amount_cents=5_000, box="b-2", by="c-2", gaming_day=DAY), source="count")
    else:
        was = next(n for n, each in enumerate(table.drafts, 1) if corrected == each.payload.TYPE)
        round_no, content = table.drafts[was - 1].round_no, to_builtins(LATER[corrected])
        instead = Replacement(payload=content, round_no=round_no, type=corrected, version=1)
        named = {"supersedes_seq": was, "supersedes_event_id": table.drafts[was - 1].event_id}
        table.say(EventCorrected(by="f-1", reason="misread", replacement=instead, **named), round_no, source="pit")
    floor.append(table, behind)
    main(words)
    capsys.readouterr()
    for folder in ("after", "again"):
        after = report(capsys, "table-games", floor, tmp_path / folder)
        assert after["as_of_us"] > before["as_of_us"]
        old, new = (digest for made in (before, after) for path, digest in made["files"].items() if path.endswith(".pdf"))
        assert (after["differs_from"]["digest"], after["differs_from"]["by"]) == (old, "m.ortiz")
        (said,) = after["differs_from"]["since"]
        number = table.last
        assert said == (
            f"table/fu-01 event {number} corrects event {was} (misread)" if corrected else f"events of table/fu-01 up to {number}"
        )
        with closing(open_log(floor.address, read_only=True)) as log:
            made = [decode(record.data).payload for record in log.read("review/fu-01")][-1]
        assert isinstance(made, RecordExported)
        assert (made.digest, made.reason.endswith(f"report table-games of {DAY} to {DAY}, differs from SHA-256 {old}")) == (
            new,
            True,
        )
    for path in before["files"]:
        if path.endswith(".pdf"):
            assert rack(capsys, "verify", path, "--key", f"{floor.key}.pub", "--json")["ok"]


def test_days_the_wrong_way_round_and_unknown_reports_say_what_is_expected(
    floor: Floor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = report_refused(capsys, floor, tmp_path, "--from", "2026-03-02", "--to", "2026-03-01")
    assert "the period begins on 2026-03-02, after its last day 2026-03-01" in said
    assert "expected list, all, or one of table-games" in rack(capsys, "report", "nothing", codes=(2,))
    assert "needs --out" in rack(capsys, "report", "table-games", codes=(2,))
    assert "takes no --out" in rack(capsys, "report", "list", "--out", tmp_path, codes=(2,))


def test_the_list_names_every_report_with_its_rules(capsys: pytest.CaptureFixture[str]) -> None:
    listed = rack(capsys, "report", "list", "--json")
    assert [each["name"] for each in listed] == list(REPORTS)
    assert all(each["rules"] for each in listed)


@pytest.mark.slow
def test_all_reports_are_those_made_one_by_one_and_each_is_on_record(
    floor: Floor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = report(capsys, "all", floor, tmp_path / "all")
    assert [each["report"] for each in made] == list(REPORTS)
    for name, each in zip(REPORTS, made, strict=True):
        alone = report(capsys, name, floor, tmp_path / "alone")
        assert {Path(path).name: digest for path, digest in each["files"].items()} == {
            Path(path).name: digest for path, digest in alone["files"].items()
        }
    pdfs = {digest for each in made for path, digest in each["files"].items() if path.endswith(".pdf")}
    with closing(open_log(floor.address, read_only=True)) as log:
        digests = {
            payload.digest
            for record in log.read("review/fu-01")
            if isinstance(payload := decode(record.data).payload, RecordExported)
        }
    assert pdfs <= digests


@pytest.mark.slow
def test_if_one_report_cannot_be_written_none_is(floor: Floor, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The last of them is there with other bytes: it is not overwritten, and no other is written or recorded."""
    report(capsys, list(REPORTS)[-1], floor, tmp_path)
    for path in tmp_path.iterdir():
        path.write_bytes(b"filed before")

    def exports() -> int:
        with closing(open_log(floor.address, read_only=True)) as log:
            return sum(
                isinstance(decode(record.data).payload, RecordExported) for stream in log.streams() for record in log.read(stream)
            )

    before, files = exports(), sorted(tmp_path.iterdir())
    words = ("report", "all", "--out", tmp_path, "--log", floor.address, "--warehouse", warehouse(floor.address))
    assert "already exists and differs" in rack(capsys, *words, "--key", floor.key, codes=(2,))
    assert sorted(tmp_path.iterdir()) == files
    assert exports() == before
