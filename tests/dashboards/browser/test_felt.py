"""The felt in a real Chromium: a dispute by counted keys, a card that is used already, the text both ways, every golden round."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, WebSocket, expect

import dashboards
from replay.transcript.entry import answer, forms
from replay.transcript.transcript import judge
from replay.transcript.words import TranscriptError
from tests.dashboards.running import PHONE, expect_drawn, expect_fits
from tests.golden.rounds import read_cases, round_files

pytestmark = pytest.mark.browser

SOURCE = (Path(dashboards.__file__).parent / "felt" / "felt.js").read_text("utf-8")
IMPORT = """async (source) => {
  window.felt = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
}"""
DEALER = "*KdJc9s8h4d3c"


class Keys:
    """A keyboard that counts: one for each character typed, one for each key named."""

    def __init__(self, page: Page) -> None:
        self.page, self.count = page, 0

    def type(self, words: str, *then: str) -> None:
        self.page.keyboard.type(words)
        self.count += len(words)
        for key in then:
            self.page.keyboard.press(key)
            self.count += 1


@pytest.fixture
def felt(site: str, page: Page) -> Page:
    """The page on which a round is entered, with the Ace High Bonus as filed and the dealer's cards in front of the keyboard."""
    page.goto(f"{site}/entry")
    page.get_by_label("Ace High Bonus paytable").select_option("1")
    page.get_by_label("Dealer: cards").click()
    return page


def said(page: Page) -> Locator:
    return page.locator(".headline")


def text_of(page: Page) -> str:
    return page.get_by_label("Transcript").input_value()


def test_a_dispute_of_one_seat_takes_at_most_55_keys(felt: Page) -> None:
    keys = Keys(felt)
    keys.type(f"{DEALER}3", "Tab")
    keys.type("AsQdTh9h7c5s2d", "Tab")
    keys.type("b25a10", "Tab")
    keys.type("rp100")
    expect(said(felt)).to_contain_text("Seat 3 is owed $100.00")
    expect(felt.locator(".finding")).to_contain_text("Pay $100.00 to the patron at seat 3.")
    assert keys.count <= 55
    felt.locator(".finding summary").click()
    expect(felt.locator(".finding details")).to_contain_text("PAY-UNDER")
    expect(felt.locator(".finding details p")).to_have_text(answer(text_of(felt))["rounds"][0]["findings"][0]["explanation"])


SIX = ("AsQdTh9h7c5s2d", "AhQsJdTc7d5h2h", "KsQhJs9d6c4h2c", "AcTd8c7h6h3s2s", "AdQc9c8s6d4c3d", "KhJhTs8d7s5d3h")


@pytest.mark.nightly
def test_six_seats_with_the_base_wager_take_at_most_150_keys(felt: Page) -> None:
    keys = Keys(felt)
    keys.type(DEALER)
    for cards in SIX:
        keys.type("", "Tab")
        keys.type(cards, "Tab")
        keys.type("b25", "Tab")
        keys.type("t")
    assert keys.count <= 150
    expect(felt.locator(".verdict tbody tr")).to_have_count(6)


def test_six_seats_with_three_wagers_take_at_most_220_keys(felt: Page) -> None:
    felt.get_by_label("Fortune Bonus paytable").select_option("3")
    felt.get_by_label("Dealer: cards").click()
    keys = Keys(felt)
    keys.type(DEALER, "Tab")
    for cards in SIX:
        keys.type(cards, "Tab")
        keys.type("b25a5f5", "Tab")
        keys.type("tp25t", "Tab")
    assert keys.count <= 220
    expect(felt.locator(".verdict tbody tr")).to_have_count(18)


@pytest.mark.parametrize(
    ("at_the_dealer", "then", "kept", "words"),
    [
        ("4c", "4c", "4", "4 of clubs is with the dealer already"),
        ("*", "*", "", "joker is with the dealer already"),
        ("", "KsKs", "KsK", "king of spades is in this hand already"),
        ("", "AsQdTh9h7c5s2d3d", "AsQdTh9h7c5s2d3", "A hand has 7 cards"),
    ],
)
def test_a_card_that_cannot_be_is_refused_at_the_key(felt: Page, at_the_dealer: str, then: str, kept: str, words: str) -> None:
    keys = Keys(felt)
    keys.type(f"{at_the_dealer}3", "Tab")
    keys.type(then)
    expect(felt.get_by_label("Seat 3: cards")).to_have_value(kept)
    expect(felt.locator(".said")).to_have_text(words)


