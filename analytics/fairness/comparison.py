"""The devices' tests next to those of another period: the same test of the same device in both."""

from typing import Final

import polars as pl

KEY: Final = ("family", "game", "table_id", "dice_set", "die", "position", "method", "deck")
"""The columns that identify a test."""


def beside(found: pl.DataFrame, before: pl.DataFrame) -> pl.DataFrame:
    """Return the tests, order kept, with `verdict_before`: the verdict of the same test in the other period, or None."""
    verdicts = before.select(*KEY, pl.col("verdict").alias("verdict_before"))
    return found.join(verdicts, on=list(KEY), how="left", nulls_equal=True, maintain_order="left")
