"""Helpers of `test_acts` that other tests use too."""

import json

from rng.serve.ceremony import public_pem
from tests.rng.house import IDA, IVAN, SAM, SUE, TestHouse

OTHER = {SAM: IDA, SUE: IDA, IDA: SAM, IVAN: SAM}


def under_both_keys(house: TestHouse, holder: str, act: str, **fields: object) -> None:
    """One holder asks, one of the other role approves."""
    house.by(holder, act, **fields)
    house.by(holder, "pending")
    house.approve(OTHER[holder])
    assert house.by(holder, "pending")["act"] is None
    house.unlock_sealed()


def publish(house: TestHouse, *roles: str) -> None:
    """Put the new public keys where the office finds them."""
    for role in roles:
        (house.root / "public" / f"{role}.pem").write_bytes(public_pem(house.rng.state.keys[role]))
    roots = json.dumps(house.inspector.state.mark_key_roots)
    (house.root / "public" / "mark.roots.json").write_text(roots)
    house.office.reread(house.root / "public")
