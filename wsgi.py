"""The web process: `granian --interface wsgi wsgi:app`, with its settings in the environment."""

import os

from app.flow.keys import read_keys
from app.flow.office import Office
from app.settings import read_settings
from app.store.database import Database
from app.web import create_app

settings = read_settings(os.environ)
app = create_app(Office(Database(settings.database), read_keys(settings.keys)))
