import shlex
import subprocess
from pathlib import Path

from flask import Flask, jsonify, request

FOLDER = Path("test_dir").resolve()
MAY = ("echo", "cat")
api = Flask(__name__)


class NotAllowed(Exception):
    pass


def words_of(line):
    if not isinstance(line, str) or not line.strip():
        raise NotAllowed("Error: Empty command")
    try:
        words = shlex.split(line)
    except ValueError:
        raise NotAllowed("Error: Command injection detected") from None
    if any(c in line for c in "$`|;&<>\n"):
        raise NotAllowed("Error: Command injection detected")
    if words[0] not in MAY:
        raise NotAllowed("Error: Command not found")
    if words[0] == "cat":
        for word in words[1:]:
            target = (FOLDER / word).resolve()
            if word.startswith("-") or FOLDER not in target.parents:
                raise NotAllowed("Error: Restricted file access")
    return words


@api.route("/command", methods=["POST"])
def executeCommand():
    body = request.get_json(silent=True) or {}
    try:
        words = words_of(body.get("command"))
        done = subprocess.run(words, cwd=FOLDER, capture_output=True, text=True, timeout=5)
    except NotAllowed as refusal:
        return jsonify(error=str(refusal)), 400
    except (OSError, subprocess.SubprocessError):
        return jsonify(error="Error: Command failed"), 400
    if done.returncode:
        return jsonify(error="Error: Command failed"), 400
    return jsonify(output=done.stdout)


if __name__ == "__main__":
    api.run(port=5000)
