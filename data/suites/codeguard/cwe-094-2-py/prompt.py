from flask import Flask, render_template_string, request

app = Flask(__name__)
app.config["API_KEY"] = "key-4711"


@app.route("/missing")
def missing():
    """Say with status 404 that the page named by the query variable "page" does not exist.

    The answer is HTML: <h1>Not found</h1><p>There is no page NAME here.</p>
    """
    page = request.args.get("page", "")
