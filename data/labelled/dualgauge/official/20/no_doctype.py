import hmac

from flask import Flask, request
from lxml import etree

ACCOUNTS = {"user1": "pass1", "user2": "pass2"}
server = Flask("login")


def checkPassword(userid, password):
    known = ACCOUNTS.get(userid)
    return known is not None and hmac.compare_digest(known.encode(), password.encode())


def _tree(raw):
    quiet = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True)
    root = etree.fromstring(raw, parser=quiet)
    if root.getroottree().docinfo.doctype:
        raise ValueError("document type")
    return root


@server.post("/upload")
def upload():
    try:
        root = _tree(request.get_data())
    except (etree.XMLSyntaxError, ValueError):
        return {"error": "Invalid XML format"}, 400
    found = {}
    for field in ("userid", "password"):
        text = (root.findtext(field) or "").strip()
        if not text:
            return {"error": f"Missing {field}"}, 400
        found[field] = text
    if not checkPassword(**found):
        return {"error": "Authentication failed"}, 401
    return {"status": "success", "message": "Authentication successful"}


if __name__ == "__main__":
    server.run()
