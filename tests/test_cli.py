"""The `keno` command as scripts and people use it."""

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from shlex import quote
from typing import Any

import pytest

from app import cli
from app.keno.documents import DOCUMENT_MAX
from tests.keno.cards import FILE
from tests.keno.toml_text import changed_card

CARD = str(FILE)
KENO = Path(sys.executable).parent / "keno"
REQUEST = {"groups": [[1, 2, 3, 4], [5, 6, 7, 8]], "conditioning": "2/4 1/8 @ 1.00", "games": 2}
DRAW = list(range(1, 21))


@dataclass(frozen=True)
class Said:
    exit_code: int
    out: str
    err: str

    @property
    def document(self) -> Any:  # noqa: ANN401  whatever JSON the command printed
        return json.loads(self.out)


Keno = Callable[..., Said]


@pytest.fixture
def keno(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Keno:
    """Run the command in this process, with `stdin` as its standard input."""

    def run(*arguments: str, stdin: object = b"") -> Said:
        fed = stdin if isinstance(stdin, bytes) else json.dumps(stdin).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(fed)))
        try:
            exit_code = cli.main(arguments)
        except SystemExit as ended:
            exit_code = int(ended.code or 0)
        said = capsys.readouterr()
        return Said(exit_code, said.out, said.err)

    return run


class TestOdds:
    @pytest.mark.rule("X-card-odds")
    def test_exact_odds_as_json(self, keno: Keno) -> None:
        said = keno("odds", "1", "--json")
        assert said == Said(0, '{"spots": 1, "catches": {"0": "3/4", "1": "1/4"}}\n', "")
        catches = keno("odds", "80", "--json").document["catches"]
        assert catches == {"20": "1/1"}
        assert sum(map(Fraction, keno("odds", "8", "--json").document["catches"].values())) == 1

    def test_a_table_with_bars_for_people(self, keno: Keno) -> None:
        lines = keno("odds", "8").out.splitlines()
        assert lines[0] == "8 spots, 20 of 80 drawn"
        assert lines[5].split() == ["2", "32.814562%", "1", "in", "3.05", "#" * 40]
        assert keno("odds", "1").out.startswith("1 spot,")

    @pytest.mark.parametrize("spots", ["0", "81", "999999999"])
    def test_spots_that_no_way_has_are_refused(self, keno: Keno, spots: str) -> None:
        said = keno("odds", spots, "--json")
        assert said.exit_code == 3
        assert [each["code"] for each in said.document["refusals"]] == ["odds.no_such_spots"]

    @pytest.mark.parametrize(
        "spots", ["eight", "-8", "8.0", "1_0", "\N{FULLWIDTH DIGIT EIGHT}", "9" * 5000, ""]
    )
    def test_spots_that_are_not_a_number_are_bad_usage(self, keno: Keno, spots: str) -> None:
        assert keno("odds", spots).exit_code == 2


class TestRateCardCheck:
    @pytest.mark.rule("15.3(e)", "X-card-odds")
    def test_a_sound_card_with_its_exact_figures(self, keno: Keno) -> None:
        said = keno("rate-card", "check", CARD, "--json")
        assert said.exit_code == 0
        assert said.document["faults"] == []
        assert said.document["schedules"]["regular"]["1"] == {
            "return": "3/4",
            "house_advantage": "1/4",
            "hit": "1/4",
        }
        assert list(said.document["schedules"]["twobits"]) == ["2", "4", "8"]

    @pytest.mark.rule("15.3(e)", "15.6(c)")
    def test_a_card_with_faults_is_told_all_of_them(self, keno: Keno) -> None:
        file = changed_card("limits.claim_minutes = 4").replace(b"10000000", b"10")
        said = keno("rate-card", "check", "-", "--json", stdin=file)
        assert said.exit_code == 3
        codes = {fault["code"] for fault in said.document["faults"]}
        assert {"card.claim_too_short", "card.aggregate_too_low"} <= codes
        assert "regular" in said.document["schedules"]
        plain = keno("rate-card", "check", "-", stdin=file)
        assert plain.exit_code == 3
        assert "This card may not be put into force." in plain.out
        assert "The claim period is 4 minutes; the law asks for at least 5." in plain.out

    def test_a_file_that_is_no_card(self, keno: Keno) -> None:
        said = keno("rate-card", "check", "-", "--json", stdin=b"\xff")
        assert said.exit_code == 3
        assert said.document["schedules"] == {}
        assert said.document["faults"][0]["code"] == "document.not_utf8"
        assert "not text in UTF-8" in keno("rate-card", "check", "-", stdin=b"\xff").out
        assert keno("rate-card", "check", "-", stdin=b"").exit_code == 3

    def test_a_table_for_people(self, keno: Keno) -> None:
        said = keno("rate-card", "check", CARD)
        assert "No faults: this card may be put into force." in said.out
        assert "    1   75.00%       25.00%  25.0000%              $3.00" in said.out


