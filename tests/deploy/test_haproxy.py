"""The configuration of the proxy: read here as HAProxy reads it, and by HAProxy where it is."""

import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
from flask import Blueprint, Flask

import app.web
from app.certificates import Use, Wanted, issue, make_authority
from app.feed import EVENTS
from app.web.routes import ANYONE
from tests.deploy.haproxy import FILE
from tests.deploy.programs import program

PASSPHRASE = "the authority of a test"  # noqa: S105  a test's own
SECTIONS = {"global", "defaults", "frontend browsers", "backend web"}
SECTIONS |= {
    "backend feed",
    "backend reports",
    "backend addresses",
    "backend named",
    "backend anybody",
}


def sections() -> dict[str, list[str]]:
    """The lines of each section, in their order."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in FILE.read_text().splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if line.startswith(" "):
            found[name].append(" ".join(line.split()))
        else:
            name = line.strip()
            found[name] = []
    return found


def test_it_has_its_sections() -> None:
    assert set(sections()) == SECTIONS


@pytest.mark.rule("X-access")
def test_browsers_come_over_tls_and_stay_there() -> None:
    lines = sections()["frontend browsers"]
    assert "http-request redirect scheme https code 308 unless { ssl_fc }" in lines
    (header,) = [line for line in lines if "Strict-Transport-Security" in line]
    assert int(re.findall(r"max-age=(\d+)", header)[0]) >= 31_536_000
    assert any("ssl-min-ver TLSv1.2" in line for line in sections()["global"])


@pytest.mark.rule("X-access")
def test_who_asks_is_what_the_proxy_has_seen_and_nothing_that_was_sent() -> None:
    lines = sections()["frontend browsers"]
    for name, value in (("X-Forwarded-For", "%[src]"), ("X-Forwarded-Proto", "https")):
        dropped = lines.index(f"http-request del-header {name}")
        assert lines.index(f"http-request set-header {name} {value}") > dropped
    assert not any("forwardfor" in line for line in lines)  # which adds to what was sent


@pytest.mark.rule("X-access")
@pytest.mark.parametrize("name", ["backend web", "backend feed", "backend reports"])
def test_processes_are_spoken_to_over_tls_and_known_by_name(name: str) -> None:
    lines = sections()[name]
    (default,) = [line for line in lines if line.startswith("default-server ")]
    for words in ("check", "ssl verify required", "ca-file ", "crt "):
        assert words in default
    servers = [line for line in lines if line.startswith("server ")]
    assert len(servers) >= 2
    assert all(" verifyhost " in server for server in servers)
    assert "ssl-default-server-options ssl-min-ver TLSv1.3" in sections()["global"]


@pytest.mark.rule("X-access")
def test_whatever_anybody_may_ask_for_is_counted_by_address() -> None:
    (line,) = [each for each in sections()["frontend browsers"] if "acl is_for_anybody" in each]
    counted = tuple(line.split(" beg ")[1].split())
    pages = Flask("pages", static_folder=None)
    for part in vars(app.web).values():
        if isinstance(getattr(part, "routes", None), Blueprint):
            pages.register_blueprint(part.routes)
    is_open = {
        rule.rule
        for rule in pages.url_map.iter_rules()
        if getattr(pages.view_functions[rule.endpoint], "needs", None) == ANYONE
    }
    # Where people and stations come in, what is told to nobody outside, and what stations ask for:
    # these count too, from whoever names no station.
    others = ("/enrol", "/secret", "/healthz", "/readyz", "/metrics", "/api/", "/openapi.json")
    left = {path for path in is_open if not path.startswith(counted)}
    assert {path for path in left if not path.startswith(others)} == {"/"}
    # And nothing is among them that a station sells with.
    asked = {rule.rule for rule in pages.url_map.iter_rules()} - is_open
    assert not [path for path in asked if path.startswith(counted)]
    assert EVENTS in counted


@pytest.mark.rule("X-access")
def test_whoever_names_a_station_is_counted_by_address_too() -> None:
    """A cookie or a header is easily made up: it leads to another bound, and never to none."""
    lines = sections()["frontend browsers"]
    (tracked,) = [line for line in lines if " table named " in line]
    assert tracked.startswith("http-request track-sc2 src,ipmask(32,64) ")
    assert tracked.endswith(" if names_a_station !is_for_anybody")
    assert any("status 429" in line and "sc_http_req_rate(2) gt " in line for line in lines)
    assert any("http_req_rate(10s)" in line for line in sections()["backend named"])


@pytest.mark.rule("X-access")
def test_no_name_of_a_header_goes_through_that_would_be_another_one_behind_the_proxy() -> None:
    lines = sections()["frontend browsers"]
    dropped = lines.index("http-request del-header _ -m sub")
    assert dropped < lines.index("http-request set-header X-Forwarded-For %[src]")


@pytest.mark.rule("X-recovery")
def test_a_request_that_may_have_arrived_is_not_sent_again_by_the_proxy() -> None:
    assert "retry-on conn-failure" in sections()["defaults"]


@pytest.mark.rule("X-recovery")
def test_only_processes_that_can_work_are_asked() -> None:
    asked = {"web": "/readyz", "feed": "/ready", "reports": "/readyz"}
    for name, path in asked.items():
        lines = sections()[f"backend {name}"]
        assert "option httpchk" in lines
        assert f"http-check send meth GET uri {path} hdr Host localhost" in lines
        assert "http-check expect status 200" in lines
        (default,) = [line for line in lines if line.startswith("default-server ")]
        assert " on-marked-down shutdown-sessions " in default  # whoever waits asks another one


@pytest.mark.machine
def test_haproxy_itself_finds_nothing_wrong(tmp_path: Path) -> None:
    haproxy = shutil.which("/usr/sbin/haproxy") or program("haproxy", "haproxy")
    now = datetime.now(UTC)
    make_authority(tmp_path, "Test authority", PASSPHRASE, now)
    text = FILE.read_text().replace("user haproxy\n", "").replace("group haproxy\n", "")
    for name, use in (("keno", Use.SERVER), ("proxy", Use.CLIENT)):
        place = issue(tmp_path, PASSPHRASE, Wanted(name, (), (use,)), tmp_path, now)
        place.write_bytes(place.read_bytes() + place.with_suffix(".key").read_bytes())
    (tmp_path / "haproxy.cfg").write_text(text.replace("/etc/haproxy/", f"{tmp_path}/"))
    done = subprocess.run(  # noqa: S603  its own program
        [haproxy, "-c", "-f", str(tmp_path / "haproxy.cfg")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
