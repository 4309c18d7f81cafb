"""The proxy in front: believed if it is the one in the settings, and nobody else."""

from typing import Any

import pytest

from app.settings import look_at_settings
from app.web.proxy import BehindProxies

PROXY = "10.0.0.2"


def seen(remote: str, **headers: str) -> tuple[str | None, str]:
    """What an application sees of a request: from where, and over what."""
    found: list[dict[str, Any]] = []

    def application(environment: dict[str, Any], _: object) -> list[bytes]:
        found.append(environment)
        return []

    asked = {f"HTTP_X_FORWARDED_{name.upper()}": value for name, value in headers.items()}
    environment = {"REMOTE_ADDR": remote, "wsgi.url_scheme": "http", **asked}
    BehindProxies(application, (PROXY,))(environment, None)
    (passed,) = found
    kept = {name for name in passed if "FORWARDED" in name}
    assert kept == (set() if remote == PROXY else set(asked))
    return passed["REMOTE_ADDR"], passed["wsgi.url_scheme"]


@pytest.mark.rule("X-access")
def test_the_proxy_says_for_whom_it_asks() -> None:
    assert seen(PROXY, **{"for": "10.1.1.7", "proto": "https"}) == ("10.1.1.7", "https")


@pytest.mark.rule("X-access")
def test_of_what_a_patron_has_written_himself_nothing_is_believed() -> None:
    made_up = {"for": "10.9.9.9, 10.1.1.7", "proto": "https"}
    assert seen(PROXY, **made_up) == ("10.1.1.7", "https")  # what the proxy has added
    assert seen("10.1.1.7", **made_up) == ("10.1.1.7", "http")  # past the proxy
    assert seen("", **made_up) == ("", "http")


def test_a_proxy_that_says_nothing_asks_for_nobody() -> None:
    assert seen(PROXY) == (None, "http")
    assert seen(PROXY, **{"for": "10.1.1.7", "proto": "gopher"}) == ("10.1.1.7", "http")


@pytest.mark.rule("X-access")
def test_a_proxy_is_believed_however_its_address_is_spelled_in_the_settings() -> None:
    settings, faults = look_at_settings(
        {"KENO_PROXIES": "FD00::1, fd00:0::2", "KENO_HOSTS": "keno.example"}
    )
    assert not [fault for fault in faults if "KENO_PROXIES" in fault]
    assert settings.proxies == ("fd00::1", "fd00::2")
