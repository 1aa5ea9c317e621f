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
    return "To: " + address.replace("\n", "") + "\r\nSubject: Hello\r\n\r\n" + subject  # finds: python-header-injection python-line-breaks-in-mail


def letter_in_one_line(address):
    return "To: " + " ".join(address.split()) + "\r\nSubject: Hello\r\n\r\n"


def handler(name):
    return getattr(app, name)  # finds: python-dynamic-import


def handler_of_ours(name):
    return PARSERS[name]


def plugin(name):
    return importlib.import_module("plugins." + name)  # finds: python-dynamic-import python-imported-by-input


def greeting(text, user):
    return text.format(user=user)  # finds: python-format-of-input


def greeting_from_a_template(text, user):
    return string.Template(text).safe_substitute(name=user.name)


def change(user, data):
    for key, value in data.items():
        if key in ("id", "role"):
            continue
        setattr(user, key, value)  # finds: python-mass-assignment


def change_what_may_be(user, data):
    for key, value in data.items():
        if key in EDITABLE:
            setattr(user, key, value)


def change_copy(user):
    return replace(user, **request.get_json())  # finds: python-mass-assignment


def change_copy_of_some(user):
    sent = request.get_json()
    return replace(user, **{key: sent[key] for key in EDITABLE if key in sent})


def unpacked(data):
    text = gzip.decompress(data)  # finds: python-decompression-bomb
    if len(text) > LIMIT:
        raise ValueError("too long")
    return text


def unpacked_to_a_limit(data):
    return zlib.decompressobj().decompress(data, LIMIT)


def page_of(address):
    response = requests.get("https://example.org/")
    return response.content  # finds: python-unbounded-read


def sealed(key, text):
    nonce = hashlib.sha256(key).digest()[:12]  # finds: python-weak-hash
    return AESGCM(key).encrypt(nonce, text, None)  # finds: python-nonce-used-again


def sealed_anew(key, text):
    nonce = os.urandom(12)
    return nonce + AESGCM(key).encrypt(nonce, text, None)


def rates():
    return requests.get("http://rates.example.org/today").text  # finds: python-credential-over-plain-connection


def signed(text):
    return hmac.new(b"swordfish", text, "sha256").hexdigest()  # finds: python-hardcoded-credential python-key-in-the-source


def keep(db, name, password):
    db.execute("INSERT INTO users VALUES (?, ?)", (name, password))  # finds: python-password-kept-as-it-is python-secret-kept-as-it-is


def invitation():
    return secrets.token_hex(3)  # finds: python-few-random-bits python-predictable-random


def use_own_modules():
    sys.path.insert(0, "")  # finds: python-search-path


def update(place):
    code = requests.get("https://example.org/update.py").text
    exec(code)  # finds: python-code-without-integrity


def exported(rows, file):
    csv.writer(file).writerows(rows)  # finds: python-formula-in-a-table


def account(users):
    return users.find_one({"name": request.json["name"]})  # finds: python-operators-of-a-query


def account_by_text(users):
    return users.find_one({"name": str(request.json["name"])})


def person(name):
    """A person as XML."""
    return f"<person><name>{name}</name></person>"  # finds: python-cross-site-scripting python-xml-injection


def person_escaped(name):
    """A person as XML."""
    return f"<person><name>{escape_xml(name)}</name></person>"


def shared():
    answer = make_response("{}")
    answer.headers["Access-Control-Allow-Origin"] = request.headers.get("Origin")  # finds: python-any-origin python-origin-not-checked
    return answer


def is_ours(origin):
    return origin.endswith("example.org")  # finds: python-origin-not-checked


def remember(value):
    answer = make_response("")
    answer.set_cookie("session", value)  # finds: python-cookie-for-scripts python-cookie-of-other-sites python-cookie-over-plain-connections
    answer.set_cookie("session", value, secure=True, httponly=True, samesite="Lax")
    return answer


def grows(data):
    """A document, however much memory it takes."""
    return xml.dom.minidom.parseString(data)  # finds: python-entities-without-limit


def included(path):
    tree = etree.parse(path)
    tree.xinclude()  # finds: python-external-content
    return tree


def read_no_link(path):
    if os.path.islink(path):  # finds: python-links-followed
        raise ValueError("a symlink")
    return open(path).read()  # finds: python-links-followed python-path-traversal


def word(text):
    if not re.match(r"[a-z]+", text):  # finds: python-pattern-without-end
        raise ValueError("no word")


def decoded(path):
    if ".." in path:  # finds: python-checked-before-it-is-decoded
        raise ValueError("no")
    path = unquote(path)
    return path


def field(value):
    shown = html.escape(value, quote=False)
    return f'<input value="{shown}">'  # finds: python-wrong-kind-of-escape


def link(address):
    return f'<a href="{html.escape(address)}">there</a>'  # finds: python-escaped-address-or-script


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
        return super().find_class(module, name)  # finds: python-classes-of-a-pickle


def by_name(data):
    def digest(name):
        return hashlib.new(name, data).hexdigest()  # finds: python-weak-hash-by-name

    return digest("md5")


def reset_code(name):
    return hashlib.sha256(f"{name}{time.time()}".encode()).hexdigest()  # finds: python-secret-out-of-the-clock


def same_start(key, text, given):
    wanted = hmac.new(key, text, "sha256").hexdigest()
    return wanted.startswith(given)  # finds: python-part-of-a-mac


def login(password="swordfish"):  # finds: python-password-in-the-source
    return smtplib.SMTP("mail.example.org")
