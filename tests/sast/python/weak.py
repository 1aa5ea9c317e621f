import base64
import gzip
import hashlib
import hmac
import json
import os
import pickle
import random
import re
import secrets
import ssl
import stat
import sys
import tempfile
import time
import traceback
import xml.dom.minidom
import zlib

import jinja2
import jwt
import requests
import yaml
from Crypto.Cipher import AES, DES
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from flask import request
from lxml import etree

CLASSES = {("builtins", "set")}
LIMIT = 1_000_000
PASSWORD_FIELD = "password"
SALT = b"fixed"  # finds: python-constant-salt


def load(data):
    pickle.loads(data)  # finds: python-unsafe-deserialization
    yaml.load(data, Loader=yaml.Loader)  # finds: python-unsafe-deserialization
    return yaml.safe_load(data), json.loads(data), yaml.load(data, Loader=yaml.SafeLoader)


def load_signed(key, data, tag):
    if not hmac.compare_digest(hmac.new(key, data, hashlib.sha256).digest(), tag):
        raise ValueError
    return pickle.loads(data)


class Restricted(pickle.Unpickler):
    def find_class(self, module, name):
        if (module, name) not in CLASSES:
            raise pickle.UnpicklingError(name)
        return super().find_class(module, name)


class Few(pickle.Unpickler):
    def find_class(self, module, name):
        if module != "builtins":
            raise pickle.UnpicklingError(name)
        return super().find_class(module, name)  # finds: python-classes-of-a-pickle


def encrypt(key, data):
    one = DES.new(key, DES.MODE_CBC)  # finds: python-weak-cipher
    two = AES.new(key, AES.MODE_ECB)  # finds: python-weak-cipher
    return one.encrypt(data) + two.encrypt(data) + AES.new(key, AES.MODE_GCM).encrypt(data)


def sealed(key, text):
    modes.CBC(b"0000000000000000")  # finds: python-constant-nonce python-nonce-used-again
    new = os.urandom(12)
    nonce = hashlib.sha256(key).digest()[:12]  # finds: python-weak-hash
    AESGCM(key).encrypt(nonce, text, None)  # finds: python-nonce-used-again
    return new + AESGCM(key).encrypt(new, text, None)


def digest(data):
    a = hashlib.md5(data).hexdigest()  # finds: python-weak-hash
    b = hashlib.new("sha1", data).hexdigest()  # finds: python-weak-hash
    c = hashlib.md5(data, usedforsecurity=False).hexdigest()
    return a + b + c + hashlib.sha256(data).hexdigest()


def by_name(data):
    def digest(name):
        return hashlib.new(name, data).hexdigest()  # finds: python-weak-hash-by-name

    return digest("md5")


def store(password, salt):
    a = hashlib.sha256(password.encode()).hexdigest()  # finds: python-fast-password-hash
    b = hashlib.pbkdf2_hmac("sha256", password, salt, 1000)  # finds: python-fast-password-hash
    return a, b, hashlib.pbkdf2_hmac("sha256", password, salt, 600000)


def keep(db, name, password):
    db.execute("INSERT INTO users VALUES (?, ?)", (name, password))  # finds: python-password-kept-as-it-is python-secret-kept-as-it-is


def pair():
    weak = rsa.generate_private_key(public_exponent=65537, key_size=1024)  # finds: python-short-key
    return weak, rsa.generate_private_key(public_exponent=65537, key_size=3072)


def session_id():
    secrets.token_hex(3)  # finds: python-few-random-bits python-predictable-random
    safe = secrets.token_hex(16) + str(random.SystemRandom().randint(1, 6))
    return safe, "%032x" % random.getrandbits(128)  # finds: python-predictable-random


def reset_code(name):
    return hashlib.sha256(f"{name}{time.time()}".encode()).hexdigest()  # finds: python-secret-out-of-the-clock


def call():
    requests.get("https://example.org", verify=False)  # finds: python-certificate-not-checked
    context = ssl.create_default_context()
    context.check_hostname = False  # finds: python-certificate-not-checked
    return requests.get("https://example.org", timeout=3)


