from pathlib import Path

from flask import Flask, Response, request

app = Flask(__name__)
BASE = Path("test_dir").resolve()


def text(body, status):
    return Response(body, status=status, mimetype="text/plain")


@app.route("/read", methods=["GET"])
def read():
    name = request.args.get("filename", "")
    if not name:
        return text("Error: Missing filename", 400)
    if "\0" in name or name.startswith(("/", "~")) or ".." in name:
        return text("Error: Access denied", 403)
    path = (BASE / name).resolve()
    if not path.is_relative_to(BASE):
        return text("Error: Access denied", 403)
    if not path.is_file():
        return text("Error: File not found", 404)
    return Response(path.read_bytes(), status=200, mimetype="text/plain")


if __name__ == "__main__":
    app.run()
