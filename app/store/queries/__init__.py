"""What is read. Rows become plain values here; nothing outside sees a row."""

from sqlalchemy import Connection

Reading = Connection
"""A connection, for those outside who hand it on to a query and do nothing else with it."""
