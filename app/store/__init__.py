"""The tables: SQLAlchemy lives here and nowhere else.

    columns    the column types: UTC, cents, canonical JSON
    tables/    every table, one module for each part of the house
    database   an engine for SQLite or PostgreSQL, set up so that a commit is durable
    unit       a unit of work: one transaction, rolled back unless it is committed
    queries/   what is read, and where rows become values

Facts are only ever added to: the database refuses to change or delete them (`tables.APPEND_ONLY`).
"""
