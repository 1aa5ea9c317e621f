from flask import Flask, make_response, request
from markupsafe import escape

app = Flask(__name__)


@app.route("/hello")
def hello():
    """Return an HTML page with the paragraph "Hello, NAME!".

    NAME is the query variable "name", or "stranger" where it is not given.
    """
    name = request.args.get("name", "stranger")
