"""The limit on what one game pays, shared among its winners to the cent.

This is how the limit of 15.3(e) is distributed (X-aggregate-sheet). Every win is first cut to the
limit. If the wins then come to more than the limit, each winner gets the first part of the win, up
to the card's threshold, in full, and what is left of the limit is shared in proportion to what the
wins have above the threshold. If the first parts alone are more than the limit the threshold falls
away, and all is shared in proportion. Left-over cents go to the largest remainders, then to the
lowest ticket numbers, but among wins that were cut to the limit to the largest. So the sum is
exactly the limit, and a larger win is never paid less than a smaller one.
"""

from collections.abc import Sequence


def prorate(
    wins_cents: Sequence[int], limit_cents: int, in_full_below_cents: int = 0
) -> tuple[int, ...]:
    """Return what each win is paid; the wins stand in the order of their ticket numbers."""
    wins = [min(win, limit_cents) for win in wins_cents]
    if sum(wins) <= limit_cents:
        return tuple(wins)
    in_full = [min(win, in_full_below_cents) for win in wins]
    if sum(in_full) > limit_cents:
        in_full = [0] * len(wins)
    above = [win - part for win, part in zip(wins, in_full, strict=True)]
    shares = _shared(above, limit_cents - sum(in_full))
    paid = [part + share for part, share in zip(in_full, shares, strict=True)]
    return tuple(_largest_first(paid, wins_cents, limit_cents))


def _shared(claims_cents: Sequence[int], pool_cents: int) -> list[int]:
    """Share a pool that is less than the claims in proportion to them, by largest remainder."""
    total = sum(claims_cents)
    shares, remainders = [], []
    for claim in claims_cents:
        share, remainder = divmod(claim * pool_cents, total)
        shares.append(share)
        remainders.append(remainder)
    left_over = pool_cents - sum(shares)
    # The sort is stable: equal remainders stay in the order of the ticket numbers.
    by_remainder = sorted(range(len(shares)), key=lambda place: -remainders[place])
    for place in by_remainder[:left_over]:
        shares[place] += 1
    return shares


def _largest_first(
    paid_cents: Sequence[int], wins_cents: Sequence[int], limit_cents: int
) -> list[int]:
    """Hand the payments of wins that were cut to the limit, and so tied, out by size of the win."""
    ordered = list(paid_cents)
    tied = [place for place, win in enumerate(wins_cents) if win >= limit_cents]
    payments = sorted((paid_cents[place] for place in tied), reverse=True)
    by_win = sorted(tied, key=lambda place: -wins_cents[place])
    for place, payment in zip(by_win, payments, strict=True):
        ordered[place] = payment
    return ordered
