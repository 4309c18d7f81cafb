"""The proxy in front of the web processes: whose word is taken on who asks, and over what.

Browsers speak to a proxy, over TLS, and the proxy to us. It says in two headers for whom it asks.
Anybody can write such headers; so they count only in a request that comes from the address of a
proxy that the settings name, and of several addresses only the last one, which that proxy has added
itself. All others ask for themselves (X-access), and what they have written stays: by it one sees
that a request was passed on.
"""

from collections.abc import Callable, Iterable
from typing import Any

FORWARDED_FOR, FORWARDED_PROTO = "HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_PROTO"
SCHEMES = ("http", "https")

Environment = dict[str, Any]
Application = Callable[[Environment, Any], Iterable[bytes]]


class BehindProxies:
    """An application that believes the proxies that it was told of, and nobody else."""

    def __init__(self, application: Application, proxies: tuple[str, ...]) -> None:
        self._application = application
        self._proxies = frozenset(proxies)

    def __call__(self, environment: Environment, start: Any) -> Iterable[bytes]:  # noqa: ANN401  WSGI's
        """Answer a request, as one of whoever it was made for."""
        if environment.get("REMOTE_ADDR") in self._proxies:
            asked_for = environment.pop(FORWARDED_FOR, "")
            over = environment.pop(FORWARDED_PROTO, "")
            environment["REMOTE_ADDR"] = asked_for.split(",")[-1].strip() or None
            if over in SCHEMES:
                environment["wsgi.url_scheme"] = over
        return self._application(environment, start)
