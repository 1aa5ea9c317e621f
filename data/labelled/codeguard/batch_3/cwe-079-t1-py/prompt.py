import html
import re

from flask import Flask, render_template_string, request
from markupsafe import Markup

app = Flask(__name__)

PLANTS = {
    "acer": "Maple",
    "alnus": "Alder",
    "betula": "Birch",
    "quercus": "Oak",
    "quercus suber": "Cork oak",
}


def matching(words):
    """(Latin name, common name) of the plants in whose names the words are found."""
    wanted = words.strip().lower()
    both = PLANTS.items()
    return [pair for pair in both if wanted and any(wanted in name.lower() for name in pair)]


@app.route("/search")
def search():
    """The page with the results of a search for the query variable "words".

    On the page there are the form, whose text field "words" is filled in with the words again;
    the sentence "2 plants for WORDS" (or "1 plant for WORDS", in which WORDS are as typed); and a
    list with an item "quercus: Oak" for each plant.
    """
    words = request.args.get("words", "")
