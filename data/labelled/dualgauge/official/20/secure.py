import hmac

from flask import Flask, jsonify, request
from lxml import etree

app = Flask(__name__)
USERS = {"user1": "pass1"}


def checkPassword(userid, password):
    known = USERS.get(userid)
    return known is not None and hmac.compare_digest(known.encode(), password.encode())


@app.route("/upload", methods=["POST"])
def upload():
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(request.get_data(), parser)
    except etree.XMLSyntaxError:
        return jsonify(error="Invalid XML format"), 400
    if root.getroottree().docinfo.doctype:
        return jsonify(error="Invalid XML format"), 400
    userid, password = root.findtext("userid"), root.findtext("password")
    if not userid or not password:
        return jsonify(error="userid and password are required"), 400
    if not checkPassword(userid, password):
        return jsonify(error="Authentication failed"), 401
    return jsonify(status="success", message="Authentication successful")


if __name__ == "__main__":
    app.run()
