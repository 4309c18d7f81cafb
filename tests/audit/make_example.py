"""Makes the bundle that stands in docs/examples, for whoever wants to try the verifier.

python -m tests.audit.make_example docs/examples
"""

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.audit.exporting import export, worked
from tests.floor import Floor


def main(out: Path) -> None:
    """Work a day, export it, and put the public keys beside it."""
    with TemporaryDirectory() as folder:
        floor = Floor.opened(f"sqlite:///{folder}/keno.db", Path(folder))
        worked(floor, days=1)
        export(floor, out / "day.zip", 1, 1)
        shutil.rmtree(out / "keys", ignore_errors=True)
        (out / "keys").mkdir()
        for path in floor.keyed.public.glob("*.pem"):
            if not path.name.endswith(".tls.pem"):
                shutil.copy(path, out / "keys")
        floor.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
