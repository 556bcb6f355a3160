"""Cards, dice, chips and the table as SVG: well-formed, titled, asking for nothing from outside."""

import re
from pathlib import Path
from typing import get_args
from xml.etree import ElementTree

import pytest

import dashboards
from dashboards.drawing.drawing import BOX_H, BOX_W, CARD_W, CHIPS, SEATS, Flag, card, chip, die, layout, table_drawing
from dashboards.drawing.names import Formats
from dashboards.drawing.table_after_event import Table, steps_of, table_after
from events.vocabulary.model import Card
from replay.narrative.names import card_name
from rulebook.catalogue import wager_titles
from tests.dashboards import sample

SVG = "{http://www.w3.org/2000/svg}"
FORMATS = Formats.of(sample.FACTS)
STEPS = steps_of(sample.rounds_events()[0].events)


def parse(markup: str) -> ElementTree.Element:
    return ElementTree.fromstring(f'<svg xmlns="http://www.w3.org/2000/svg">{markup}</svg>')


def titles(markup: str) -> list[str]:
    return [title.text or "" for title in parse(markup).iter(f"{SVG}title")]


@pytest.mark.parametrize("face", get_args(Card))
def test_every_card_is_drawn_with_its_name_and_a_suit_that_is_a_shape(face: str) -> None:
    assert titles(card(0, 0, face)) == [card_name(face)]
    assert parse(card(0, 0, face)).find(f".//{SVG}path") is not None


def test_red_and_black_suits_differ_in_shape_too() -> None:
    shapes = {parse(card(0, 0, f"A{suit}")).find(f".//{SVG}path").get("d") for suit in "shdc"}
    assert len(shapes) == 4


def test_a_card_that_was_not_read_says_so() -> None:
    assert titles(card(0, 0, None)) == ["a card that was not read"]


@pytest.mark.parametrize("value", range(1, 7))
def test_a_die_has_as_many_pips_as_it_shows(value: int) -> None:
    drawn = parse(die(0, 0, value, "red"))
    assert len(list(drawn.iter(f"{SVG}circle"))) == value
    assert titles(die(0, 0, value, "red")) == [f"red die, {value}"]


def test_a_die_that_was_not_read_and_one_that_is_not_flat() -> None:
    assert titles(die(0, 0, None)) == ["a die that was not read"]
    assert "rotate" in die(0, 0, 3, tilted=True)
    assert "rotate" not in die(0, 0, 3)


def test_chips_of_different_wagers_differ_by_letter() -> None:
    letters = [parse(chip(0, 0, wager)).find(f".//{SVG}text").text for wager in ("base", "ace_high_bonus", "match")]
    assert letters == ["B", "A", "M"]


@pytest.mark.parametrize("step", range(len(STEPS) + 1))
def test_the_table_is_well_formed_after_every_step_and_asks_for_nothing_from_outside(step: int) -> None:
    drawn = table_drawing(table_after(STEPS, step), FORMATS, [Flag(3, "$100.00 short", -10000)], "FU-01 <17>")
    root = ElementTree.fromstring(drawn)
    assert (root.get("role"), root.get("aria-label")) == ("img", "FU-01 <17>")
    assert "href" not in drawn
    assert re.findall(r"https?://(?!www\.w3\.org/2000/svg)", drawn) == []
    assert "\n" not in drawn  # a blank line would end the block for the markdown that carries it


def test_the_table_shows_hands_as_set_dice_and_the_flag_in_words() -> None:
    said = titles(table_drawing(table_after(STEPS, len(STEPS)), FORMATS, [Flag(3, "$100.00 short", -10000)]))
    assert "joker" in said
    assert "white die, 4" in said
    assert "$100.00 short" in said
    assert any(t.startswith("Seat 3; high hand ace of spades") and "Ace High +$100.00" in t for t in said)


def test_chips_stand_there_until_they_are_settled() -> None:
    paid = sample.PAID_SEQ - sample.DISPUTE_FIRST_SEQ
    before, after = (titles(table_drawing(table_after(STEPS, n), FORMATS)) for n in (paid, paid + 1))
    assert before.count("Ace High Bonus, $10.00 at stake") == 1
    assert after.count("Ace High Bonus, $10.00 at stake") == 0


def test_flags_over_under_and_without_money_differ_by_shape() -> None:
    shapes = {table_drawing(Table(), FORMATS, [Flag(1, "x", cents)]).split(" x</text>")[0][-1] for cents in (-1, 1, None)}
    assert shapes == {"▼", "▲", "◆"}


def test_a_seat_with_several_findings_says_how_many_more() -> None:
    said = titles(table_drawing(Table(), FORMATS, [Flag(1, "$5.00 short", -500), Flag(1, "x", None), Flag("dealer", "y", None)]))
    assert "$5.00 short +1" in said
    assert "y" in said


def test_words_of_a_finding_are_escaped() -> None:
    drawn = table_drawing(Table(), FORMATS, [Flag("dealer", "<script>", None)])
    assert "<script>" not in drawn
    ElementTree.fromstring(drawn)


def test_seats_go_clockwise_seen_from_above_with_seat_1_at_the_dealers_left() -> None:
    assert sorted(SEATS, key=lambda seat: -SEATS[seat][0]) == [1, 2, 3, 4, 5, 6]
    assert SEATS[1][1] < SEATS[2][1] < SEATS[3][1]


def test_an_outcome_that_is_too_long_for_its_box_is_written_smaller() -> None:
    table = Table()
    table.box(6).settled += [("base", "paid", 24_000), ("progressive", "slip", 500_000)]
    sizes = {
        text.text: float(text.get("font-size", "0"))
        for text in parse(table_drawing(table, FORMATS)).iter(f"{SVG}text")
        if text.text and text.text.startswith(("Base +", "Progressive +"))
    }
    assert sizes["Base +$240.00"] == 12.5
    assert sizes["Progressive +$5,000.00 by slip"] * len("Progressive +$5,000.00 by slip") == pytest.approx(12.5 * 27, abs=0.01)


