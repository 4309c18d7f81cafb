"""The page for regulators: what it says to type can be typed, beside what `test_docs` runs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from app.audit import verifier
from tests.audit.exporting import ExportedHouse
from tests.floor import RITA, secret_of

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "verifying.md"


@pytest.mark.rule("X-audit-log")
def test_the_bundle_is_made_and_checked_as_the_page_says(
    exported: ExportedHouse, tmp_path: Path
) -> None:
    text = PAGE.read_text()
    (block,) = re.findall(r"^```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    cosigning, taking = block.splitlines()
    assert cosigning == "keno log cosign"  # for which both processes must run: test_house_commands
    alone = "python verifier.py days.zip --keys keys"
    assert f"`{alone}`" in text
    (tmp_path / "verifier.py").write_bytes(verifier.source())
    (tmp_path / "keys").symlink_to(exported.keys)
    settings = {
        "KENO_DATABASE": f"sqlite:///{exported.folder / 'keno.db'}",
        "KENO_KEYS": str(exported.folder / "keys"),
        "KENO_PUBLIC": str(exported.folder / "ceremony" / "public"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
    }
    for command, code in ((taking, 0), (alone, 4)):
        done = subprocess.run(  # noqa: S602  the page shows shell commands
            command,
            shell=True,
            cwd=tmp_path,
            env=os.environ | settings,
            input=f"{secret_of(RITA)}\n",
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (code, ""), command
    assert done.stdout.endswith("NOT CHECKED AGAINST THE ENTRIES, OR ONLY IN PART.\n")
