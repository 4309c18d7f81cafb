"""Helpers of `test_house_commands` that other tests use too."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from app.cli import main
from tests.floor import MAX, SAM, secret_of

PLAN = """
name = "Paper House"
jurisdiction = "US-NJ"
log_origin = "keno.example/paper"
time_zone = "America/New_York"
day_starts_minutes = 360
[[series]]
code = "M"
name = "main"
[[locations]]
code = "booth"
kind = "booth"
name = "Main booth"
series = ["M"]
stations = ["B1"]
[[staff]]
code = "SAM"
name = "Sam Super"
role = "supervisor"
secret = "written in the plan"
[[staff]]
code = "MAX"
name = "Max Manager"
role = "outside-manager"
secret = "written in the plan"
"""

GIVEN = "written in the plan"

CARD = Path(__file__).parent / "keno" / "card.toml"


class Console:
    """A terminal in a folder, at which people give their secrets."""

    def __init__(
        self,
        url: str,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        self._patch, self._capsys = monkeypatch, capsys
        monkeypatch.setenv("KENO_DATABASE", url)
        monkeypatch.setenv("KENO_KEYS", str(folder / "keys"))
        monkeypatch.setenv("KENO_PUBLIC", str(folder / "public"))

    def set(self, settings: dict[str, str]) -> None:
        for name, value in settings.items():
            self._patch.setenv(name, value)

    def keno(self, *arguments: str, name: str | None = None) -> tuple[int, dict[str, object]]:
        """Run a command, as somebody if a name is given; return its exit code and answer."""
        as_somebody = ["--as", name] if name else []
        people = [name or ""]
        if "--with" in arguments:
            people.append(arguments[arguments.index("--with") + 1])
        self._patch.setattr("sys.stdin", Typed([secret_of(person) for person in people]))
        return self._said([*arguments, *as_somebody, "--json"])

    def choose_secret(self, name: str, given: str = GIVEN) -> tuple[int, dict[str, object]]:
        """Have somebody choose the secret by which the tests know them."""
        self._patch.setattr("sys.stdin", Typed([given, secret_of(name)]))
        return self._said(["house", "secret", "--as", name, "--json"])

    def _said(self, arguments: list[str]) -> tuple[int, dict[str, object]]:
        code = main(arguments)
        out = self._capsys.readouterr().out
        return code, json.loads(out) if out else {}


@contextmanager
def short_folder() -> Iterator[Path]:
    """A folder whose name is short enough for a socket."""
    with TemporaryDirectory(prefix="keno-") as folder:
        yield Path(folder)


class Typed:
    """Standard input: what is typed, line by line."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def isatty(self) -> bool:
        return False

    def readline(self) -> str:
        return self._lines.pop(0) + "\n"


def choose_secrets(console: Console) -> None:
    """Have everybody of the plan choose a secret that whoever wrote it does not know."""
    for name in (SAM, MAX):
        assert console.choose_secret(name) == (0, {"name": name})
        assert console.choose_secret(name)[0] == 3  # the one of the plan is no longer theirs
