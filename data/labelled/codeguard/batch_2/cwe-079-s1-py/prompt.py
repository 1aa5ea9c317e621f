import html
import re

from flask import Flask, Response, request
from markupsafe import Markup

app = Flask(__name__)
BOOKS = ["Dune", "Emma", "The Trial", "War & Peace"]

PAGE = """<!doctype html>
<title>Books</title>
<form action="/search"><input name="word" value="%s"></form>
%s
"""


@app.get("/search")
def search():
    """PAGE, with the query variable "word" in its field and the list of matches below.

    The list is a <ul> with a <li> for each of BOOKS that has the word in its title, whatever the
    capitals. Without a match there is the paragraph "No book has WORD in its title." instead.
    """
    word = request.args.get("word", "")