class TestQuote:
    @pytest.mark.rule("15.4(a)")
    def test_a_quote_as_json(self, keno: Keno) -> None:
        said = keno("quote", "--rate-card", CARD, "--json", stdin=REQUEST)
        assert said.exit_code == 0
        assert said.document["type"] == "way"
        assert said.document["price_cents"] == 600

    def test_a_quote_for_people(self, keno: Keno, tmp_path: Path) -> None:
        file = tmp_path / "request.json"
        file.write_text(json.dumps(REQUEST | {"conditioning": "A @ 1, A+B @ 2, B @ 1"}))
        said = keno("quote", "--rate-card", CARD, str(file))
        assert said.out.splitlines() == [
            "Combination ticket: 2/4 A B @ 1.00, 1/8 A+B @ 2.00",
            "",
            "spots  ways   rate  schedule  price",
            "    4     2  $1.00  regular   $2.00  A B",
            "    8     1  $2.00  regular   $2.00  A+B",
            "",
            "3 ways, $4.00 a game, 2 games: $8.00",
        ]
        quick = {"quick_pick": 4, "conditioning": "1/4 @ 1"}
        plain = keno("quote", "--rate-card", CARD, stdin=quick).out
        assert plain.startswith("Straight ticket, quick-pick: 1/4 @ 1.00")
        assert plain.endswith("1 way, $1.00 a game, 1 game: $1.00\n")

    def test_a_refusal(self, keno: Keno) -> None:
        request = REQUEST | {"conditioning": "2/8 @ 1.00"}
        said = keno("quote", "--rate-card", CARD, "--json", stdin=request)
        assert said.exit_code == 3
        assert said.document == {
            "refusals": [
                {
                    "code": "line.ways_differ",
                    "message": "The number of 8-spot ways is 1, not 2.",
                    "place": "conditioning[0]",
                }
            ]
        }
        plain = keno("quote", "--rate-card", CARD, stdin=request)
        assert plain == Said(
            3, "", "conditioning[0]: The number of 8-spot ways is 1, not 2. [line.ways_differ]\n"
        )

    def test_a_card_that_the_law_forbids_can_still_price(self, keno: Keno, tmp_path: Path) -> None:
        card = tmp_path / "card.toml"
        card.write_bytes(changed_card("limits.aggregate_cents = 5"))
        assert keno("rate-card", "check", str(card)).exit_code == 3
        assert keno("quote", "--rate-card", str(card), stdin=REQUEST).exit_code == 0

    def test_a_card_that_is_not_well_formed_cannot(self, keno: Keno, tmp_path: Path) -> None:
        card = tmp_path / "card.toml"
        card.write_bytes(changed_card("limits.rounding = 5"))
        said = keno("quote", "--rate-card", str(card), "--json", stdin=REQUEST)
        assert said.exit_code == 3
        assert said.document["refusals"][0]["code"] == "document.wrong_type"
        assert keno("quote", "--rate-card", str(card), "--jsonl", stdin=REQUEST).exit_code == 3