def test_a_missing_card_is_counted(felt: Page) -> None:
    Keys(felt).type("3", "Tab")
    Keys(felt).type("AsQdTh9h7c5s")
    expect(felt.locator('[data-place="3"] .note')).to_have_text("card 7 of 7 missing")


def test_back_by_ctrl_z_takes_back_one_key_at_a_time_over_all_fields(felt: Page) -> None:
    Keys(felt).type("Kd3", "Tab")
    Keys(felt).type("As", "Control+z", "Control+z", "Control+z")
    expect(felt.get_by_label("Seat 3: cards")).to_have_value("")
    expect(felt.get_by_label("Seat 3: cards")).to_be_focused()
    felt.get_by_label("Dealer: cards").press("Control+z")
    felt.get_by_label("Dealer: cards").press("Control+z")
    expect(felt.get_by_label("Dealer: cards")).to_have_value("K")


def test_the_text_fills_the_felt_and_what_the_felt_has_not_stays_in_the_text(felt: Page) -> None:
    text = (
        "rules pa-688a ace_high_bonus=1\ndice 2 2 4 -> dealer\nwager seat=3 base 25.00 ace_high_bonus 10.00\n"
        "deal dealer=Jk Kd Jc 9s 8h 4d 3c seat3=As Qd Th 9h 7c 5s 2d\npay seat=3 ace_high_bonus 100.00\n"
    )
    felt.get_by_label("Transcript").fill(text)
    expect(said(felt)).to_contain_text("Seat 3 is owed $100.00")
    expect(felt.get_by_label("Dealer: cards")).to_have_value(DEALER)
    felt.get_by_label("Seat 3: outcomes").fill("r p200")
    expect(said(felt)).to_contain_text("UPHELD")
    assert "dice 2 2 4 -> dealer" in text_of(felt)


def test_a_key_asks_once_and_has_only_the_felt_drawn_again(site: str, page: Page) -> None:
    """What takes time from key to panel is counted: questions sent, what comes back. Fast keys share a question."""
    sent, came = list[int](), list[int]()

    def count(socket: WebSocket) -> None:
        socket.on("framesent", lambda data: sent.append(len(data)))
        socket.on("framereceived", lambda data: came.append(len(data)))

    page.on("websocket", count)
    page.goto(f"{site}/entry")
    page.get_by_label("Ace High Bonus paytable").select_option("1")
    page.get_by_label("Dealer: cards").click()
    for words in (f"{DEALER}3", "AsQdTh9h7c5s2d", "b25a10"):
        Keys(page).type(words, "Tab")
    Keys(page).type("rp10")
    expect(said(page)).to_contain_text("Seat 3 is owed $190.00")
    expect(page.locator(".verdict.old")).to_have_count(0)
    expect_drawn(page)
    for key, owed in (("0", "$100.00"), ("Backspace", "$190.00"), ("0", "$100.00")):
        sent.clear()
        came.clear()
        Keys(page).type("", key)
        expect(said(page)).to_contain_text(f"Seat 3 is owed {owed}")
        expect_drawn(page)
        assert len(sent) == 1
        assert sum(came) < 12_000  # the answer to the felt: neither its script nor another part of the page
    sent.clear()
    Keys(page).type("", *["Backspace", "0"] * 10)
    expect(page.locator(".verdict.old")).to_have_count(0)
    expect(said(page)).to_contain_text("Seat 3 is owed $100.00")
    assert len(sent) <= 20


