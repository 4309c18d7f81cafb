"""`python -m bench.year --out FOLDER`: make a simulated year."""

import argparse
import sys
from pathlib import Path

from bench.year import YearPlan, build_year


def main() -> int:
    """Make a year as it is asked for."""
    plan = YearPlan()
    parser = argparse.ArgumentParser(prog="python -m bench.year", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for keys and journals")
    parser.add_argument("--tickets", type=int, default=plan.tickets)
    parser.add_argument("--games", type=int, default=plan.games)
    parser.add_argument("--days", type=int, default=plan.days)
    parser.add_argument("--seed", type=int, default=plan.seed)
    parser.add_argument("--database", help="else a SQLite file in the folder")
    asked = parser.parse_args()
    folder: Path = asked.out.absolute()
    if folder.exists() and any(folder.iterdir()):
        parser.error(f"{folder} is not empty")
    folder.mkdir(parents=True, exist_ok=True)
    url = asked.database or f"sqlite:///{folder / 'keno.db'}"
    build_year(url, folder, YearPlan(asked.tickets, asked.games, asked.days, asked.seed))
    print(f"A demonstration house is in {folder}, its database at {url}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
