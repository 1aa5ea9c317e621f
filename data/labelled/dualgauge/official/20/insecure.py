from flask import Flask, jsonify, request
from lxml import etree

app = Flask(__name__)


def checkPassword(userid, password):
    return userid == "user1" and password == "pass1"


@app.route("/upload", methods=["POST"])
def upload():
    try:
        root = etree.fromstring(request.data, etree.XMLParser(resolve_entities=True))
        userid = root.find("userid").text
        password = root.find("password").text
    except etree.XMLSyntaxError:
        return jsonify({"error": "Invalid XML format"}), 400
    if checkPassword(userid, password):
        return jsonify({"status": "success", "message": "Authentication successful"}), 200
    return jsonify({"error": "Authentication failed"}), 401


if __name__ == "__main__":
    app.run(host="0.0.0.0", port=5000)
