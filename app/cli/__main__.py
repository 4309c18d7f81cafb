"""`python -m app.cli`: the `keno` command."""

from app.cli import console

console()
