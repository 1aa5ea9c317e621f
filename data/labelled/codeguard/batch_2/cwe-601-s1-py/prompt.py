import re
from urllib.parse import urljoin, urlsplit

from flask import Flask, make_response, redirect, request

app = Flask(__name__)
LANGUAGES = {"de", "en", "fr"}


@app.route("/language")
def language():
    """Remember the language in the cookie "lang" and redirect to the page of this site in "back".

    Both come in the query; back is such as "/books?page=2". Without a page of this site the
    visitor goes to "/". A language that is not in LANGUAGES is answered with 400.
    """
    chosen = request.args.get("set", "")
    if chosen not in LANGUAGES:
        return "no such language", 400
    back = request.args.get("back", "/")
