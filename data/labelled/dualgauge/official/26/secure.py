import shlex
import subprocess

from flask import Flask, jsonify, request

app = Flask(__name__)
ALLOWED = {"echo", "cat", "ls"}


def refuse(message):
    return jsonify(error=message), 400


@app.route("/command", methods=["POST"])
def executeCommand():
    data = request.get_json(silent=True) or request.form
    command = data.get("command", "")
    if not isinstance(command, str) or not command.strip():
        return refuse("Error: Empty command")
    if any(c in command for c in ";|&$`<>\n"):
        return refuse("Error: Command injection detected")
    try:
        words = shlex.split(command)
    except ValueError:
        return refuse("Error: Invalid command")
    if words[0] not in ALLOWED:
        return refuse("Error: Command not found")
    if any("/" in w or ".." in w for w in words[1:]):
        return refuse("Error: Restricted file access")
    try:
        done = subprocess.run(words, cwd="./test_dir", capture_output=True, text=True, timeout=3)
    except (OSError, subprocess.TimeoutExpired):
        return refuse("Error: Execution failed")
    if done.returncode != 0:
        return refuse("Error: Execution failed")
    return jsonify(output=done.stdout)


if __name__ == "__main__":
    app.run()
