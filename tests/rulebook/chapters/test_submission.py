"""Rules submissions from the words of a transcript's `rules` line (§ 601a.2)."""

import pytest

from rulebook.chapters.rulebook import RulesRefused, parse_submission, simple_submission, submission_from_words


def test_a_rules_line_of_a_transcript():
    words = """
        pa-688a ace_high_bonus=1 progressive=4 max_payout=50000.00 house_way=stones deal_method=manual_shoe name=Floor
        adjacent_boxes=yes meter=m-1 linked=yes min=5.00 max=1000.00 ace_high_bonus.max=50.00 decks=1 starting=number
        effective=2024-01-01 void_reverses_meter=yes fortune_pays=best_paid
    """
    book = parse_submission(submission_from_words(words.split()))
    assert (book.name, book.effective_gaming_day) == ("Floor", "2024-01-01")
    assert (book.deal_method, book.starting, book.shuffler, book.decks) == ("manual_shoe", "number", "none", 1)
    assert (book.max_payout_cents, book.adjacent_boxes, book.meter, book.linked_meter) == (5_000_000, True, "m-1", True)
    limits = {name: (offer.min_cents, offer.max_cents) for name, offer in book.offers.items()}
    assert limits == {"base": (500, 100_000), "ace_high_bonus": (100, 5_000), "progressive": (500, 500)}
    assert book.settings["void_reverses_meter"] is True


def test_the_shortest_rules_line():
    book = parse_submission(submission_from_words(["pa-688a"]))
    assert set(book.offers) == {"base"}
    assert (book.offers["base"].min_cents, book.offers["base"].max_cents) == (100, 10_000_000)
    assert (book.deal_method, book.shuffler, book.max_payout_cents, book.meter) == ("automated_shoe", "automated", None, None)
    assert simple_submission() == submission_from_words(["pa-688a"])


def test_the_same_words_give_the_same_text_in_whatever_order():
    one = submission_from_words(["pa-688a", "fortune_bonus=3", "progressive=1", "min=5.00"])
    assert one == submission_from_words(["pa-688a", "min=5.00", "progressive=1", "fortune_bonus=3"])


@pytest.mark.parametrize(
    ("words", "key", "message"),
    [
        ("", "chapter", "missing; expected one of"),
        ("688a", "chapter", "'688a'; expected one of"),
        ("pa-688a fortune_bonus", "fortune_bonus", "expected key=value"),
        ("pa-688a fortune_bonus=", "fortune_bonus=", "expected key=value"),
        ("pa-688a min=5.00 min=6.00", "min", "given twice"),
        ("pa-688a adjacent_boxes=perhaps", "adjacent_boxes", "'perhaps'; expected yes or no"),
        ("pa-688a void_reverses_meter=1", "void_reverses_meter", "'1'; expected yes or no"),
        ("pa-688a fortune_bonus.min=5.00", "fortune_bonus.min", "of a wager that is not offered"),
        ("pa-688a meter=m-1", "meter", "of a wager that is not offered"),
        ("pa-688a linked=yes", "linked", "of a wager that is not offered"),
        ("pa-688a tiger_9=yes", "tiger_9", "unknown"),
        ("pa-688a effective=soon", "effective", "'soon'; expected a day"),
        ("pa-688a decks=two", "decks", "'two'; expected a number"),
    ],
)
def test_a_wrong_word_is_named(words, key, message):
    with pytest.raises(RulesRefused) as refused:
        submission_from_words(words.split())
    assert (refused.value.source, refused.value.key) == ("rules line", key)
    assert message in refused.value.message


def test_what_the_words_file_is_checked_like_any_submission():
    for words, key in (
        ("pa-688a fortune_bonus=7", "wagers.fortune_bonus.paytable"),
        ("pa-688a progressive=9 meter=m-1 linked=yes", "wagers.progressive.paytable"),
        ("pa-688a progressive=4 progressive.min=1.00", "wagers.progressive.min"),
        ("pa-688a min=much", "wagers.base.min"),
        ('pa-688a house_way=a"b', "house_way"),
        ("pa-688a fortune_pays=first", "settings.fortune_pays"),
    ):
        with pytest.raises(RulesRefused) as refused:
            parse_submission(submission_from_words(words.split()))
        assert refused.value.key == key


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = " + "[" * 1_500, "nested too deeply"),
        ("a = " + "[" * 11 + "]" * 11, "more than 10 deep"),
        ("a.b.c.d.e.f.g.h.i.j.k = 1", "more than 10 deep"),
        ("a = " + "9" * 1_990 + "0" * 7, "at most 131072 characters, and 2000 in a line"),
        ("a = 1\n" * 22_000, "at most 131072 characters"),
        ("effective_gaming_day = 2021-02-31", "not TOML"),
        ("a = '''\n" + "9\n" * 3 + "'''\nb = 9" + "_9" * 900, "chapter: missing"),
    ],
)
def test_what_is_monstrous_is_refused(text, message):
    with pytest.raises(RulesRefused, match=message) as refused:
        parse_submission(text, "rules.toml")
    assert str(refused.value).startswith("rules.toml: ")
    assert len(str(refused.value)) < 2_000


def test_ten_deep_and_two_thousand_long_are_read_and_refused_for_what_they_say():
    for text in ("a = " + "[" * 9 + "]" * 9, "a = " + "'" + "x" * 1_994 + "'"):
        with pytest.raises(RulesRefused, match="chapter: missing"):
            parse_submission(text)
