"""What `make boot` types is what the page says, and what it needs is told before it begins."""

import os
import shutil

import pytest

from tests import debian
from tests.boot.__main__ import LEFT_OUT, lines_of, packages
from tests.boot.machine import CannotBoot, check_programs
from tests.doc_blocks import blocks

PAGE = [block.text for block in blocks() if block.page == "installing.md"]


def test_every_line_up_to_the_proxy_is_typed_or_said_why_not() -> None:
    typed = list(lines_of(PAGE))
    assert typed[0] == "deploy/install --wheels /media/wheels"
    assert typed[-2] == "systemctl restart haproxy"
    assert typed[-1] == "systemctl enable --now keno-certificates.timer"  # on each machine
    # Where something else is to be done first, or afterwards.
    for line in (
        "install --owner=keno --mode=0600 /media/out/owner.env /etc/keno/owner/owner.env",
        "install --directory --owner=keno-rng --mode=0755 /var/lib/keno-rng/public",
        "systemctl enable --now keno-rng",
    ):
        assert typed.count(line) == 1
    assert not any(line.startswith("keno database downgrade") for line in typed)
    left_out = {line for text in PAGE for line in text.splitlines() if LEFT_OUT.match(line)}
    # Three of packages, three certificates and three names of other machines, two that name
    # certificates, the clock.
    assert len(left_out) == 12


def test_the_packages_are_those_of_the_page() -> None:
    wanted = {"python3-venv", "chrony", "postgresql-client", "postgresql", "haproxy"}
    assert set(packages(PAGE)) == wanted


def test_what_is_missing_is_told_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "debootstrap" else name)
    asked: list[str] = []
    monkeypatch.setattr(debian, "found_or_installed", lambda _, *names: asked.extend(names))
    with pytest.raises(CannotBoot, match=r"apt-get install \S+ debootstrap$"):
        check_programs()
    assert asked == ["debootstrap"]  # and it did not come
    monkeypatch.setattr(os, "geteuid", lambda: 1)
    with pytest.raises(CannotBoot, match="root"):
        check_programs()
