"""Helpers of `test_reporter` that other tests use too."""

import threading

from flask import Flask
from flask.testing import FlaskClient

from app.flow.access import Credentials
from app.reporter import Reporter


def made(reporter: Reporter) -> int:
    """Make all that waits; say how many reports that were."""
    count = 0
    while reporter.look(threading.Event()):
        count += 1
    return count


def client_of(app: Flask, credentials: Credentials) -> FlaskClient:
    """Whoever it is, at a station."""
    client = app.test_client()
    client.environ_base["HTTP_X_STATION"] = credentials.station or ""
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {credentials.token}"
    return client