def boxes(drawn: str) -> list[tuple[float, float, float, float]]:
    """The corners of the seats' boxes: left, top, right, bottom."""
    return [
        (left, top, left + BOX_W, top + BOX_H)
        for rect in parse(drawn).iter(f"{SVG}rect")
        if (rect.get("width"), rect.get("height")) == (str(BOX_W), str(BOX_H))
        for left, top in [(float(rect.get("x", "0")), float(rect.get("y", "0")))]
    ]


def inside(felt: str, x: float, y: float) -> bool:
    """Whether a point lies within the outline of a felt, whose curves are followed in short straight lines."""
    points: list[tuple[float, float]] = []
    control = (0.0, 0.0)
    for command, text in re.findall(r"([MHVCSQZ])([^MHVCSQZ]*)", felt):
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", text)]
        here = points[-1] if points else (0.0, 0.0)
        if command == "M":
            points.append((numbers[0], numbers[1]))
        elif command == "H":
            points.append((numbers[0], here[1]))
        elif command == "V":
            points.append((here[0], numbers[0]))
        elif command in "CS":
            if command == "S":  # its first control point mirrors the last one of the curve before
                numbers = [2 * here[0] - control[0], 2 * here[1] - control[1], *numbers]
            (ax, ay, bx, by, cx, cy), control = numbers, (numbers[2], numbers[3])
            for step in range(1, 101):
                t = step / 100
                u = 1 - t
                weights = (u**3, 3 * u * u * t, 3 * u * t * t, t**3)
                points.append(
                    (
                        sum(w * v for w, v in zip(weights, (here[0], ax, bx, cx), strict=True)),
                        sum(w * v for w, v in zip(weights, (here[1], ay, by, cy), strict=True)),
                    )
                )
    crossings = 0
    for (x1, y1), (x2, y2) in zip(points, [*points[1:], points[0]], strict=True):
        if (y1 > y) != (y2 > y) and x < x1 + (y - y1) * (x2 - x1) / (y2 - y1):
            crossings += 1
    return crossings % 2 == 1


@pytest.mark.parametrize("seats", [6, 7])
def test_seats_lie_inside_the_felt_beside_each_other_and_badges_inside_their_seats(seats: int) -> None:
    table = Table()
    if seats == 7:
        table.box(7)
    words = [Flag(seat, "Misdeal: wrong card count", None) for seat in range(1, seats + 1)]
    drawn, felt = table_drawing(table, FORMATS, words), layout(table).felt
    shown = boxes(drawn)
    assert len(shown) == seats
    for left, top, right, bottom in shown:
        assert all(inside(felt, x, y) for x in (left, right) for y in (top, bottom))
    for one in shown:
        for other in shown:
            if one is not other:
                assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
    badges = [rect for rect in parse(drawn).iter(f"{SVG}rect") if rect.get("rx") == "11"]
    assert len(badges) == seats
    for badge in badges:
        x, y, width = (float(badge.get(name, "0")) for name in ("x", "y", "width"))
        assert any(left <= x and x + width <= right and top <= y and y + 22 <= bottom for left, top, right, bottom in shown)


@pytest.mark.parametrize("count", [1, 5, 7, 8, 9])
def test_the_cards_of_a_seat_stay_in_its_box_also_with_one_too_many(count: int) -> None:
    table = Table()
    table.box(1).cards += [str(face) for face in get_args(Card)[:count]]
    drawn = table_drawing(table, FORMATS)
    cards = [
        float(re.findall(r"[\d.]+", group.get("transform", ""))[0])
        for group in parse(drawn).iter(f"{SVG}g")
        if (title := group.find(f"{SVG}title")) is not None and title.text in map(card_name, table.box(1).cards)
    ]
    assert len(cards) == count
    left, _, right, _ = max(boxes(drawn))
    assert left <= min(cards)
    assert max(cards) + CARD_W <= right


def test_a_badge_stands_below_the_outcomes_of_its_seat() -> None:
    table = Table()
    table.box(3).settled += [("base", "paid", 100), ("progressive", "lost", -100), ("match", "lost", -1), ("sum", "lost", -1)]
    drawn = table_drawing(table, FORMATS, [Flag(3, "$1.00 short", -100)])
    (badge,) = (rect for rect in parse(drawn).iter(f"{SVG}rect") if rect.get("rx") == "11")
    outcomes = [
        text for text in parse(drawn).iter(f"{SVG}text") if (text.text or "").startswith(("Base", "Progressive", "Match", "Sum"))
    ]
    assert len(outcomes) == 4
    assert all(float(text.get("y", "0")) <= float(badge.get("y", "0")) for text in outcomes)


def test_one_letter_is_one_wager() -> None:
    letters = [letter for letter, _ in CHIPS.values()]
    assert len(letters) == len(set(letters))
    assert (set(wager_titles()) - {"fortune_envy", "progressive_envy", "ante_blind_raise"}) <= CHIPS.keys()


def test_the_style_has_five_sizes_of_letters_and_no_other() -> None:
    """A calm screen: every size is one of the five that the style names."""
    style = (Path(dashboards.__file__).parent / "style.css").read_text("utf-8")
    assert len(re.findall(r"--rk-\w+: [\d.]+rem", style)) == 5
    sizes = set(re.findall(r"font-size: ([^;}]+)", style))
    assert {size for size in sizes if not size.startswith("var(--rk-")} <= {"inherit"}
