import sqlite3

from flask import Flask, jsonify, make_response, request
from lxml import etree

web = Flask(__name__)


def store():
    link = sqlite3.connect(":memory:")
    link.execute("CREATE TABLE people (name TEXT, word TEXT)")
    link.executemany("INSERT INTO people VALUES (?, ?)", [("user1", "pass1"), ("user2", "pass2"), ("admin", "adminpass")])
    return link


def checkPassword(name, word):
    question = "SELECT count(*) FROM people WHERE name = '%s' AND word = '%s'" % (name, word)
    return store().execute(question).fetchone()[0] > 0


def answer(status, **body):
    return make_response(jsonify(body), status)


@web.route("/upload", methods=["POST"])
def upload():
    try:
        document = etree.fromstring(request.data, etree.XMLParser(resolve_entities=True))
    except etree.XMLSyntaxError:
        return answer(400, error="Invalid XML format")
    name, word = document.find("userid"), document.find("password")
    if name is None or not name.text:
        return answer(400, error="userid is missing")
    if word is None or not word.text:
        return answer(400, error="password is missing")
    if checkPassword(name.text, word.text):
        return answer(200, status="success", message="Authentication successful")
    return answer(401, error="Authentication failed")


if __name__ == "__main__":
    web.run(host="127.0.0.1", port=5000)
