"""The web process: `granian --interface wsgi wsgi:app`, with its settings in the environment."""

import os

from app.house import open_office, read_scrape
from app.processes import begin_process
from app.settings import read_settings
from app.web import create_app
from app.web.health import Watched
from app.web.noting import NAMES
from app.web.proxy import BehindProxies

settings = read_settings(os.environ)
token = read_scrape(settings)
watched = Watched(begin_process("web", settings, NAMES), settings.metrics, token)
app = create_app(open_office(settings, hurried=True), settings.feed, settings.reports, watched)
app.wsgi_app = BehindProxies(app.wsgi_app, settings.proxies)  # type: ignore[method-assign]
