"""The pit on a phone in a real Chromium: counted taps, a typo corrected, and what is refused is said at its table."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from desk.house.table_lines import TableRecord, house_at
from events.vocabulary import model
from rack.cli import main
from tests.dashboards.conftest import served
from tests.dashboards.running import PHONE, expect_drawn, expect_fits, expect_kept, log_in_browser

pytestmark = pytest.mark.browser

PEOPLE = {"person-1": ("p.diaz", "P. Diaz"), "person-2": ("c.wong", "C. Wong")}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A house without sensors: three tables, two people, nothing open."""
    folder = tmp_path_factory.mktemp("houses") / "house"
    today = (datetime.now(UTC) - timedelta(hours=6)).date().isoformat()
    words = ["--name", "Bellwether", "--zone", "UTC", "--cutover", "06:00", "--currency", "USD", "--first-day", today]
    assert main(["--quiet", "init", str(folder), *words, "--tables", "2 face_up_pai_gow, 1 over_under"]) == 0
    file = folder / "property.toml"
    text = file.read_text()
    for old, (id_, name) in PEOPLE.items():
        account = f'accounts = ["{id_}@bellwether.example"]'
        text = re.sub(rf'id = "{old}"\nname = ".*"', f'id = "{id_}"\nname = "{name}"\n{account}', text)
    file.write_text(text)
    assert main(["--quiet", "apply", str(folder), "--by", "p.diaz"]) == 0
    return folder


@pytest.fixture(scope="module")
def pit_site(house: Path) -> Iterator[str]:
    with served(house / "warehouse.duckdb", log_of(house), login=True) as address:
        yield address


def log_of(house: Path) -> str:
    return f"sqlite:///{house / 'floor.db'}"


def record(house: Path, table: str) -> TableRecord:
    with house_at(log_of(house), read_only=True) as log:
        return TableRecord(log, table)


class Taps:
    """A finger that counts: one for each button and each field."""

    def __init__(self, tile: Locator) -> None:
        self.tile, self.count = tile, 0

    def button(self, name: str) -> None:
        self.tile.get_by_role("button", name=name, exact=True).click()
        self.count += 1

    def field(self, label: str, words: str) -> None:
        self.tile.get_by_label(label).fill(words)
        self.count += 1


@pytest.fixture
def pit(pit_site: str, page: Page) -> Page:
    page.set_viewport_size(PHONE)
    log_in_browser(page, pit_site, "p.diaz", "pit")
    expect(page.get_by_role("heading", name="Pit")).to_be_visible()
    expect_drawn(page)
    return page


def tile(page: Page, table: str) -> Locator:
    return page.locator(f".st-key-tile-{table}")


def opened(page: Page, table: str) -> None:
    expect(tile(page, table).get_by_role("button", name=re.compile("^(Open|Tap in)$"))).to_be_visible()
    if tile(page, table).get_by_role("button", name="Open", exact=True).count():
        taps = Taps(tile(page, table))
        taps.button("Open")
        taps.field("Opener", "25x400,100x100")
        taps.field("Dealer", "d-07")
        taps.button(f"Open {table.upper()}")
        assert taps.count <= 6
        expect(tile(page, table)).to_contain_text("open, d-07")


def test_a_table_is_opened_by_chips_and_a_fill_takes_at_most_six_taps(pit: Page, house: Path) -> None:
    opened(pit, "fu-01")
    taps = Taps(tile(pit, "fu-01"))
    taps.button("Fill")
    taps.field("Amount", "2000")
    taps.field("Slip", "4711")
    tile(pit, "fu-01").get_by_role("button", name="Fill FU-01").dblclick()
    assert taps.count + 2 <= 6
    expect(pit.get_by_test_id("stToast")).to_contain_text("FU-01: fill entered")
    expect_drawn(pit)
    expect(pit.get_by_text("Not saved")).to_have_count(0)
    ((_, fill),) = record(house, "fu-01").counting(model.FillReceived)
    assert isinstance(fill, model.FillReceived)
    assert (fill.amount_cents, fill.slip, fill.by) == (200_000, "4711", "p-diaz")
    ((_, opener),) = record(house, "fu-01").counting(model.InventoryCounted)
    assert isinstance(opener, model.InventoryCounted)
    assert opener.amount_cents == 2_000_000
    expect_fits(pit)


def test_what_is_refused_is_said_at_its_table_and_nothing_is_written(pit: Page, house: Path) -> None:
    opened(pit, "fu-02")
    before = record(house, "fu-02").last
    taps = Taps(tile(pit, "fu-02"))
    taps.button("Credit")
    taps.field("Amount", "a lot")
    taps.field("Slip", "9")
    taps.button("Credit FU-02")
    expect(tile(pit, "fu-02")).to_contain_text("'a lot' is no amount")
    assert record(house, "fu-02").last == before


def test_a_dealer_taps_in_with_two_taps_and_a_typo_is_corrected_with_its_reason(pit: Page, house: Path) -> None:
    opened(pit, "ou-01")
    for dealer in ("d-08", "d-07"):
        known = dealer in record(house, "ou-01").dealers()
        taps = Taps(tile(pit, "ou-01"))
        taps.button("Tap in")
        if known:
            taps.button(dealer)
            assert taps.count == 2
        else:
            taps.field("Dealer", dealer)
            taps.button("Tap in OU-01")
        expect(tile(pit, "ou-01")).to_contain_text(f"open, {dealer}")
    taps = Taps(tile(pit, "ou-01"))
    taps.button("Fill")
    taps.field("Amount", "20000")
    taps.field("Slip", "4712")
    taps.button("Fill OU-01")
    expect(pit.get_by_test_id("stToast").last).to_contain_text("fill entered")
    expect_drawn(pit)
    tile(pit, "ou-01").get_by_text("Last entries").click()
    tile(pit, "ou-01").get_by_role("button", name="Correct").first.click()
    taps.field("Amount", "2,000.00")
    taps.field("Why", "the slip says 2,000")
    tile(pit, "ou-01").locator("form, [data-testid=stForm]").get_by_role("button", name="Correct").click()
    expect(pit.get_by_test_id("stToast").last).to_contain_text("corrected")
    ((line, fill),) = record(house, "ou-01").counting(model.FillReceived)
    assert isinstance(fill, model.FillReceived)
    assert fill.amount_cents == 200_000
    assert [each.reason for each in line.amendments] == ["the slip says 2,000"]


def test_who_is_not_of_the_pit_has_no_page_for_it(pit_site: str, page: Page) -> None:
    log_in_browser(page, pit_site, "a.novak", "pit")
    expect(page.get_by_text("No access")).to_be_visible()


def test_what_is_typed_in_one_line_outlives_a_reload(pit: Page) -> None:
    opened(pit, "fu-01")
    way = tile(pit, "fu-01").get_by_role("button", name="Fill", exact=True)
    expect_kept(pit, {"Amount, or chips as 25x20, 100x5": "25x20", "Slip": "4711"}, way.click)
