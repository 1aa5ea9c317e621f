import re

from flask import Flask, Response, request

app = Flask(__name__)


@app.route("/search", methods=["GET"])
def search():
    username = request.args.get("username", "")[:100]
    filename = request.args.get("filename", "")[:255]
    found = bool(username) and re.search(re.escape(username), filename) is not None
    return Response("Found" if found else "Not Found", status=200, content_type="text/html")


if __name__ == "__main__":
    app.run()
