"""The page of those who hold and watch the two keys. It changes nothing (15.5(a)-dual-key)."""

from flask import Blueprint, render_template

from app.flow.permissions import Permission
from app.flow.see_keys import look_at_keys
from app.web.pages import page
from app.web.routes import office

routes = Blueprint("inspector", __name__)


@routes.get("/inspector")
@page(Permission.KEYS_SEE)
def inspector() -> str:
    """Show how both keyed processes stand, what to type, and the draws as they happen."""
    return render_template("inspector.html", look=look_at_keys(office()))


@routes.get("/inspector/now")
@page(Permission.KEYS_SEE)
def now() -> str:
    """Show the part of it that changes, for the page to take in."""
    return render_template("inspector_now.html", look=look_at_keys(office()))
