"""Helpers of `test_rollback` that other tests use too."""

import json
import shutil
from pathlib import Path
from typing import cast

from rng.lab.verify import read_keys
from rng.lab.verify_journal import verify_journal
from rng.serve.ceremony import Part, make_journal, make_keys
from rng.serve.keyed import Surroundings
from tests.rng.house import CHEAP, IDA, PASSPHRASES, SAM, SUE, TestHouse


def backup(house: TestHouse, role: str) -> Path:
    """A copy of a role's folder, as of now."""
    copy = house.root / f"backup of {role}"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(house.root / role, copy, ignore=shutil.ignore_patterns("*.sock"))
    return copy


def restore(house: TestHouse, *copies: Path) -> None:
    """Kill both, put copies in place of what was there, and start again."""
    house.kill()
    for copy in copies:
        role = copy.name.removeprefix("backup of ")
        shutil.rmtree(house.root / role)
        shutil.copytree(copy, house.root / role)
    house.start()
    house.unlock()


def reasons(house: TestHouse, holder: str) -> list[str]:
    """Why a holder's process is locked out."""
    lockouts = cast("list[dict[str, str]]", house.by(holder, "status")["lockouts"])
    return [lockout["reason"] for lockout in lockouts]


def hand_over(house: TestHouse, role: str, *, new_keys: bool) -> None:
    """The journal of a role is lost, with or without its keys; the other role vouches for it."""
    giver = IDA if role == "rng" else SAM
    holders = [name for name in PASSPHRASES if (name in (SAM, SUE)) == (role == "rng")]
    house.kill()
    folder, public = house.root / role, house.root / "public"
    part = Part("rng" if role == "rng" else "inspector", folder, public)
    if new_keys:
        shutil.rmtree(folder)
        move_aside(public, role)
        (public / f"{role}.tls.pem").unlink()
        if role == "inspector":
            move_aside(public, "mark")
            (public / "mark.roots.json").unlink()
        make_keys(part, {name: PASSPHRASES[name] for name in holders}, CHEAP)
    else:
        (folder / "journal.jsonl").unlink()
        (folder / "pending.json").unlink(missing_ok=True)
    document = vouch(house, giver, role, new_keys=new_keys)
    surroundings = Surroundings(clock=house.clock)
    make_journal(part, holders[0], PASSPHRASES[holders[0]], document, surroundings)
    house.start_other(role)
    house.by(holders[0], "unlock")
    house.office.reread(public)


def move_aside(public: Path, role: str) -> None:
    """Keep the public half of a lost key under a number, as the page for the laboratory says."""
    older = len(list(public.glob(f"{role}-*.pem")))
    (public / f"{role}.pem").rename(public / f"{role}-{older + 1}.pem")


def vouch(house: TestHouse, giver: str, role: str, *, new_keys: bool) -> object:
    if role == "rng":
        house.start_inspector()
    else:
        house.start_rng()
    house.by(giver, "unlock")
    keys = read_keys(house.root / "public")
    lost = ("rng",) if role == "rng" else ("inspector", "mark")
    fields: dict[str, object] = {"keys": {name: keys[name] for name in lost} if new_keys else {}}
    if new_keys and role == "inspector":
        fields["mark_key_roots"] = json.loads(
            (house.root / "public" / "mark.roots.json").read_text()
        )
    return house.by(giver, "handover", reason="The disk is lost.", **fields)["handover"]


def check_books_after(house: TestHouse) -> None:
    house.rng.after()
    house.to_inspector.collect()
    keys = read_keys(house.root / "public")
    for name, public in house.old_keys.items():
        keys[f"{name}-old"] = public
    for role in ("rng", "inspector"):
        verify_journal(house.root / role / "journal.jsonl", keys)