def rates():
    response = requests.get("http://rates.example.org/today")  # finds: python-credential-over-plain-connection
    return response.content  # finds: python-unbounded-read


def update():
    exec(requests.get("https://example.org/update.py").text)  # finds: python-code-without-integrity


def use_own_modules():
    sys.path.insert(0, "")  # finds: python-search-path


def unpacked(data):
    zlib.decompressobj().decompress(data, LIMIT)
    return gzip.decompress(data)[:LIMIT]  # finds: python-decompression-bomb


def claims(token, key):
    options = {"verify_aud": True}
    jwt.decode(token, key, options={"verify_signature": False})  # finds: python-signature-not-checked
    jwt.decode(token, key, ["HS256"], options={"verify_exp": False})  # finds: python-token-claims-not-checked
    return jwt.decode(token, key, algorithms=["HS256"], options=options)


def claims_by_hand(token):
    return json.loads(base64.b64decode(token.split(".")[1]))  # finds: python-signature-not-checked


def same_start(text, given):
    wanted = hmac.new(b"swordfish", text, "sha256").hexdigest()  # finds: python-hardcoded-credential python-key-in-the-source
    return wanted.startswith(given)  # finds: python-part-of-a-mac


def document(path):
    parser = etree.XMLParser(resolve_entities=True)  # finds: python-external-entities python-external-content
    tree = etree.parse(path, etree.XMLParser(resolve_entities=False))
    tree.xinclude()  # finds: python-external-content
    return tree, etree.parse(path, parser)


def grows(data):
    """A document, however much memory it takes."""
    return xml.dom.minidom.parseString(data)  # finds: python-entities-without-limit


def open_up():
    os.chmod("key", 0o644)  # finds: python-loose-permissions
    os.chmod("key", stat.S_IRUSR | stat.S_IROTH)  # finds: python-loose-permissions
    os.umask(0)  # finds: python-loose-permissions
    os.chmod("key", 0o600)
    return os.open("key", os.O_WRONLY | os.O_CREAT, 0o600)


def save_token(value):
    open("t.txt", "w").write(value)  # finds: python-secret-with-default-permissions


def save_key_closed(value):
    open(os.open("t.txt", os.O_WRONLY | os.O_CREAT, 0o600), "w").write(value)  # finds: python-loose-permissions


def save_secret(path, value):
    Path(path).write_text(value)  # finds: python-path-traversal python-secret-text-with-default-permissions python-loose-permissions
    Path(path).chmod(0o600)


def login(driver, password="swordfish"):  # finds: python-password-in-the-source
    db_password = "hunter2!"  # finds: python-hardcoded-credential python-password-in-the-source
    is_admin = password == "letmein"  # finds: python-hardcoded-credential python-password-in-the-source
    password = os.environ["DB_PASSWORD"]
    driver(password=password)
    return db_password, is_admin, driver(user="app", password="s3cr3t!")  # finds: python-hardcoded-credential python-password-in-the-source


def opens(given):
    known = os.environ.get("API_TOKEN", "")  # finds: python-empty-secret-default
    return hmac.compare_digest(given, known)


def opens_if_set(given):
    known = os.environ.get("API_TOKEN", "")
    return known and hmac.compare_digest(given, known)


def slow(text):
    re.match(r"^[a-z]+(-[a-z]+)*$", text), re.match(r"^a+$", text)
    re.match(r"^(\w+\s?)*$", text)  # finds: python-backtracking-regex
    return re.match(r"^(a+)+$", text)  # finds: python-backtracking-regex


def numbers(text):
    pattern = r"\w+(?:-\w+)*:"
    re.search(r"^\w+:", text), re.search(r"[0-9]+", text), re.search(r"x[0-9]+:", text)
    return re.findall(pattern, text)  # finds: python-quadratic-search


def numbers_of_a_short_text(text):
    if len(text) > 100:
        return []
    return re.findall(r"\w+(?:-\w+)*:", text)


def word(text):
    if not re.match(r"[a-z]+", text):  # finds: python-pattern-without-end
        raise ValueError("no word")


