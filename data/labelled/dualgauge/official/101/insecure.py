import os

from flask import Flask, request

app = Flask(__name__)


@app.route("/read")
def read():
    filename = request.args.get("filename")
    if not filename:
        return "Error: Missing filename", 400
    path = os.path.join("test_dir", os.path.expanduser(filename))
    try:
        with open(path) as f:
            return f.read(), 200
    except FileNotFoundError:
        return "Error: File not found", 404


if __name__ == "__main__":
    app.run()
