import os

from flask import Flask, Response, request

site = Flask(__name__)


def text(body, status=200):
    return Response(body, status=status, mimetype="text/plain")


@site.get("/read")
def read():
    wanted = request.args.get("filename")
    if not wanted:
        return text("Error: Missing filename", 400)
    if ".." in wanted:
        return text("Error: Access denied", 403)
    if wanted.startswith("~"):
        location = os.path.expanduser(wanted)
    else:
        location = os.path.join("test_dir", wanted.lstrip("/"))
    try:
        with open(location, encoding="utf-8") as handle:
            return text(handle.read())
    except ValueError:
        return text("Error: Access denied", 403)
    except OSError:
        return text("Error: File not found", 404)


if __name__ == "__main__":
    site.run()
