"""The web process of tests of pages: `wsgi.py`, and an address at which it opens another house.

What a process needs is loaded once. Each house has an application of its own: nothing of the house
before is left in it, and a request that is still under way there stays there.
"""

import json
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

import wsgi
from tests.web.server import OPEN

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


class Warm:
    """The application of the house that was opened last."""

    def __init__(self) -> None:
        self._application = wsgi.app

    def __call__(
        self, environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        """Answer a request; that for another house here, every other one by the application."""
        if environ["PATH_INFO"] != OPEN:
            return self._application(environ, start_response)
        settings = json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
        others = {name: text for name, text in os.environ.items() if not name.startswith("KENO_")}
        self._application = wsgi.opened(others | settings)
        start_response("200 OK", [("Content-Type", "application/json")])
        return [b"{}"]


app = Warm()
