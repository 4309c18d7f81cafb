"""The schema and its history: applying the migrations, and saying where a database stands."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.exc import DBAPIError

from app.store.database import Database

Away = DBAPIError
"""What reading raises if the database does not answer."""

MIGRATIONS = Path(__file__).parents[2] / "migrations"


def upgrade(database: Database, revision: str = "head") -> None:
    """Bring a database forward to a revision."""
    with database.writing() as connection:
        command.upgrade(_config(connection), revision)
        connection.commit()


def downgrade(database: Database, revision: str = "base") -> None:
    """Take a database back to a revision."""
    with database.writing() as connection:
        command.downgrade(_config(connection), revision)
        connection.commit()


def revision_of(database: Database) -> str | None:
    """Return the revision that a database is at; none if it has no tables."""
    with database.reading() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def newest_revision() -> str | None:
    """Return the revision that this software is written for."""
    return ScriptDirectory.from_config(_config(None)).get_current_head()


def _config(connection: object) -> Config:
    config = Config(str(MIGRATIONS / "alembic.ini"))
    config.attributes["connection"] = connection
    return config
