"""Helpers of `test_selling_days` that other tests use too."""

from random import Random

from app.keno.request import Request
from tests.floor import Floor
from tests.looking import rows


def request(chance: Random) -> Request:
    """A request of some kind: straight, split, way, combination, king or quick-pick."""
    games = chance.choice([1, 1, 1, 2, 5, 20])
    kind = chance.choice(["straight", "split", "way", "combination", "king", "quick-pick"])
    if kind == "quick-pick":
        return Request((), f"1/{(n := chance.choice([1, 2, 4, 8]))} @ 1.00", games, quick_pick=n)
    numbers = chance.sample(range(1, 81), 12)
    if kind == "straight":
        return Request((tuple(numbers[:4]),), "1/4 @ 2.50", games)
    if kind == "split":
        return Request((tuple(numbers[:4]), tuple(numbers[4:8])), "2/4 @ 1.00", games)
    if kind == "way":
        pairs = tuple(tuple(numbers[place : place + 2]) for place in range(0, 8, 2))
        return Request(pairs, "6/4 @ 1.00", games)
    if kind == "king":
        return Request((tuple(numbers[:3]), (numbers[3],)), "1/4 @ 1.00", games)
    groups = (tuple(numbers[:2]), tuple(numbers[2:4]), tuple(numbers[4:8]))
    return Request(groups, "2/4 1/8 @ 1.00", games)


def balance(floor: Floor, account: str) -> int:
    found = "SELECT coalesce(sum(cents), 0) FROM posting WHERE account = :account"
    ((cents,),) = rows(floor, found, account=account)
    return int(cents)
