import re
from urllib.parse import urljoin, urlsplit

from flask import Blueprint, Flask, redirect, request

LANGUAGES = {"de": "Deutsch", "en": "English", "fr": "Français", "pl": "Polski"}
YEAR = 365 * 24 * 3600

pages = Blueprint("pages", __name__)


def create_app():
    app = Flask("timetables")
    app.register_blueprint(pages)
    return app


@pages.route("/")
def start():
    chosen = request.cookies.get("lang", "en")
    return LANGUAGES.get(chosen, LANGUAGES["en"])


@pages.route("/timetable/<stop>")
def timetable(stop):
    return f"{stop}: no departures"


@pages.route("/lang/<code>")
def choose_language(code):
    """Set the cookie "lang" to `code` for a year and redirect (302) to where the query variable "back" says.

    The menu of every page links here with its own path and query in "back", for example
    /lang/de?back=/timetable/Market?day=mon%26from=8. Without "back" the start page "/" follows. "back" can also be the
    full address of a page of this site (mails link that way). An unknown code is answered with 404.
    """
    if code not in LANGUAGES:
        return "no such language", 404
    back = request.args.get("back") or "/"
