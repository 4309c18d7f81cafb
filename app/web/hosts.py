"""By which names a house is known: what is asked for under another one is not answered.

A page of somebody else's can have its own name lead to a machine of the house (DNS rebinding): its
scripts would then read, from within, what the browser is allowed to see here. Such a request names
the other host, and says so itself.
"""

from flask import Flask, request

from app.flow.refusals import No, say_no

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


def install(app: Flask, names: tuple[str, ...]) -> None:
    """Have an application answer under the names of the house, and on its own machine.

    Who names no host at all is no browser.
    """
    known = {name.casefold() for name in (*names, *LOOPBACK)}

    @app.before_request
    def refuse_others() -> None:
        host = request.environ.get("HTTP_HOST")
        if host is not None and _name_of(host) not in known:
            raise say_no(No.OTHER_HOST)


def _name_of(host: str) -> str:
    """Return a host without its port."""
    name, colon, port = host.rpartition(":")
    is_port = colon and port.isdecimal() and (":" not in name or name.endswith("]"))
    return (name if is_port else host).casefold()
