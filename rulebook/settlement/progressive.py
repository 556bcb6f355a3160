"""The arithmetic of a progressive meter, in hundredths of a cent (D18): how wagers advance it and what a share takes.

§ 688a.12(d); § 659a.12(d)(3), (4). A meter keeps fractions of a cent; a payout is whole cents, rounded down (D25).
"""

WHOLE_METER_BP = 10_000


def contribution(wager_cents: int, rate_bp: int) -> int:
    """Return what a wager adds to a meter at a rate in basis points, in centicents.

    >>> contribution(100, 2800)
    2800
    """
    return wager_cents * 100 * rate_bp // 10_000


def share_cents(meter_centicents: int, share_bp: int) -> int:
    """Return what a winner of a share of the meter is paid, in cents, rounded down.

    >>> share_cents(104_321_750, 1000)
    104321
    """
    return meter_centicents * share_bp // WHOLE_METER_BP // 100


def after_winner(meter_centicents: int, share_bp: int, seed_cents: int) -> int:
    """Return the meter after a winner: the seed if 100 % was won, otherwise the reading less the payout (D18).

    >>> after_winner(104_321_750, 10_000, 1_000_000), after_winner(104_321_750, 1000, 1_000_000)
    (100000000, 93889650)
    """
    if share_bp == WHOLE_METER_BP:
        return seed_cents * 100
    return meter_centicents - share_cents(meter_centicents, share_bp) * 100
