"""What the models know of single games comes from the games' records, and a warehouse built by other records is built again."""

from pathlib import Path

import pytest

from analytics.warehouse.game_facts import FACT_TABLES, game_facts
from analytics.warehouse.warehouse import MODELS, model_text, models_digest
from rulebook.catalogue import GAMES, add_game, remove_game
from tests.example_game.variants import HERE, new_package


def test_the_facts() -> None:
    assert game_facts() == {
        "raw_patron_banked": [("player_dealer",)],
        "raw_combined_wagers": [
            ("dj_wild", "ante", "ante_blind_raise", True),
            ("dj_wild", "blind", "ante_blind_raise", False),
            ("dj_wild", "raise", "ante_blind_raise", False),
            ("over_under", "ante", "base", True),
            ("over_under", "over", "base", False),
            ("over_under", "under", "base", False),
        ],
        "raw_other_readings": [
            ("ante", "wrong_side", "pushes"),
            ("fortune_bonus", "fortune_pays", "highest_rank"),
            ("over", "wrong_side", "pushes"),
            ("progressive", "progressive_deuces", "wild"),
            ("progressive", "progressive_joker", "completes"),
            ("progressive", "progressive_joker", "wild"),
            ("under", "wrong_side", "pushes"),
        ],
    }


def test_every_fact_has_its_columns() -> None:
    assert set(game_facts()) == set(FACT_TABLES)
    for table, rows in game_facts().items():
        assert {len(row) for row in rows} == {len(FACT_TABLES[table].split(","))}


@pytest.mark.parametrize("model", MODELS)
def test_no_model_names_a_game(model: str) -> None:
    assert [name for name in GAMES if f"'{name}'" in model_text(model)] == []


def test_a_warehouse_knows_by_which_records_it_was_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    before, record = models_digest(), (HERE / "returns.py").read_text()
    alone = record.replace('combined=("ante",)', 'combined=("ante",), theory_wager="ante"')
    assert alone != record
    for text, adds_a_fact in ((None, False), (alone, False), (record, True)):
        add_game(new_package(tmp_path, {"returns.py": text}))
        try:
            assert (models_digest() != before) == adds_a_fact
        finally:
            remove_game("high_card")
    assert models_digest() == before
