"""Which browser the tests use, and that any of them can be found before Playwright runs."""

import pytest

from tests.browser import chromium as module
from tests.browser.conftest import launched


def test_the_browser_of_playwright_is_taken_where_the_system_has_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = module.chromium()
    asked: list[str] = []
    own = module._of_playwright  # noqa: SLF001

    def found() -> str:
        own()  # it asks Playwright, of which there can be one at a time
        asked.append("playwright")
        return path

    monkeypatch.setattr(module, "_of_the_system", lambda: None)
    monkeypatch.setattr(module, "_of_playwright", found)
    module.chromium.cache_clear()
    with launched() as browser:
        assert browser.version
    assert asked == ["playwright"]
