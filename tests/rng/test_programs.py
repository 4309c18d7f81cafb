"""The two programs: their answers, exit codes and refusals."""

import json
import os
import shutil
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import rng
from rng.cli import main
from rng.lab import collect, statistics
from rng.lab.rehearsal import HOLDERS, passphrases, rehearsal, rehearse
from rng.serve.ceremony import CeremonyFailed, Part, make_journal, make_keys, read_house
from rng.serve.keystore import DamagedKeys, Keystore, OpenKeys, WeakPassphrase, WrongPassphrase
from rng.serve.printer import FilePrinter, NetworkPrinter, NotReady, printer_at
from rng.serve.software import SoftwareWatch, manifest, software_hash
from tests.rng.house import CHEAP, IDA, PASSPHRASES, SAM, SUE, TestHouse, ceremony

ROOT = Path(rng.__file__).parents[1]


def run(
    *arguments: str, given: str = "", folder: Path | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run one of the programs as a program."""
    return subprocess.run(  # noqa: S603  our own module, by the running interpreter
        [sys.executable, "-m", "rng", *arguments],
        input=given,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


# ---- collectors ----------------------------------------------------------------------------------


@pytest.mark.rule("X-rng-lab")
def test_sampled_draws_are_draws_one_a_line() -> None:
    done = run("rng", "sample", "--draws", "700")
    draws = [[int(word) for word in line.split()] for line in done.stdout.splitlines()]
    assert len(draws) == 700
    assert statistics.test_draws(draws).draws == 700


@pytest.mark.rule("X-rng-lab")
def test_a_large_sample_is_made_by_several_processes_and_is_complete() -> None:
    parts = list(collect.sample_draws(2 * collect.DRAWS_A_PART + 7))
    counts = [part.count("\n") for part in parts]
    assert counts == [collect.DRAWS_A_PART, collect.DRAWS_A_PART, 7]
    assert len({line for part in parts for line in part.splitlines()}) == sum(counts)


@pytest.mark.rule("X-rng-lab")
def test_raw_bits_are_as_many_as_asked_for() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rng", "rng", "sample", "--raw", "100001"],
        capture_output=True,
        cwd=ROOT,
        check=True,
    )
    assert len(done.stdout) == 100_001
    assert len(set(done.stdout)) == 256


@pytest.mark.rule("X-rng-lab")
def test_a_full_sample_goes_through_both_processes() -> None:
    draws = list(rehearse(3))
    assert [len(set(numbers)) for numbers in draws] == [20] * 3


@pytest.mark.rule("X-rng-lab")
def test_no_sample_is_taken_in_a_generators_folder(house: TestHouse) -> None:
    assert main("rng", ["sample", "--draws", "1", "--dir", str(house.root / "rng")]) == 3
    assert main("rng", ["sample", "--draws", "1", "--dir", str(house.root / "public")]) == 0


@pytest.mark.parametrize("arguments", [[], ["--draws", "-1"], ["--draws", "x"], ["--raw", "-5"]])
def test_a_sample_must_be_of_something(arguments: list[str]) -> None:
    assert run("rng", "sample", *arguments).returncode == 2


@pytest.mark.rule("X-rng-tests")
def test_draws_in_a_file_are_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "draws"
    file.write_text("".join(collect.sample_draws(500)))
    assert main("rng", ["judge", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["draws"] == 500
    assert main("rng", ["judge", str(file)]) == 0
    assert "frequency" in capsys.readouterr().out
    file.write_text("1 2 x\n")
    assert main("rng", ["judge", str(file)]) == 3
    assert main("rng", ["judge", str(tmp_path / "nothing")]) == 2


# ---- the ceremony --------------------------------------------------------------------------------


@pytest.mark.proof  # by day a ceremony is held by commands in test_wheel
@pytest.mark.rule("15.5(a)-dual-key", "X-access")
def test_a_ceremony_by_command_makes_two_journals_of_one_house(tmp_path: Path) -> None:
    def done(*arguments: str, given: str = "") -> str:
        process = run(*arguments, given=given, folder=tmp_path)
        assert process.returncode == 0, process.stderr
        return process.stdout

    two = "first passphrase\nsecond passphrase\nfirst passphrase\n"
    named = ("--public", "public", "--holder", "A", "--holder", "B")
    done("rng", "practice", "setup", "--office", "office", "--public", "public", "--series", "M=5")
    assert "still lacks" in done("rng", "keygen", "--dir", "rng", *named, given=two)
    house = done("inspector", "keygen", "--dir", "inspector", *named, given=two).split("house: ")[1]
    again = ("rng", "keygen", "--dir", "rng", "--public", "public", "--holder", "A")
    assert run(*again, given="wrong passphrase\n", folder=tmp_path).returncode == 2
    assert done(*again, given="first passphrase\n").split("house: ")[1] == house
    assert run(*again, given="first passphrase\n", folder=tmp_path).returncode == 2
    for path in (*(tmp_path / "rng").iterdir(), *(tmp_path / "inspector").iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    assert (
        run(
            "rng", "practice", "setup", "--office", "office", "--public", "public", folder=tmp_path
        ).returncode
        == 2
    )


@pytest.mark.parametrize(
    ("holders", "given"),
    [
        (["A"], "long enough passphrase\n"),
        (["A", "A"], "long enough passphrase\nanother long enough\n"),
        (["A", "B"], "short\nanother long enough\n"),
        (["A", "B"], "the same passphrase\nthe same passphrase\n"),
        ([], ""),
    ],
)
def test_keys_are_not_made_for_too_few_or_for_weak_passphrases(
    tmp_path: Path, holders: list[str], given: str
) -> None:
    named = [word for name in holders for word in ("--holder", name)]
    done = run(
        "rng", "keygen", "--dir", "rng", "--public", "public", *named, given=given, folder=tmp_path
    )
    assert done.returncode == 2
    assert not (tmp_path / "rng" / "keys.json").exists()


def test_no_keys_are_made_whose_public_halves_could_not_be_handed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A medium that root has mounted, which the user of the generator cannot write to."""
    monkeypatch.setattr(os, "access", lambda path, _how: path != tmp_path / "medium")
    with pytest.raises(CeremonyFailed, match="cannot be written to by this user"):
        make_keys(
            Part("rng", tmp_path / "rng", tmp_path / "medium"), {"A": "a" * 20, "B": "b" * 20}
        )
    assert list((tmp_path / "rng").iterdir()) == []


def test_a_ceremony_needs_every_key_and_each_in_its_form(tmp_path: Path) -> None:
    source = ceremony()
    for spoil in ("office.pem", "mark.pem", "mark.roots.json", "terms.json"):
        public = tmp_path / spoil
        shutil.copytree(source / "public", public)
        (public / spoil).write_text("nonsense")
        with pytest.raises(CeremonyFailed, match="not in order"):
            read_house(public)
        (public / spoil).unlink()
        with pytest.raises(CeremonyFailed, match="has no"):
            read_house(public)
    public = tmp_path / "swapped"
    shutil.copytree(source / "public", public)
    shutil.copy(public / "office.pem", public / "rng.pem")
    shutil.copytree(source / "rng", tmp_path / "rng", ignore=shutil.ignore_patterns("journal*"))
    with pytest.raises(CeremonyFailed, match="another key"):
        make_journal(Part("rng", tmp_path / "rng", public), SAM, PASSPHRASES[SAM])
    with pytest.raises(CeremonyFailed, match="at least 2"):
        make_keys(Part("rng", tmp_path / "new", public), {"A": "long enough passphrase"})


@pytest.mark.rule("X-access")
def test_the_key_file_opens_for_its_holders_only_and_not_when_touched(tmp_path: Path) -> None:
    source = ceremony() / "rng" / "keys.json"
    path = tmp_path / "keys.json"
    path.write_bytes(source.read_bytes())
    store = Keystore(path)
    assert store.open(SAM, PASSPHRASES[SAM]).keys.keys() == {"signing"}
    for holder, passphrase in ((SAM, PASSPHRASES[SUE]), (IDA, PASSPHRASES[IDA]), ("", "")):
        with pytest.raises(WrongPassphrase):
            store.open(holder, passphrase)
    file = json.loads(source.read_bytes())
    first, second = file["holders"]
    first["master"], second["master"] = second["master"], first["master"]
    path.write_text(json.dumps(file))
    with pytest.raises(DamagedKeys):
        store.open(SAM, PASSPHRASES[SAM])
    with pytest.raises(FileExistsError):
        store.create(
            "rng", OpenKeys({}), {"A": "long enough passphrase", "B": "another passphrase"}, CHEAP
        )
    with pytest.raises(WeakPassphrase):
        Keystore(tmp_path / "other").create(
            "rng", OpenKeys({}), {"A": "short", "B": "shorter"}, CHEAP
        )


# ---- holders' commands ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("live")
    with rehearsal(root) as office:
        office.draw("M")
        yield root


def test_status_is_for_people_and_for_programs(live: Path) -> None:
    done = run("rng", "status", "--dir", str(live / "rng"), "--json")
    status = json.loads(done.stdout)
    assert status["unlocked"]
    assert status["series"]["M"]["next"] == 2
    assert "next M-2" in run("rng", "status", "--dir", str(live / "rng")).stdout
    assert "unlocked" in run("inspector", "status", "--dir", str(live / "inspector")).stdout


def test_locking_and_unlocking_by_command(live: Path) -> None:
    folder, name = str(live / "inspector"), HOLDERS["inspector"][1]
    assert run("inspector", "lock", "--dir", folder).returncode == 0
    unlock = ("inspector", "unlock", "--dir", folder, "--holder", name)
    wrong = run(*unlock, given="not the passphrase\n")
    assert wrong.returncode == 3
    assert "passphrase.wrong" in wrong.stderr
    done = run(*unlock, given=passphrases("inspector")[name] + "\n")
    assert done.returncode == 0
    assert "Compare" in done.stdout
    assert run(*unlock, given=passphrases("inspector")[name] + "\n").returncode == 3


def test_an_act_under_both_keys_by_command(live: Path) -> None:
    asking, approving = HOLDERS["rng"][0], HOLDERS["inspector"][0]
    ask = [sys.executable, "-m", "rng", "rng", "series", "LATE", "--first", "3"]
    ask += ["--dir", str(live / "rng"), "--holder", asking]
    asked = subprocess.Popen(  # noqa: S603  our own module
        ask, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert asked.stdin is not None
    assert asked.stdout is not None
    asked.stdin.write(passphrases("rng")[asking] + "\n")
    asked.stdin.flush()
    assert "begin the series LATE" in asked.stdout.readline()
    approve = ("inspector", "approve", "--dir", str(live / "inspector"), "--holder", approving)
    given = passphrases("inspector")[approving] + "\n"
    done = run(*approve, given=given)
    while "act.none" in done.stderr:  # the generator has not asked the inspector yet
        done = run(*approve, given=given)
    assert "begin the series LATE with game 3" in done.stdout
    printed, _ = asked.communicate(timeout=90)
    assert "done under both keys" in printed
    status = json.loads(run("rng", "status", "--dir", str(live / "rng"), "--json").stdout)
    assert status["series"]["LATE"]["next"] == 3


def test_the_self_test_by_command(live: Path) -> None:
    assert "passed: the draw" in run("rng", "selftest").stdout
    assert (
        "passed: the draw" in run("inspector", "selftest", "--dir", str(live / "inspector")).stdout
    )


def test_what_cannot_be_carried_out_is_said_plainly(live: Path, tmp_path: Path) -> None:
    gone = run("rng", "status", "--dir", str(tmp_path))
    assert gone.returncode == 2
    assert "does not answer" in gone.stderr
    twice = run("inspector", "serve", "--dir", str(live / "inspector"))
    assert twice.returncode == 2
    assert "another process" in twice.stderr
    none = run("inspector", "serve", "--dir", str(tmp_path))
    assert none.returncode == 2
    assert "key ceremony" in none.stderr
    printer = ("--inspector", "unix:x", "--printer", "nowhere")
    assert run("rng", "serve", "--dir", str(tmp_path), *printer).returncode == 2
    assert run("rng", "nonsense").returncode == 2
    assert (
        run(
            "rng", "reopen", "--dir", str(live / "rng"), "--holder", "x", "--reason", "y"
        ).returncode
        == 2
    )


@pytest.mark.rule("15.5(a)-dual-key")
def test_a_new_passphrase_is_typed_twice_at_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody sees what is typed: what was mistyped once is asked for again."""
    first, second = PASSPHRASES[SAM], PASSPHRASES[SUE]
    typed = iter([f"{first}x", first, first, first, second, second])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("getpass.getpass", lambda _prompt: next(typed))
    part = Part("rng", tmp_path / "rng", tmp_path / "public")
    folders = ["--dir", str(part.folder), "--public", str(part.public)]
    assert main("rng", ["keygen", *folders, "--holder", SAM, "--holder", SUE]) == 0
    assert capsys.readouterr().out.startswith("these were not the same\nkeys made for ")
    assert next(typed, None) is None
    assert part.keystore.open(SAM, first).keys
    assert part.keystore.open(SUE, second).keys


def test_nothing_typed_where_a_passphrase_is_asked_for_is_no_fault_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def end_of_input(_prompt: str) -> str:
        raise EOFError

    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("getpass.getpass", end_of_input)
    folders = ["--dir", str(tmp_path / "rng"), "--public", str(tmp_path / "public")]
    assert main("rng", ["keygen", *folders, "--holder", SAM, "--holder", SUE]) == 2
    assert capsys.readouterr().err == "keno-rng: no passphrase was given\n"


def test_verifying_by_command(
    live: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    journals = [str(live / role / "journal.jsonl") for role in ("rng", "inspector")]
    keys = ["--keys", str(live / "public")]
    assert main("rng", ["verify", *journals, *keys]) == 0
    assert capsys.readouterr().out.count("sound: ") == 2
    example = json.loads((Path(__file__).parent / "vectors" / "worked_example.json").read_text())
    (tmp_path / "draw.json").write_text(json.dumps({"drawn": example["draw"]}))
    (tmp_path / "statement.json").write_text(json.dumps(example["draw"]["statement"]))
    assert main("rng", ["verify", str(tmp_path / "draw.json"), *keys]) == 3
    assert "wrong: " in capsys.readouterr().err
    (tmp_path / "bad.json").write_text("{")
    assert main("rng", ["verify", str(tmp_path / "bad.json"), *keys]) == 3
    assert main("rng", ["verify", journals[0], "--keys", str(tmp_path)]) == 3


# ---- paper and software --------------------------------------------------------------------------


@pytest.mark.rule("15.5(a)-record")
def test_a_printer_is_a_file_or_a_port(tmp_path: Path) -> None:
    paper = printer_at(f"file:{tmp_path / 'paper'}")
    paper.check_ready()
    paper.print(b"slip 1\n")
    paper.print(b"slip 2\n")
    assert (tmp_path / "paper").read_bytes() == b"slip 1\nslip 2\n"
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        printer = printer_at(f"tcp:127.0.0.1:{port}")
        assert isinstance(printer, NetworkPrinter)
        printer.check_ready()
        server.accept()[0].close()
        printer.print(b"slip\n")
        connection, _ = server.accept()
        with connection:
            assert connection.recv(100) == b"slip\n"
    for nothing in (printer, FilePrinter(tmp_path / "no" / "folder")):
        with pytest.raises(NotReady):
            nothing.check_ready()
        with pytest.raises(NotReady):
            nothing.print(b"slip\n")
    for place in ("", "file:", "tcp:host", "usb:1"):
        with pytest.raises(ValueError, match="names no printer"):
            printer_at(place)


@pytest.mark.rule("X-software-seal")
def test_the_manifests_are_those_of_sha256sum_and_the_core_is_a_part_of_the_whole() -> None:
    checked = subprocess.run(
        ["sha256sum", "--check", "--quiet"],  # noqa: S607  wherever the system has it
        input=manifest(),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stderr
    assert set(manifest(part="core").splitlines()) < set(manifest().splitlines())
    assert manifest() == run("rng", "manifest").stdout
    assert manifest(part="core") == run("inspector", "manifest", "--core").stdout


@pytest.mark.rule("X-software-seal")
def test_any_touched_file_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "rng"
    (package / "core").mkdir(parents=True)
    (package / "core" / "draw.py").write_text("FAIR = True\n")
    watch = SoftwareWatch(package)
    first = watch()
    assert first == software_hash(package)
    (package / "core" / "draw.py").write_text("FAIR = None\n")
    monkeypatch.setattr(watch, "_look_again", 0.0)
    assert watch() == software_hash(package) != first
    (package / "extra.py").write_text("")
    monkeypatch.setattr(watch, "_look_again", 0.0)
    assert watch() == software_hash(package)
