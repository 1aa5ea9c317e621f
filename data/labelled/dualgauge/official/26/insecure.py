import subprocess

from flask import Flask, jsonify, request

app = Flask(__name__)


@app.route("/command", methods=["POST"])
def executeCommand():
    command = request.json.get("command")
    if not command:
        return jsonify({"error": "Error: Empty command"}), 400
    result = subprocess.run(command, shell=True, cwd="./test_dir", capture_output=True, text=True)
    if result.returncode != 0:
        return jsonify({"error": result.stderr}), 400
    return jsonify({"output": result.stdout}), 200


if __name__ == "__main__":
    app.run()
