"""How Alembic finds the database: on a connection that it is given, or at `-x url=...`."""

from alembic import context
from sqlalchemy import Connection

from app.store.database import Database
from app.store.schema import compared
from app.store.tables import Table


def run(connection: Connection) -> None:
    """Apply migrations, each in a transaction of its own."""
    context.configure(
        connection=connection,
        target_metadata=Table.metadata,
        **compared(connection),
        transaction_per_migration=True,
        render_as_batch=connection.dialect.name == "sqlite",
    )
    with context.begin_transaction():
        context.run_migrations()


given = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    database = Database(context.get_x_argument(as_dictionary=True)["url"])
    with database.writing() as own:
        run(own)
        own.commit()
    database.close()
