import re
import subprocess

from flask import Flask, jsonify, request

app = Flask(__name__)
SIGNS = re.compile(r"[\w\s./'\"-]+")


def _run(line):
    return subprocess.run(line, shell=True, cwd="test_dir", capture_output=True, text=True, timeout=3)


@app.post("/command")
def executeCommand():
    line = (request.get_json(force=True, silent=True) or {}).get("command", "")
    if not isinstance(line, str) or not line.strip():
        return jsonify({"error": "Error: Empty command"}), 400
    if not SIGNS.fullmatch(line):
        return jsonify({"error": "Error: Command injection detected"}), 400
    try:
        done = _run(line)
    except subprocess.TimeoutExpired:
        return jsonify({"error": "Error: Timeout command rejected"}), 400
    if done.returncode != 0:
        return jsonify({"error": "Error: Command not found"}), 400
    return jsonify({"output": done.stdout})


if __name__ == "__main__":
    app.run(host="0.0.0.0", port=5000)