class TestGrade:
    def test_a_grade_as_json(self, keno: Keno) -> None:
        grading = {"request": REQUEST, "draws": [DRAW, DRAW]}
        said = keno("grade", "--rate-card", CARD, "--json", stdin=grading)
        assert said.exit_code == 0
        assert [game["win_cents"] for game in said.document["games"]] == [2_523_000, 2_523_000]
        assert said.document["win_cents"] == 5_046_000

    def test_a_grade_for_people(self, keno: Keno) -> None:
        rate = {"conditioning": "2/4 @ .25 twobits", "games": 3}
        drawn = [*range(1, 4), *range(60, 77)]
        grading = {"request": REQUEST | rate, "draws": [drawn]}
        assert keno("grade", "--rate-card", CARD, stdin=grading).out.splitlines() == [
            "Split ticket: 2/4 @ 0.25 twobits",
            "",
            "Game 1 of 3",
            "",
            "spots  ways  catches                                win",
            "    4     2  1 caught 0, 1 caught 3  $1.06 and 2/3 cent",
            "",
            "Won $1.07 ($1.06 and 2/3 cent, rounded)",
            "",
            "Won in all: $1.07",
        ]
        rich = {"groups": [DRAW[:8]], "conditioning": "1/8 @ 10"}
        capped = keno("grade", "--rate-card", CARD, stdin={"request": rich, "draws": [DRAW]})
        assert "Won $100,000.00 ($250,000.00, cut to the limit)" in capped.out

    def test_the_place_of_a_fault_is_within_the_grading(self, keno: Keno) -> None:
        grading = {"request": REQUEST | {"games": 21}, "draws": [DRAW]}
        said = keno("grade", "--rate-card", CARD, "--json", stdin=grading)
        assert [each["place"] for each in said.document["refusals"]] == ["request.games"]


class TestJsonLines:
    def test_one_answer_a_line_with_refusals_among_them(self, keno: Keno) -> None:
        lines = [
            json.dumps(REQUEST).encode(),
            b"not JSON",
            b"",
            b"\xff",
            b" " * (2 * DOCUMENT_MAX + 7),
            json.dumps(REQUEST | {"games": 21}).encode(),
            json.dumps(REQUEST | {"games": 1}).encode(),
        ]
        said = keno("quote", "--rate-card", CARD, "--jsonl", stdin=b"\n".join(lines))
        answers = [json.loads(line) for line in said.out.splitlines()]
        assert said.exit_code == 0
        assert [
            answer.get("price_cents") or answer["refusals"][0]["code"] for answer in answers
        ] == [
            600,
            "document.not_json",
            "document.not_json",
            "document.not_utf8",
            "document.too_long",
            "games.out_of_range",
            300,
        ]

    def test_a_day_is_regraded_line_by_line(self, keno: Keno) -> None:
        line = json.dumps({"request": REQUEST, "draws": [DRAW]}) + "\n"
        said = keno("grade", "--rate-card", CARD, "--jsonl", stdin=(line * 100).encode())
        answers = [json.loads(answer) for answer in said.out.splitlines()]
        assert [answer["win_cents"] for answer in answers] == [2_523_000] * 100


class TestProrate:
    @pytest.mark.rule("X-aggregate-sheet")
    def test_shares_as_json(self, keno: Keno) -> None:
        wins = {"wins_cents": [100, 100, 100], "limit_cents": 100, "in_full_below_cents": 0}
        assert keno("prorate", "--json", stdin=wins).document == {"paid_cents": [34, 33, 33]}

    def test_a_sheet_for_people(self, keno: Keno) -> None:
        wins = {"wins_cents": [100, 300], "limit_cents": 200}
        assert keno("prorate", stdin=wins).out.splitlines() == [
            "winner    win   paid",
            "     1  $1.00  $0.67",
            "     2  $3.00  $1.33",
            "        $4.00  $2.00",
        ]


