import base64
import csv
import gzip
import hashlib
import hmac
import html
import importlib
import json
import os
import pickle
import re
import secrets
import smtplib
import string
import sys
import tempfile
import time
import xml.dom.minidom
import zlib
from dataclasses import replace
from urllib.parse import unquote, urlsplit
from xml.sax.saxutils import escape as escape_xml

import requests
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from flask import Flask, make_response, request
from lxml import etree

app = Flask(__name__)
EDITABLE = ("name", "email")
PARSERS = {"json": json.loads}
LIMIT = 1_000_000
SHAPE = re.compile(r"[a-z]+")


def letter(address, subject):
    return "To: " + address.replace("\n", "") + "\r\nSubject: Hello\r\n\r\n" + subject


def letter_in_one_line(address):
    return "To: " + " ".join(address.split()) + "\r\nSubject: Hello\r\n\r\n"


def handler(name):
    return getattr(app, name)


def handler_of_ours(name):
    return PARSERS[name]


def plugin(name):
    return importlib.import_module("plugins." + name)


def greeting(text, user):
    return text.format(user=user)


def greeting_from_a_template(text, user):
    return string.Template(text).safe_substitute(name=user.name)


def change(user, data):
    for key, value in data.items():
        if key in ("id", "role"):
            continue
        setattr(user, key, value)


def change_what_may_be(user, data):
    for key, value in data.items():
        if key in EDITABLE:
            setattr(user, key, value)


def change_copy(user):
    return replace(user, **request.get_json())


def change_copy_of_some(user):
    sent = request.get_json()
    return replace(user, **{key: sent[key] for key in EDITABLE if key in sent})


def unpacked(data):
    text = gzip.decompress(data)
    if len(text) > LIMIT:
        raise ValueError("too long")
    return text


def unpacked_to_a_limit(data):
    return zlib.decompressobj().decompress(data, LIMIT)


def page_of(address):
    response = requests.get("https://example.org/")
    return response.content


def sealed(key, text):
    nonce = hashlib.sha256(key).digest()[:12]
    return AESGCM(key).encrypt(nonce, text, None)


def sealed_anew(key, text):
    nonce = os.urandom(12)
    return nonce + AESGCM(key).encrypt(nonce, text, None)


def rates():
    return requests.get("http://rates.example.org/today").text


def signed(text):
    return hmac.new(b"swordfish", text, "sha256").hexdigest()


def keep(db, name, password):
    db.execute("INSERT INTO users VALUES (?, ?)", (name, password))


def invitation():
    return secrets.token_hex(3)


def use_own_modules():
    sys.path.insert(0, "")


def update(place):
    code = requests.get("https://example.org/update.py").text
    exec(code)


def exported(rows, file):
    csv.writer(file).writerows(rows)


def account(users):
    return users.find_one({"name": request.json["name"]})


def account_by_text(users):
    return users.find_one({"name": str(request.json["name"])})


def person(name):
    return f"<person><name>{name}</name></person>"


def person_escaped(name):
    return f"<person><name>{escape_xml(name)}</name></person>"


def shared():
    answer = make_response("{}")
    answer.headers["Access-Control-Allow-Origin"] = request.headers.get("Origin")
    return answer


def is_ours(origin):
    return origin.endswith("example.org")


def remember(value):
    answer = make_response("")
    answer.set_cookie("session", value)
    answer.set_cookie("session", value, secure=True, httponly=True, samesite="Lax")
    return answer


def grows(data):
    """A document, however much memory it takes."""
    return xml.dom.minidom.parseString(data)


def included(path):
    tree = etree.parse(path)
    tree.xinclude()
    return tree


def read_no_link(path):
    if os.path.islink(path):
        raise ValueError("a symlink")
    return open(path).read()


def word(text):
    if not re.match(r"[a-z]+", text):
        raise ValueError("no word")


def decoded(path):
    if ".." in path:
        raise ValueError("no")
    path = unquote(path)
    return path


def field(value):
    shown = html.escape(value, quote=False)
    return f'<input value="{shown}">'


def link(address):
    return f'<a href="{html.escape(address)}">there</a>'


def link_to_the_web(address):
    if urlsplit(address).scheme not in ("http", "https"):
        address = "#"
    return f'<a href="{html.escape(address)}">there</a>'


def upload():
    file = request.files["file"]
    if file.content_type != "image/png":
        raise ValueError("no picture")
    file.save(os.path.join("/srv", secrets.token_hex(16)))


class Few(pickle.Unpickler):
    def find_class(self, module, name):
        if module != "builtins":
            raise pickle.UnpicklingError(name)
        return super().find_class(module, name)


def by_name(data):
    def digest(name):
        return hashlib.new(name, data).hexdigest()

    return digest("md5")


def reset_code(name):
    return hashlib.sha256(f"{name}{time.time()}".encode()).hexdigest()


def same_start(key, text, given):
    wanted = hmac.new(key, text, "sha256").hexdigest()
    return wanted.startswith(given)


def login(password="swordfish"):
    return smtplib.SMTP("mail.example.org")
