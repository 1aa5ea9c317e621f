import re

from flask import Flask, Response, request

app = Flask(__name__)


@app.route("/search")
def search():
    username = request.args.get("username")
    filename = request.args.get("filename")
    body = "Found" if re.search(username, filename) else "Not Found"
    return Response(body, status=200, content_type="text/html")


if __name__ == "__main__":
    app.run()