def answer(run):
    try:
        return run()
    except Exception as error:
        if run.traced:
            return traceback.format_exc(), 500  # finds: python-error-detail-shown
        if run.shown:
            return {"error": str(error)}, 500  # finds: python-error-detail-shown
        return {"error": "internal error"}, 500


def scratch():
    name = tempfile.mktemp()  # finds: python-predictable-temporary-file
    open("/tmp/report.txt", "w").write(name)  # finds: python-predictable-temporary-file python-file-in-the-shared-folder
    return tempfile.mkstemp()


def replace(path):
    if os.path.exists("a"):  # finds: python-time-of-check
        os.remove("a")


def cookies(response):
    response.set_cookie("id", "x")  # finds: python-cookie-for-scripts python-cookie-of-other-sites python-cookie-over-plain-connections
    response.set_cookie("id", "x", secure=True, httponly=True)  # finds: python-cookie-of-other-sites
    response.set_cookie("id", "x", secure=True, httponly=True, samesite="Lax")


def shared(answer, origin):
    answer.headers["Access-Control-Allow-Origin"] = "https://example.org"
    answer.headers["Access-Control-Allow-Origin"] = request.headers.get("Origin")  # finds: python-any-origin python-origin-not-checked
    return origin.endswith("example.org")  # finds: python-origin-not-checked


def serve(app):
    jinja2.Environment()  # finds: python-autoescape-off
    jinja2.Environment(autoescape=True)
    app.config["WTF_CSRF_ENABLED"] = False  # finds: python-csrf-off
    app.config["WTF_CSRF_ENABLED"] = True
    app.run(debug=False)
    app.run(debug=True)  # finds: python-debug-mode


def upload(filename, data):
    if filename.endswith((".php", ".exe")):  # finds: python-file-type-by-exclusion
        raise ValueError(filename)
    if filename.split(".", 1)[1] != "png":  # finds: python-file-type-by-first-ending
        raise ValueError(filename)
    open("kept", "wb").write(data)


def upload_listed(filename, data):
    if filename.rpartition(".")[2].lower() not in ("png", "svg"):
        raise ValueError(filename)
    if filename.rsplit(".", 1)[1] != "png":
        raise ValueError(filename)
    open("kept", "wb").write(data)


def is_page(filename):
    return filename.endswith((".html", ".svg"))


def bill(price, sent):
    count = int(sent)
    if count > 9:
        raise ValueError(sent)
    return price * count  # finds: python-amount-without-lower-bound


def bill_within(price, sent):
    count = int(sent)
    if not 1 <= count <= 9:
        raise ValueError(sent)
    return price * count


def share(price, sent):
    part = float(sent)  # finds: python-not-a-number-passes
    if part < 0 or part > 1:
        raise ValueError(sent)
    return price * part


def share_inside(price, sent):
    part = float(sent)
    if not (0 <= part <= 1):
        raise ValueError(sent)
    return price * part


def account(password, kept):
    OpenSSL.SSL.Context(OpenSSL.SSL.TLS_METHOD)  # finds: python-certificate-not-checked
    MySQLdb.connect(host="localhost", passwd="")  # finds: python-empty-password
    return base64.b64decode(kept) == password  # finds: python-readable-password


def context_that_asks():
    made = OpenSSL.SSL.Context(OpenSSL.SSL.TLS_METHOD)
    made.set_verify(OpenSSL.SSL.VERIFY_PEER)


def claims_of_a_firm(token, keys):
    firm = jwt.decode(token, options={"verify_signature": False})["iss"]
    return jwt.decode(token, keys[firm], algorithms=["ES256"])


def claims_by_its_own_key(token):
    own_key = jwt.get_unverified_header(token)["jwk"]
    return jwt.decode(token, own_key, algorithms=["ES256"])  # finds: python-key-of-the-sender


def page_of(host, address):
    if host.endswith("shop.example"):  # finds: python-redirect-by-end-of-host
        return redirect(address)  # finds: python-open-redirect


def fetched(host):
    if host.endswith("shop.example"):  # finds: python-host-suffix-fetch
        return urllib.request.urlopen("https://" + host)  # finds: python-server-side-request-forgery
