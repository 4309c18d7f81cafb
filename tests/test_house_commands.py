"""The commands of the house, from an empty folder to clean books, on both engines."""

import json
import os
from hashlib import sha256
from pathlib import Path

import pytest

from app.cli import main
from app.cli.console import founded_office, whoever_sits_here
from app.reports.catalogue import CATALOGUE
from app.store.queries import games
from app.store.schema import newest_revision
from tests.floor import MAX, SAM, secret_of
from tests.house_commands import CARD, GIVEN, PLAN, Console, Typed, choose_secrets, short_folder
from tests.keyed import real_processes


class Terminal(Typed):
    """Standard input that is somebody at the keys."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def console(
    empty_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Console:
    return Console(empty_url, tmp_path, monkeypatch, capsys)


@pytest.mark.proof  # by day a house is founded by commands in test_wheel
@pytest.mark.rule("X-audit-books", "X-audit-log")
def test_a_house_is_founded_and_run_by_hand(console: Console, tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN)
    assert console.keno("database", "upgrade")[1]["revision"] == newest_revision()
    assert console.keno("house", "keys")[0] == 0
    assert console.keno("books")[0] == 2  # there is no house yet
    code, founded = console.keno("house", "found", str(plan))
    assert (code, [station["code"] for station in founded["stations"]]) == (0, ["B1"])  # type: ignore[attr-defined]
    choose_secrets(console)
    code, brought = console.keno("card", "bring", str(CARD), name=SAM)
    digest = str(brought["card"])
    assert console.keno("game", "open", "M", name=SAM)[0] == 3  # nobody can draw it
    assert console.keno("card", "force", digest, name=SAM)[0] == 3  # nobody has accepted it
    assert console.keno("card", "accept", digest, name=SAM)[0] == 0
    assert console.keno("card", "accept", digest, name=MAX)[0] == 0
    assert console.keno("card", "force", digest, name=SAM)[0] == 0
    amount = ("house", "amount", "approval", "100000", "--with", MAX, "--from")
    assert console.keno(*amount, "2099-01-01", name=SAM)[1]["cents"] == 100_000
    assert console.keno(*amount, "2020-01-01", name=SAM)[0] == 3  # that day is over
    assert console.keno(*amount, "soon", name=SAM)[0] == 2
    setting = ("house", "setting", "copies-alone", "--with", MAX)
    assert console.keno(*setting, "2", name=SAM)[1] == {"setting": "copies-alone", "value": 2}
    assert console.keno(*setting, "10", name=SAM)[0] == 3
    assert console.keno("day", "close", "2099-01-01", name=SAM)[0] == 3  # it is not over
    assert console.keno("day", "close", "today", name=SAM)[0] == 2
    assert console.keno("house", "terms")[0] == 0
    with short_folder() as folder, real_processes(folder, tmp_path / "public") as settings:
        console.set(settings)
        assert console.keno("game", "open", "M", name=SAM) == (0, {"opened": "M-1"})
        locked = console.keno("game", "lock", "M", name=SAM)
        assert locked == (0, {"locked": "M-1", "opened": "M-2"})
        assert console.keno("game", "lock", "M", name=SAM)[0] == 3  # M-1 is not drawn yet
        assert console.keno("game", "lock", "M", name=MAX)[0] == 3  # not for a manager to do
        which = ("M", "--game", "2", "--reason", "a late bus")
        assert console.keno("game", "close", *which, name=SAM)[1] == {
            "game": "M-2",
            "closes_at": None,
        }
        assert console.keno("game", "every", "M", "60", name=SAM)[1]["interval_seconds"] == 60
        assert console.keno("game", "every", "M", "1", name=SAM)[0] == 3
        which = ("M", "--game", "1", "--reason", "a flood")
        assert console.keno("game", "void", *which, name=SAM) == (0, {"game": "M-1"})
        assert console.keno("game", "release", *which, "--with", MAX, name=SAM)[0] == 3
        assert "keno.example/paper" in str(console.keno("log", "seal")[1]["note"])
        assert "keno.example/paper/inspector" in str(console.keno("log", "cosign")[1]["note"])
        assert console.keno("log", "verify")[1]["faults"] == []
        _pull_reports(console, tmp_path)
        code, books = console.keno("books")
        again = console.keno("books", "--record", "--progress")[1]
        recorded = console.keno("books")[1]
    assert (code, set(map(str, books["checks"].values()))) == (0, {"[]"})  # type: ignore[attr-defined]
    # What was recorded is an entry more, and one that the checks find in order.
    assert again["looked_at"] == books["looked_at"]
    assert recorded["looked_at"]["log"] == again["looked_at"]["log"] + 1  # type: ignore[index]
    assert recorded["faults"] == 0


@pytest.mark.rule("X-access")
def test_at_the_terminal_a_new_secret_is_typed_twice_and_the_one_of_the_plan_opens_nothing(
    console: Console,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.replace(GIVEN, secret_of(SAM)))
    for command in (("database", "upgrade"), ("house", "keys"), ("house", "found", str(plan))):
        assert console.keno(*command)[0] == 0
    code, refused = console.keno("card", "bring", str(CARD), name=SAM)
    assert (code, "staff.secret_given" in str(refused)) == (3, True)
    own, asked = "that Sam alone knows", []
    slip = secret_of(SAM), own, "a slip"
    typed = iter((*slip, *slip, secret_of(SAM), own, own))

    def ask(prompt: str) -> str:
        asked.append(prompt)
        return next(typed)

    monkeypatch.setattr("sys.stdin", Terminal([]))
    monkeypatch.setattr("getpass.getpass", ask)
    assert main(["house", "secret", "--as", SAM]) == 3
    assert "not typed the same way twice" in capsys.readouterr().err
    assert main(["house", "secret", "--as", SAM, "--json"]) == 3
    (refusal,) = json.loads(capsys.readouterr().out)["refusals"]
    assert refusal["code"] == "staff.secrets_differ"
    assert main(["house", "secret", "--as", SAM]) == 0
    said = capsys.readouterr()
    assert "The new secret is Sam Super's from now on." in said.out
    assert own not in said.out + said.err
    assert asked == ["Secret of Sam Super: ", "New secret of Sam Super: ", "Once more: "] * 3
    assert next(typed, None) is None


def _pull_reports(console: Console, tmp_path: Path) -> None:
    """Have reports listed, made and chosen, of the day on which the first game was locked."""
    code, listed = console.keno("report", "list")
    assert (code, len(listed["reports"])) == (0, len(CATALOGUE))  # type: ignore[arg-type]
    today = day_of_first_game()
    for form in ("pdf", "csv", "json"):
        file = str(tmp_path / f"games.{form}")
        asked = ("report", "winning-numbers", "--day", today, "--format", form, "--out", file)
        code, made = console.keno(*asked)
        assert (code, made["whole"]) == (0, False)
        assert sha256(Path(file).read_bytes()).hexdigest() == made["sha256"]
    assert "M-1" in (tmp_path / "games.csv").read_text()
    assert console.keno("report", "winning-numbers")[0] == 2  # of which day?
    assert console.keno("report", "winning-numbers", "--day", today)[0] == 2  # where to?
    assert console.keno("report", "secrets")[0] == 3  # which of them it is comes first
    assert console.keno("report", "secrets", "--day", today, "--out", "x")[0] == 3
    choosing = ("house", "report", "voids")
    assert console.keno(*choosing, name=SAM)[1]["chosen"] is True
    assert console.keno(*choosing, "--no", name=SAM)[1]["chosen"] is False
    assert console.keno(*choosing, "--again", today, name=SAM)[0] == 3  # no close asked for it
    assert console.keno(*choosing, "--again", today, "--no", name=SAM)[0] == 2
    assert console.keno("house", "report", "secrets", name=SAM)[0] == 3
    assert console.keno(*choosing, name=MAX)[0] == 3  # not for a manager outside keno


@pytest.mark.rule("X-access")
def test_whoever_sits_at_the_console_is_known_by_their_login(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    login = tmp_path / "loginuid"
    monkeypatch.setattr("app.cli.console.LOGIN", login)
    monkeypatch.setattr("getpass.getuser", lambda: "keno")
    login.write_text("0")
    assert whoever_sits_here().document() == {"at": "console", "user": "root"}
    # Nobody has logged in, as for a process of the machine; or there is no such file.
    for number in ("4294967295", ""):
        login.write_text(number)
        assert whoever_sits_here().user == "keno"
    login.unlink()
    assert whoever_sits_here().user == "keno"

    def nameless() -> str:
        raise KeyError("no such user")

    monkeypatch.setattr("getpass.getuser", nameless)
    assert whoever_sits_here().user == str(os.getuid())


def day_of_first_game() -> str:
    """The gaming day of M-1; by now another one may have begun."""
    with founded_office() as office, office.database.reading() as connection:
        game = games.game(connection, "M", 1)
    assert game is not None
    assert game.gaming_day is not None
    return game.gaming_day


def test_the_manifest_is_what_sha256sum_would_say(console: Console) -> None:
    code, said = console.keno("manifest")
    assert code == 0
    lines = {line[66:]: line[:64] for line in str(said["manifest"]).splitlines()}
    root = Path(__file__).parent.parent
    assert lines["wsgi.py"] == sha256((root / "wsgi.py").read_bytes()).hexdigest()
    assert {"app/flow/draw.py", "rng/core/drbg.py", "app/web/templates/sign_in.html"} <= set(lines)
    assert said["hash"] == sha256(str(said["manifest"]).encode()).hexdigest()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["books"], "log.key: No such file"),
        (["house", "found", "nowhere.toml"], "the plan cannot be used"),
    ],
)
@pytest.mark.usefixtures("console")
def test_a_command_that_cannot_be_carried_out_says_what_is_missing(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert main(arguments) == 2
    assert words in capsys.readouterr().err


@pytest.mark.rule("X-recovery")
@pytest.mark.parametrize("act", ["show", "upgrade"])
@pytest.mark.parametrize(
    "url", ["postgresql+psycopg://nobody@127.0.0.1:1/keno", "sqlite:////nowhere/keno.db"]
)
def test_a_database_that_is_away_is_told_in_a_sentence(
    console: Console, capsys: pytest.CaptureFixture[str], url: str, act: str
) -> None:
    console.set({"KENO_DATABASE": url})
    assert main(["database", act]) == 1
    told = capsys.readouterr().err
    assert told.startswith("keno: the database does not answer: ")
    assert "Traceback" not in told


def test_a_database_of_another_revision_is_not_worked_on(
    console: Console, capsys: pytest.CaptureFixture[str]
) -> None:
    console.keno("house", "keys")
    assert main(["books"]) == 2
    assert "keno database upgrade" in capsys.readouterr().err


def test_keys_are_never_replaced(console: Console) -> None:
    assert console.keno("house", "keys")[0] == 0
    assert console.keno("house", "keys")[0] == 2


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("KENO_DATABASE", "mysql://here", "must begin with"),
        ("KENO_KEYS", "", "must name a folder"),
        ("KENO_DATABASE", "sqlite:///", "must name a file"),
        ("KENO_PUBLIC", "", "must name a folder"),
        ("KENO_RNG", "somewhere", "must be an address"),
        ("KENO_DATABSE", "typo", "KENO_DATABSE is no setting"),
    ],
)
def test_a_setting_that_cannot_be_used_is_told(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    value: str,
    words: str,
) -> None:
    monkeypatch.setenv(name, value)
    assert main(["books"]) == 2
    assert words in capsys.readouterr().err
