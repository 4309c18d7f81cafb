"""The web process: `granian --interface wsgi wsgi:app`, with its settings in the environment."""

import os
from collections.abc import Mapping

from flask import Flask

from app.house import open_office, read_scrape
from app.processes import begin_process
from app.settings import read_settings
from app.web import create_app
from app.web.health import Watched
from app.web.noting import NAMES
from app.web.proxy import BehindProxies


def opened(environment: Mapping[str, str]) -> Flask:
    """Return the application of the house that an environment describes."""
    settings = read_settings(environment)
    token = read_scrape(settings)
    watched = Watched(begin_process("web", settings, NAMES), settings.metrics, token)
    office = open_office(settings, hurried=True)
    made = create_app(office, settings.feed, settings.reports, watched, settings.hosts)
    made.wsgi_app = BehindProxies(made.wsgi_app, settings.proxies)  # type: ignore[assignment, method-assign]
    return made


app = opened(os.environ)
