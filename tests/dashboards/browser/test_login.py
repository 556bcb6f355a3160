"""The login in a real Chromium, against an identity provider on this machine: how far each role reaches, by address too."""

import pytest
from playwright.sync_api import Page, expect

from dashboards.sign_in.trial import LoginHandler
from desk.review.desk import desk_at
from tests.dashboards.living import Living
from tests.dashboards.running import expect_drawn, log_in_by_hand
from tests.dashboards.running import log_in_browser as log_in

pytestmark = pytest.mark.browser


def test_nobody_sees_a_round_without_a_login(login_site: str, page: Page) -> None:
    page.goto(f"{login_site}/round?table=fu-01&round=2")
    expect(page.get_by_text("Log in to see the pages.")).to_be_visible()
    expect(page.locator(".rk-now")).to_have_count(0)


def test_surveillance_works_a_finding_under_its_own_name(login_site: str, page: Page, floor: Living) -> None:
    log_in_by_hand(page, login_site, "m.ortiz@bellwether.example")
    page.get_by_role("link", name="Work", exact=True).click()
    page.get_by_role("radio", name="Note").or_(page.get_by_role("button", name="Note", exact=True)).first.click()
    page.get_by_label("Note", exact=True).last.fill("camera 4 seen")
    page.get_by_role("button", name="Add note").click()
    expect(page.locator(".rk-history")).to_contain_text("camera 4 seen")
    with desk_at(floor.log, read_only=True) as at:
        assert [entry.by for each in at.review("fu-01").findings.values() for entry in each.history] == ["m.ortiz"]


def test_an_administrator_reaches_no_round_by_its_address(login_site: str, page: Page) -> None:
    log_in(page, login_site, "j.kim@bellwether.example")
    expect(page.get_by_role("heading", name="The floor")).to_be_visible()
    expect(page.locator("nav.rk-places a")).to_have_text(["Floor", "Trust"])
    expect(page.locator('nav.rk-pages a[href="queue"]')).to_have_count(0)
    page.goto(f"{login_site}/round?table=fu-01&round=2")
    expect(page.get_by_text("Your role has no access to this page.")).to_be_visible()
    expect(page.locator(".rk-now")).to_have_count(0)


def test_who_has_no_role_sees_nothing_and_can_leave(login_site: str, page: Page) -> None:
    log_in(page, login_site, "guest@bellwether.example")
    expect(page.get_by_text("This login has no role here")).to_be_visible()
    page.get_by_role("button", name="Log out").first.click()
    expect(page.get_by_role("button", name="Log in")).to_be_visible()


def test_an_address_that_the_provider_does_not_vouch_for_is_refused(
    login_site: str, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LoginHandler, "verified", False)
    log_in(page, login_site, "r.haas@bellwether.example")
    expect(page.get_by_text("does not confirm that this e-mail address is yours")).to_be_visible()
    page.goto(f"{login_site}/round?table=fu-01&round=2")
    expect(page.locator(".rk-now")).to_have_count(0)


def test_an_auditors_look_at_a_round_is_in_the_log(login_site: str, page: Page, floor: Living) -> None:
    log_in(page, login_site, "r.haas@bellwether.example", "round?table=fu-01&round=2")
    expect(page.locator(".rk-now")).to_be_visible()
    with desk_at(floor.log, read_only=True) as at:
        assert [(each.round_no, each.by) for each in at.review("fu-01").custody] == [(2, "r.haas")]


@pytest.mark.nightly
def test_a_file_of_a_sign_in_comes_through_the_door(login_site: str, page: Page, floor: Living) -> None:
    floor.rack("case", "open", "fu-01", "1", "--by", "m.ortiz", "--claim", "paid too little", "--seat", "3", code=0)
    log_in(page, login_site, "m.ortiz@bellwether.example", "cases?case=FU-01-C1")
    expect_drawn(page)
    page.get_by_role("radio", name="Attach").or_(page.get_by_role("button", name="Attach", exact=True)).first.click()
    page.locator('input[type="file"]').set_input_files({"name": "slip.txt", "mimeType": "text/plain", "buffer": b"a slip"})
    expect(page.get_by_text("slip.txt").first).to_be_visible()
    page.get_by_label("What it is").fill("the slip")
    page.get_by_role("button", name="Attach file").click()
    # the page has the file, and says what is wrong with this site: without a file it would ask for one
    expect(page.get_by_text("no folder for cases is named")).to_be_visible()
