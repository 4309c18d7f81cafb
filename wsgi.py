"""The web process: `granian --interface wsgi wsgi:app`, with its settings in the environment."""

import os

from app.house import open_office
from app.settings import read_settings
from app.web import create_app

app = create_app(open_office(read_settings(os.environ)))
