"""The bill of materials: every locked dependency with its hashes and its licence (CycloneDX 1.5).

`make materials` writes it to the file that goes along with the product. It is made from the locked
requirements and from what the installed packages say of themselves, so it is the same wherever it
is made.
"""

import json
import re
from importlib.metadata import PackageMetadata, PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
LOCKED = ROOT / "requirements.txt"
FILE = ROOT / "docs" / "bill-of-materials.json"
_PIN = re.compile(r"^([a-z0-9-]+)==(\S+?)(?: ; ([^\\]+?))? \\$", re.MULTILINE)
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


def main() -> None:
    """Write the bill to the file that goes along with the product."""
    FILE.write_text(bill_text())


def bill_text() -> str:
    """Return the bill; the same bytes for the same locked requirements."""
    return json.dumps(_bill(), indent=1, sort_keys=True) + "\n"


def pins() -> list[tuple[str, str, str | None, list[str]]]:
    """Return every pinned package: its name, version, where it is needed, and its hashes."""
    text = LOCKED.read_text()
    found = list(_PIN.finditer(text))
    ends = [each.start() for each in found[1:]] + [len(text)]
    return [
        (each[1], each[2], each[3], _HASH.findall(text[each.end() : end]))
        for each, end in zip(found, ends, strict=True)
    ]


def _bill() -> dict[str, Any]:
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "keno-back-office"}},
        "components": [_component(*pin) for pin in pins()],
    }


def _component(name: str, version: str, where: str | None, hashes: list[str]) -> dict[str, Any]:
    reference = f"pkg:pypi/{name}@{version}"
    component: dict[str, Any] = {
        "type": "library",
        "bom-ref": reference,
        "purl": reference,
        "name": name,
        "version": version,
        # One for each file that may be installed; which one, is a matter of the machine.
        "properties": [{"name": "keno:sha256", "value": each} for each in sorted(hashes)],
    }
    if where:
        component["properties"].insert(0, {"name": "keno:needed-where", "value": where})
        return component  # it is not installed everywhere, to be asked for its licence
    licence = _licence(name, version)
    if licence:
        component["licenses"] = [{"license": {"name": licence}}]
    return component


def _licence(name: str, version: str) -> str | None:
    """Return what an installed package says of its licence; none of one that is not installed."""
    try:
        said = metadata(name)
    except PackageNotFoundError:
        return None
    if said["Version"] != version:
        return None
    expression = _said(said, "License-Expression")
    if expression:
        return expression
    classified = [
        each.rsplit(" :: ", 1)[-1]
        for each in said.get_all("Classifier") or []
        if each.startswith("License ::")
    ]
    if classified:
        return "; ".join(sorted(classified))
    plain = _said(said, "License")
    return plain.splitlines()[0] if plain else None


def _said(package: PackageMetadata, name: str) -> str | None:
    return next(iter(package.get_all(name) or []), None)


if __name__ == "__main__":
    main()
