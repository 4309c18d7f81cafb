"""Bundles for the regulator: what is in them, who gets them, and that they verify elsewhere."""

import json
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

import pytest

from app.audit import verifier
from app.audit.bundle import ALWAYS_CARRIED, tile_path
from app.audit.canonical import canonical
from app.audit.tags import Tag
from app.cli import main
from app.cli.console import founded_office, whoever_sits_here
from app.flow.access import Approval, at_console
from app.flow.cosign import cosign_log
from app.flow.export import export_days
from app.flow.pay import Paying, pay_ticket
from app.flow.permissions import Permission
from app.flow.reprint import Again, Seen, reprint, say_printed
from app.flow.seal import seal_log
from app.flow.spool import next_paper, note_ending
from app.store.queries import log
from app.store.tables.log import STANDING
from app.web import create_app
from printers.press import Press
from tests.audit.exporting import (
    REPORTS,
    ExportedHouse,
    Forgery,
    VoidingHouse,
    day,
    export,
    say,
    sign_and_close,
    worked,
)
from tests.floor import RITA, SAM, WALT, WANDA, Floor, secret_of
from tests.house_commands import Typed
from tests.keeping.evening import RICH, every
from tests.looking import bodies, refuses, rows

KINDS = (
    "HOUSE", "CARD", "TICKET", "VOID", "CANCEL", "REFUND", "PAID", "EXPIRED", "LOCK", "DRAW",
    "VOID-GAME", "WINS", "CERTIFIED", "FROZEN", "RELEASED", "APPROVED", "DAY-CLOSE",
)  # fmt: skip
# As on a machine of the regulator's: the program alone, and nothing of ours to be imported.
ALONE = """
import runpy, sys
sys.modules.update(dict.fromkeys(("app", "rng", "printers", "tests")))
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def alone(folder: Path, *arguments: object) -> "subprocess.CompletedProcess[str]":
    """Run the verifier as a regulator does."""
    program = folder / "verifier.py"
    program.write_bytes(verifier.source())
    command = [sys.executable, "-I", "-c", ALONE, str(program), *map(str, arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603


@pytest.mark.rule("X-audit-log", "X-draw-public", "X-grade-twice", "X-retention", "15.5(h)")
def test_days_with_every_kind_of_act_verify_elsewhere(floor: Floor, tmp_path: Path) -> None:
    worked(floor)
    told = {tag for (tag,) in rows(floor, "SELECT DISTINCT tag FROM log_entry")}
    assert [kind for kind in KINDS if kind not in told] == []
    for number, days in enumerate(((0, 3), (1, 1), (2, 3), (3, 3))):
        out = tmp_path / f"{number}.zip"
        export(floor, out, *days)
        done = alone(tmp_path, out.name, "--keys", floor.keyed.public, "--json")
        report = json.loads(done.stdout)
        assert (done.returncode, report["faults"]) == (
            4,
            [],
        )  # it has reports that nobody can check
        # It says how far it is, if it takes longer than people wait without a word.
        assert all(line.startswith("... ") for line in done.stderr.splitlines())
        assert (report["from"], report["to"]) == tuple(day(each).isoformat() for each in days)
        checked = report["checked"]
        assert checked["Days closed"] == days[1] - days[0] + 1
        assert min(checked[name] for name in ("Tickets graded", "Payments", "Cosigned heads")) > 0
        with ZipFile(out) as archive:
            text = b"".join(archive.read(name) for name in archive.namelist())
        assert not any(floor.code(ticket).encode() in text for ticket in range(1, 30))
    again = tmp_path / "again.zip"
    export(floor, again, 2, 3)
    assert again.read_bytes() == (tmp_path / "2.zip").read_bytes()
    for body, manifest in zip(bodies(floor, "EXPORT"), manifests(tmp_path), strict=False):
        assert body["manifest"] == sha256(canonical(manifest["body"])).hexdigest()
        assert (body["by"]["staff"], body["by"]["role"]) == ("RITA", "regulator")
        said = ("from", "to", "first", "size")
        assert [body[name] for name in said] == [manifest["body"][name] for name in said]
    floor.check_books()


@pytest.mark.rule("X-audit-log", "X-grade-twice")
def test_a_day_that_begins_behind_a_void_ticket_verifies(floor: Floor, tmp_path: Path) -> None:
    """The ticket goes along because numbers go on from it, and so does its void."""
    worked(floor, days=2, kind=VoidingHouse)
    out = tmp_path / "day.zip"
    export(floor, out, 2, 2)
    found = verifier.verify(out)
    assert found.faults == []
    with ZipFile(out) as archive:
        carried = [json.loads(line) for line in archive.read("log/carried.jsonl").splitlines()]
    assert "VOID" in {entry["tag"] for entry in carried}


@pytest.mark.rule("X-audit-log", "15.4(c)", "15.6(a)")
@pytest.mark.parametrize("asked", ["by the patron", "because it did not print"])
def test_a_copy_of_an_earlier_day_goes_along_with_the_payment_of_its_ticket(
    floor: Floor, tmp_path: Path, asked: str
) -> None:
    """Or a writer pays alone what was printed twice, and nobody sees it who has only that day."""
    printer, wanda = floor.printer_at("B1"), floor.signed_in(WANDA)
    floor.open_drawer(wanda, RICH)
    floor.sell(wanda, every())
    while (sending := next_paper(floor.office, printer, Press())) is not None:
        is_ticket = sending.entry == rows(floor, "SELECT entry FROM ticket")[0][0]
        unsure = is_ticket and not sending.copy and asked != "by the patron"
        note_ending(floor.office, sending, "unknown" if unsure else "confirmed", None)
        if unsure:
            seen = Seen(sending.entry, 0, printed=False)
            said = say_printed(floor.office, wanda, seen, floor.request_id())
            assert said["copy_queued"] == 1
    if asked == "by the patron":
        reprint(floor.office, wanda, Again("torn", ticket=1), floor.request_id())
    floor.play()
    floor.close_drawer(wanda, 1, RICH)
    for number in (0, 1):
        floor.pass_time(days=1)
        sign_and_close(floor, day(number))
        if number == 0:
            walt = floor.signed_in(WALT)
            floor.open_drawer(walt, RICH)
            with refuses("approval.needed"):
                pay_ticket(floor.office, walt, Paying(1, floor.code(1)), floor.request_id())
            approved = Paying(1, floor.code(1), approval=Approval(SAM, secret_of(SAM)))
            pay_ticket(floor.office, walt, approved, floor.request_id())
            floor.close_drawer(walt, 2, RICH)
    cosign_log(floor.office, floor.two_keys)
    export(floor, tmp_path / "second.zip", 1, 1)
    verified = verifier.verify(tmp_path / "second.zip", floor.keyed.public)
    assert verified.faults == []
    with ZipFile(tmp_path / "second.zip") as archive:
        carried = [json.loads(line) for line in archive.read("log/carried.jsonl").splitlines()]
    tag = "REPRINT" if asked == "by the patron" else "ON-PAPER"
    (told,) = [json.loads(each["body"]) for each in carried if each["tag"] == tag]
    assert told["about"] == {"ticket": 1}
    house = ExportedHouse(
        tmp_path, floor.keyed.public, floor.office.keys.log, floor.office.keys.office
    )
    forgery = Forgery.of(house, "second")
    (paid,) = forgery.tagged("PAID")
    say(paid, approver=None)
    forgery.sign_log()
    found = forgery.verified(tmp_path / "forged.zip").faults
    assert "ticket 1 was printed again, and paid alone" in {fault.message for fault in found}


def manifests(folder: Path) -> list[dict[str, dict[str, object]]]:
    found = []
    for path in sorted(folder.glob("?.zip")):
        with ZipFile(path) as archive:
            found.append(json.loads(archive.read("manifest.json")))
    return found


@pytest.mark.rule("X-audit-log", "X-access")
def test_only_closed_days_under_a_cosigned_head_are_given_out(floor: Floor, tmp_path: Path) -> None:
    out = tmp_path / "bundle.zip"
    floor.play()
    with refuses("export.wrong_order"):
        export(floor, out, 1, 0)
    with refuses("export.day_not_closed"):
        export(floor, out, 0, 0)
    floor.pass_time(days=1)
    sign_and_close(floor, day(0))
    with refuses("export.not_cosigned"):  # it has no place in the log yet
        export(floor, out, 0, 0)
    seal_log(floor.office)
    with refuses("export.not_cosigned"):
        export(floor, out, 0, 0)
    cosign_log(floor.office, floor.two_keys)
    with refuses("export.day_not_closed"):
        export(floor, out, -1, 0)
    with refuses("export.day_not_closed"):
        export(floor, out, 0, 1)
    assert list(tmp_path.glob("bundle*")) == []
    wanda = at_console(floor.office, WANDA, secret_of(WANDA), Permission.TICKET_QUOTE)
    with refuses("staff.not_permitted"):
        export_days(floor.office, wanda, day(0), day(0), out)
    assert bodies(floor, "EXPORT") == []
    export(floor, out, 0, 0)
    assert [path.name for path in tmp_path.glob("bundle*")] == ["bundle.zip"]
    assert verifier.verify(out, floor.keyed.public).faults == []


@pytest.mark.rule("X-audit-log")
def test_without_every_public_key_nothing_is_given_out(floor: Floor, tmp_path: Path) -> None:
    floor.office.keyed = floor.keyed.processes(tmp_path)
    with refuses("export.keys_missing"):
        export(floor, tmp_path / "bundle.zip", 0, 0)


@pytest.mark.rule("X-audit-log")
def test_a_bundle_that_could_not_be_written_leaves_nothing_behind(
    floor: Floor, tmp_path: Path
) -> None:
    floor.pass_time(days=1)
    sign_and_close(floor, day(0))
    cosign_log(floor.office, floor.two_keys)
    rita = at_console(floor.office, RITA, secret_of(RITA), Permission.RECORDS_EXPORT)
    with pytest.raises(ValueError, match="no name for a report"):
        export_days(floor.office, rita, day(0), day(0), tmp_path / "b.zip", [("../up", b"")])
    assert list(tmp_path.glob("b.zip*")) == []
    assert bodies(floor, "EXPORT") == []


def test_what_always_goes_along_is_found_without_the_rest_of_the_log() -> None:
    assert {tag.value for tag in ALWAYS_CARRIED} <= set(STANDING)  # which has an index


@pytest.mark.rule("X-audit-log")
def test_a_bundle_has_what_it_says_and_no_times(exported: ExportedHouse) -> None:
    with ZipFile(exported.bundle("days")) as archive:
        infos, names = archive.infolist(), set(archive.namelist())
        manifest = json.loads(archive.read("manifest.json"))["body"]
        assert {info.date_time for info in infos} == {(1980, 1, 1, 0, 0, 0)}
        assert {each["name"] for each in manifest["files"]} == names - {"manifest.json"}
        assert [archive.read(f"reports/{name}") for name, _ in REPORTS] == [d for _, d in REPORTS]
        assert manifest["verifier"] == sha256(verifier.source()).hexdigest()


@pytest.mark.parametrize(
    ("number", "path"),
    [(0, "000"), (67, "067"), (1000, "x001/000"), (1234067, "x001/x234/067")],
)
def test_tiles_have_the_names_of_the_public_log(number: int, path: str) -> None:
    assert tile_path(number) == path


@pytest.mark.rule("X-audit-log")
def test_the_tiles_of_a_bundle_are_those_of_the_public_log(floor: Floor, tmp_path: Path) -> None:
    for number in range(2):
        floor.play()
        floor.pass_time(days=1)
        sign_and_close(floor, day(number))
    cosign_log(floor.office, floor.two_keys)
    export(floor, tmp_path / "b.zip", 1, 1)
    client = create_app(floor.office).test_client()
    with ZipFile(tmp_path / "b.zip") as archive:
        tiles = [name for name in archive.namelist() if name.startswith("log/tile/")]
        assert tiles
        for name in tiles:
            assert client.get(f"/{name}").data == archive.read(name)


@pytest.mark.rule("X-draw-public")
def test_anyone_can_have_the_verifier(floor: Floor) -> None:
    answer = create_app(floor.office).test_client().get("/verifier.py")
    assert (answer.status_code, answer.data) == (200, verifier.source())
    assert answer.content_type.startswith("text/x-python")


# ---- at the console ------------------------------------------------------------------------------


@pytest.mark.rule("X-audit-log", "X-access")
def test_bundles_are_taken_and_checked_at_the_console(
    exported: ExportedHouse,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("KENO_DATABASE", f"sqlite:///{exported.folder / 'keno.db'}")
    monkeypatch.setenv("KENO_KEYS", str(exported.folder / "keys"))
    monkeypatch.setenv("KENO_PUBLIC", str(exported.folder / "ceremony" / "public"))
    for name in ("RNG", "INSPECTOR"):
        monkeypatch.setenv(f"KENO_{name}", f"unix:{tmp_path / name}")
    out = tmp_path / "console.zip"
    asked = ["export", "--from", day(1).isoformat(), "--out", str(out), "--as", RITA, "--json"]

    def keno(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr("sys.stdin", Typed([secret_of(RITA)]))
        code = main(list(arguments))
        return code, capsys.readouterr().out

    nobody = [word for word in asked if word not in {"--as", RITA}]
    assert keno(*nobody, "--to", day(3).isoformat())[0] == 0
    code, told = keno("log", "verify", "--json")
    assert code == 0
    with founded_office() as office, office.database.reading() as connection:
        last = [each.body for each in log.entries(connection) if each.tag == Tag.EXPORT][-1]
    assert json.loads(last or b"")["by"] == whoever_sits_here().document()
    code, told = keno(*asked, "--to", day(3).isoformat())
    assert code == 0
    assert {"bundle": str(out), "from": "2026-11-17", "to": "2026-11-19"}.items() <= json.loads(
        told
    ).items()
    assert keno(*asked, "--to", "2027-01-01")[0] == 3
    assert keno(*asked, "--to", "tomorrow")[0] == 2
    trusted = ["--keys", str(exported.keys)]
    code, told = keno("verify", str(out), *trusted, "--json")
    assert (code, json.loads(told)["verdict"]) == (4, "sound_but_reports")
    assert json.loads(told)["reports"]["in_part"].keys() == {"win.json"}
    code, told = keno("verify", str(out), *trusted)
    assert told.endswith("NOT CHECKED AGAINST THE ENTRIES, OR ONLY IN PART.\n")
    code, told = keno("verify", str(out))
    assert code == 6
    assert "OF THE BUNDLE ITSELF" in told
    assert told.endswith("CONSISTENT WITH ITSELF; NOBODY'S KEYS WERE GIVEN.\n")
    out.write_bytes(out.read_bytes()[:-100])
    code, told = keno("verify", str(out), *trusted)
    assert code == 3
    assert "FAULT bundle.not_zip" in told
    assert keno("verify", str(tmp_path / "nowhere.zip"))[0] == 2
    assert keno("verify", str(exported.bundle("days")), "--keys", str(tmp_path))[0] == 2