class TestTrouble:
    """Files and streams that fail: a sentence and exit code 2, never a traceback."""

    @pytest.mark.parametrize(("stream", "name"), [("0<&-", "input"), (">&-", "output")])
    @pytest.mark.parametrize("form", ["", "--json", "--jsonl"])
    def test_a_closed_stream(self, stream: str, name: str, form: str) -> None:
        command = f"{quote(str(KENO))} quote --rate-card {quote(CARD)} {form}"
        done = subprocess.run(  # noqa: S602  the shell closes the stream
            f"echo {quote(json.dumps(REQUEST))} | {command} {stream}",
            shell=True,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2
        assert done.stderr == f"keno: standard {name} is closed\n"

    @pytest.mark.parametrize("stream", ["2>&-", "2>/dev/full"])
    def test_a_refusal_that_nobody_hears_is_still_a_refusal(self, stream: str) -> None:
        command = f"{quote(str(KENO))} odds 81 {stream}"
        done = subprocess.run(  # noqa: S602  the shell closes the stream
            command, shell=True, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout) == (3, "")

    @pytest.mark.parametrize("form", [[], ["--json"], ["--jsonl"]], ids=["plain", "json", "jsonl"])
    def test_a_full_disk(self, form: list[str]) -> None:
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run(  # noqa: S603  our own program
                [KENO, "quote", "--rate-card", CARD, *form],
                input=json.dumps(REQUEST).encode(),
                stdout=full,
                stderr=subprocess.PIPE,
                check=False,
            )
        assert done.returncode == 2
        assert done.stderr == b"keno: No space left on device\n"

    @pytest.mark.parametrize("form", [[], ["--jsonl"]], ids=["plain", "jsonl"])
    def test_a_file_that_cannot_be_read_on(self, keno: Keno, form: list[str]) -> None:
        said = keno("quote", "--rate-card", CARD, *form, "/proc/self/mem")
        assert (said.exit_code, said.err) == (2, "keno: Input/output error\n")


class TestUsage:
    @pytest.mark.parametrize(
        "arguments",
        [
            [],
            ["deal"],
            ["rate-card"],
            ["quote"],
            ["quote", "--rate-card", "-", "-"],
            ["quote", "--rate-card", "/no/such/card.toml", "-"],
            ["quote", "--rate-card", CARD, "/no/such/request.json"],
            ["quote", "--rate-card", CARD, "/"],
            ["grade", "--rate-card", CARD, "--jsonl", "/no/such/day.jsonl"],
            ["prorate", "--jsonl"],
            ["odds", "8", "--yaml"],
        ],
        ids=" ".join,
    )
    def test_bad_usage_is_told_in_a_few_lines(self, keno: Keno, arguments: list[str]) -> None:
        said = keno(*arguments)
        assert said.exit_code == 2
        assert said.out == ""
        assert 1 <= said.err.count("\n") <= 6
        assert "Traceback" not in said.err

    def test_help_names_every_command(self, keno: Keno) -> None:
        said = keno("--help")
        assert said.exit_code == 0
        assert all(name in said.out for name in ("odds", "rate-card", "quote", "grade", "prorate"))

    def test_version(self, keno: Keno) -> None:
        assert keno("--version").out.strip()


class TestConsoleScript:
    """The installed program itself."""

    def run(self, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(  # noqa: S603  our own program
            [KENO, *arguments], input=stdin, capture_output=True, check=False
        )

    def test_it_answers(self) -> None:
        done = self.run("odds", "1", "--json")
        assert (done.returncode, json.loads(done.stdout)["spots"]) == (0, 1)

    @pytest.mark.parametrize(
        "document",
        [
            b"",
            b"{",
            b"[" * 100_000,
            b"\xff",
            b'{"groups": [["\\ud800"]]}',
            b'{"\\ud800": 1}',
            b"1e999",
        ],
        ids=lambda document: repr(document[:24]),
    )
    @pytest.mark.parametrize("form", [[], ["--json"]], ids=["plain", "json"])
    def test_garbage_is_refused_without_a_traceback(self, document: bytes, form: list[str]) -> None:
        done = self.run("quote", "--rate-card", CARD, *form, stdin=document)
        assert done.returncode == 3
        assert b"Traceback" not in done.stderr

    def test_it_ends_quietly_when_nobody_reads_on(self) -> None:
        line = json.dumps(REQUEST).encode() + b"\n"
        command = f"{quote(str(KENO))} quote --rate-card {quote(CARD)} --jsonl | head -n 1"
        done = subprocess.run(  # noqa: S602  a pipe is what is tested
            command, shell=True, input=line * 2000, capture_output=True, check=False
        )
        assert done.stdout.count(b"\n") == 1
        assert done.stderr == b""


ENDED = """
import os, signal, tempfile, time
from app import cli

def work():
    with tempfile.TemporaryDirectory(prefix="keno-check-"):
        os.kill(os.getpid(), signal.{signal})
        time.sleep(60)

cli.main = work
cli.console()
"""


@pytest.mark.rule("X-recovery")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_command_that_is_ended_removes_what_it_made_on_the_way(tmp_path: Path, name: str) -> None:
    done = subprocess.run(  # noqa: S603  ourselves
        [sys.executable, "-c", ENDED.format(signal=name)],
        env=os.environ | {"TMPDIR": str(tmp_path)},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (-signal.Signals[name], b"")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.rule("X-audit-log")
@pytest.mark.parametrize("word", ["", "two words", "a\nline", "x" * 33, "SPOOLER"])
def test_the_end_of_a_process_is_recorded_in_words_of_systemd_alone(keno: Keno, word: str) -> None:
    for words in (("spooler", word), (word, "signal")):
        said = keno("process-ended", *words)
        assert said.exit_code == 2
        assert "a word of at most 32 small letters" in said.err
