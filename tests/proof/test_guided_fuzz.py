"""Guided inputs for the readers of tests/test_parsers.py: read or refused, and nothing else.

The damaged inputs there are blind: each is the whole with a few faults, whatever the reader made of
the one before. Here libFuzzer sees, through atheris, which branches an input went through, keeps
what went somewhere new and damages that further, so it comes to places that many faults guard.
"""

import re
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from random import Random

import pytest

from tests.parsers import READERS
from tests.proof import planted
from tests.proof.fuzz import SCRAPS, damaged

ROOT = Path(__file__).parents[2]
INPUTS = 1_000_000
LENGTH = 256  # at the most, or twice that of the whole: what is short is read fast
SECONDS_MAX = 10  # a reader that takes longer for one input hangs
IS_HERE = find_spec("atheris") is not None
REMEDY = (
    "guided inputs need atheris, which there is for Linux on x86_64 and Python 3.11 to 3.14: "
    "run `python -m tests.proof rules` on such a machine"
)


@dataclass(frozen=True)
class Outcome:
    """What guided inputs came to."""

    found: bytes | None  # the input that was neither read nor refused
    inputs: int
    grew: bool  # whether they went through more branches than the whole did
    kept: tuple[bytes, ...]  # those that went somewhere new
    told: str  # the last that libFuzzer said


def guided(
    module: str, name: str, whole: bytes, folder: Path, *, inputs: int, seed: int
) -> Outcome:
    """Give a reader guided inputs, beginning with what is whole."""
    corpus, words, found = folder / "corpus", folder / "words", folder / "found"
    corpus.mkdir()
    (corpus / "whole").write_bytes(whole)
    words.write_text("".join(f'"{escaped(scrap)}"\n' for scrap in SCRAPS))
    command = [sys.executable, "-m", "tests.proof.guided", module, name, str(corpus)]
    options = [
        f"-runs={inputs}",
        f"-seed={seed}",
        f"-dict={words}",
        f"-max_len={max(LENGTH, 2 * len(whole))}",
        f"-timeout={SECONDS_MAX}",
        f"-exact_artifact_path={found}",
        "-keep_seed=1",  # or it is given up for the shortest input that goes the same way
    ]
    done = subprocess.run(  # noqa: S603  ourselves
        [*command, *options],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return outcome(done.stdout.decode(errors="replace"), found, corpus)


def outcome(told: str, found: Path, corpus: Path) -> Outcome:
    """Read what libFuzzer told and left behind."""
    ran = re.search(r"^Done (\d+) runs", told, re.MULTILINE)
    branches = [int(each) for each in re.findall(r"(?:INITED|DONE) +cov: (\d+)", told)]
    return Outcome(
        found=found.read_bytes() if found.exists() else None,
        inputs=int(ran[1]) if ran else 0,
        grew=bool(branches) and branches[-1] > branches[0],
        kept=tuple(path.read_bytes() for path in corpus.iterdir()),
        told=told[-4_000:],
    )


def escaped(scrap: bytes) -> str:
    """Write bytes as the dictionaries of libFuzzer have them."""
    return "".join(f"\\x{byte:02x}" for byte in scrap)


@pytest.mark.proof
@pytest.mark.parametrize("name", READERS)
def test_guided_inputs_are_read_or_refused(name: str, tmp_path: Path) -> None:
    assert IS_HERE, REMEDY
    make, read, refusals = READERS[name]
    # Zero: other inputs each time. One that is found is printed, so it can be read again.
    result = guided("tests.parsers", name, make(), tmp_path, inputs=INPUTS, seed=0)
    assert result.found is None, f"{name} fails for {result.found!r}\n{result.told}"
    assert result.inputs == INPUTS, result.told
    assert result.grew, result.told
    for data in result.kept:  # once more, with the JSON reader that the house has
        try:
            read(data)
        except refusals:
            continue
        except Exception as fault:
            fault.add_note(f"{name} fails for {data!r}")
            raise


@pytest.mark.proof
def test_guidance_finds_a_planted_fault_that_blind_damage_does_not(tmp_path: Path) -> None:
    assert IS_HERE, REMEDY
    inputs, chance = 200_000, Random(15)  # noqa: S311  the same damage in each run
    for _ in range(inputs):
        planted.read(damaged(chance, planted.WHOLE))
    result = guided(
        "tests.proof.planted", "planted", planted.WHOLE, tmp_path, inputs=inputs, seed=15
    )
    assert result.found is not None, result.told
    with pytest.raises(planted.Planted):
        planted.read(result.found)