def test_what_was_typed_survives_a_reload_and_another_tab(felt: Page) -> None:
    Keys(felt).type(DEALER)
    felt.reload()
    expect(felt.get_by_label("Dealer: cards")).to_have_value(DEALER)
    expect(felt.get_by_label("Ace High Bonus paytable")).to_have_value("1")
    tab = felt.context.new_page()
    tab.goto(felt.url)
    expect(tab.get_by_label("Dealer: cards")).to_have_value(felt.get_by_label("Dealer: cards").input_value())
    tab.get_by_label("Dealer: cards").fill("Ks")
    expect(felt.locator(".elsewhere")).to_contain_text("You are typing this round in another tab, too.")
    felt.get_by_label("Dealer: cards").fill("Qs")
    expect(tab.locator(".elsewhere")).to_contain_text("another tab")
    tab.reload()
    expect(tab.get_by_label("Dealer: cards")).to_have_value("Qs")
    tab.get_by_role("button", name="Use the other text").click()
    expect(tab.get_by_label("Dealer: cards")).to_have_value("Ks")
    tab.close()


def test_it_fits_a_phone(felt: Page) -> None:
    Keys(felt).type(DEALER)
    felt.set_viewport_size(PHONE)
    expect_fits(felt)


TYPED = """(forms) => forms.flatMap((form) => form.wagers.flatMap((_, turn) => [false, true].flatMap(
    (isBack) => ["t", "r", "p5", "-"].flatMap((how) => ["", "h", "?", "/"].flatMap((cards) => {
  const { emptyEntry, fromText, toText } = window.felt, entry = emptyEntry(form);
  const wagers = [...form.wagers.slice(turn), ...form.wagers.slice(0, turn)];
  const hand = ["As", "Kd", "Qh", "Jc", "9s", "8h", "7d"].slice(0, form.cards);
  if (isBack) wagers.reverse();
  const first = Object.values(form.hands)[0] ?? 0, second = Object.values(form.hands)[1] ?? 0;
  const parts = [hand.slice(0, first), hand.slice(first, first + second), hand.slice(first + second)];
  const typed = { "": hand.join(""), h: `${hand.join("")}h`, "?": `${hand.slice(1).join("")}?` };
  typed["/"] = parts.filter(({ length }) => length).map((part) => part.join("")).join("/");
  for (const seat of ["2", "3"]) entry.seats[seat] = { cards: seat === "3" ? typed[cards] : "",
    wagers: wagers.map(({ letter, number }, index) => letter + (5 + index) + (number ? "#4" : "")).join(""),
    outcomes: wagers.map((_, index) => (index === 1 ? how : index % 2 ? "t" : "p7")).join("") };
  const text = toText(entry, form), read = fromText(text, forms);
  return read.entry.asText || toText(read.entry, read.form) !== text ? [text] : [];
})))))"""
"""What the felt cannot read again of what was typed: every game, wagers in many orders, each outcome, each way of a hand."""


def test_what_is_typed_in_the_fields_is_there_again_after_a_reload(site: str, page: Page) -> None:
    page.goto(f"{site}/_stcore/health")
    page.evaluate(IMPORT, SOURCE)
    assert page.evaluate(TYPED, forms()) == []


@pytest.mark.nightly
def test_every_golden_round_means_the_same_after_the_felt(site: str, page: Page) -> None:
    """What the fields can show is laid out again without another verdict; all else is kept as it was written."""
    page.goto(f"{site}/_stcore/health")
    page.evaluate(IMPORT, SOURCE)
    texts = [case.transcript for path in round_files() for case in read_cases(path)]
    laid: list[Any] = page.evaluate(
        """([texts, forms]) => texts.map((text) => {
          const { entry, form } = window.felt.fromText(text, forms);
          return entry.asText ? null : window.felt.toText(entry, form);
        })""",
        [texts, forms()],
    )
    shown = [(text, again) for text, again in zip(texts, laid, strict=True) if again is not None]
    assert len(shown) > 1000

    def judged(text: str) -> list[Any]:
        try:
            rounds = judge(text, "golden")
        except TranscriptError as error:  # a file of rules that lies next to the golden rounds
            return [error.message]
        return [
            (
                each.conclusion.verdict,
                each.conclusion.settlements,
                each.conclusion.undetermined,
                [finding.line() for finding in each.conclusion.findings],
            )
            for each in rounds
        ]

    assert [text for text, again in shown if judged(text) != judged(again)] == []
