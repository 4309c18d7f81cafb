"""The bill of materials lists what is locked, all of it, with hashes and licences."""

import json
import re

from tests.materials import FILE, LOCKED, bill_text, pins

# Licences under which a house may run this, and we may hand it on with our product.
PERMISSIVE = re.compile(
    r"MIT|BSD|Apache|PSF|Python Software Foundation|HPND|ISC|MPL|LGPL|Lesser|Unlicense",
    re.IGNORECASE,
)
# Packages that are not installed on every machine: the bill cannot name their licences. Installed,
# numpy and pycparser say BSD and psycopg LGPL; colorama and tzdata are for Windows only.
NOT_EVERYWHERE = {"colorama", "numpy", "psycopg-binary", "pycparser", "tzdata"}


def test_the_bill_is_that_of_the_locked_requirements() -> None:
    assert FILE.read_text() == bill_text(), "make materials"


def test_every_locked_package_is_on_it_with_its_hashes() -> None:
    named = re.findall(r"^([a-z0-9-]+)==", LOCKED.read_text(), re.MULTILINE)
    assert [name for name, *_ in pins()] == named
    assert all(hashes for *_, hashes in pins())
    listed = json.loads(FILE.read_text())["components"]
    assert len(listed) == len(named) > 30
    assert len({each["bom-ref"] for each in listed}) == len(listed)


def test_every_licence_lets_a_house_run_it() -> None:
    listed = json.loads(FILE.read_text())["components"]
    licences = {
        each["name"]: [licence["license"]["name"] for licence in each.get("licenses", [])]
        for each in listed
    }
    assert {name for name, named in licences.items() if not named} == NOT_EVERYWHERE
    assert [
        licence
        for named in licences.values()
        for licence in named
        if not PERMISSIVE.search(licence)
    ] == []
