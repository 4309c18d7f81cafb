"""The limit on what one game pays, shared among its winners to the cent.

This is how the limit of 15.3(e) is distributed (X-aggregate-sheet). Every win is first cut to the
limit. If the wins then come to more than the limit, each winner gets the first part of the win, up
to the card's threshold, in full, and what is left of the limit is shared in proportion to what the
wins have above the threshold. If the first parts alone are more than the limit the threshold falls
away, and all is shared in proportion. Left-over cents go to the largest remainders, then to the
lowest ticket numbers, but among wins that were cut and so tie to the largest. So the sum is
exactly the limit, and a larger win is never paid less than a smaller one.
"""

from collections.abc import Iterable, Sequence

from app.keno.rate_card import Limits


def game_limits(limits: Iterable[Limits]) -> tuple[int | None, int]:
    """Return the limit of a game and its in-full threshold: the largest on any live ticket in it.

    A card without a limit has the largest there is.
    """
    aggregates, thresholds = [], [0]
    for each in limits:
        aggregates.append(each.aggregate_cents)
        thresholds.append(each.in_full_below_cents)
    some = [limit for limit in aggregates if limit is not None]
    return (max(some) if some and len(some) == len(aggregates) else None), max(thresholds)


def prorate(
    wins_cents: Sequence[int],
    limit_cents: int,
    in_full_below_cents: int = 0,
    uncut_cents: Sequence[int] | None = None,
) -> tuple[int, ...]:
    """Return what each win is paid; the wins stand in the order of their ticket numbers.

    Args:
        wins_cents: each as its own card cut it.
        limit_cents: the limit of the game.
        in_full_below_cents: the first part of each win that is paid before the rest is shared.
        uncut_cents: each before it was cut, if that differs.
    """
    claims = [min(win, limit_cents) for win in wins_cents]
    if sum(claims) <= limit_cents:
        return tuple(claims)
    in_full = [min(claim, in_full_below_cents) for claim in claims]
    if sum(in_full) > limit_cents:
        in_full = [0] * len(claims)
    above = [claim - part for claim, part in zip(claims, in_full, strict=True)]
    shares = _shared(above, limit_cents - sum(in_full))
    paid = [part + share for part, share in zip(in_full, shares, strict=True)]
    return tuple(_largest_first(paid, claims, uncut_cents or wins_cents))


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
    paid_cents: Sequence[int], claims_cents: Sequence[int], uncut_cents: Sequence[int]
) -> list[int]:
    """Hand the payments of wins that were cut, and so tied, out by what they were uncut.

    Among those that were not cut nothing changes: the sort keeps the order of ticket numbers.
    """
    tied: dict[int, list[int]] = {}
    for place, claim in enumerate(claims_cents):
        tied.setdefault(claim, []).append(place)
    ordered = list(paid_cents)
    for places in tied.values():
        payments = sorted((paid_cents[place] for place in places), reverse=True)
        by_win = sorted(places, key=lambda place: -uncut_cents[place])
        for place, payment in zip(by_win, payments, strict=True):
            ordered[place] = payment
    return ordered
