import base64
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
import tempfile
import traceback

import jinja2
import jwt
import requests
import yaml
from Crypto.Cipher import AES, DES
from cryptography.hazmat.primitives.asymmetric import rsa
from lxml import etree

PASSWORD_FIELD = "password"


def load(data):
    return pickle.loads(data)  # finds: python-unsafe-deserialization


def load_yaml(text):
    return yaml.load(text, Loader=yaml.Loader)  # finds: python-unsafe-deserialization


def load_safe(text):
    return yaml.safe_load(text), json.loads(text), yaml.load(text, Loader=yaml.SafeLoader)


class Restricted(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError(name)


def load_signed(key, data, tag):
    if not hmac.compare_digest(hmac.new(key, data, hashlib.sha256).digest(), tag):
        raise ValueError
    return json.loads(data)


def encrypt(key, data):
    one = DES.new(key, DES.MODE_CBC)  # finds: python-weak-cipher
    two = AES.new(key, AES.MODE_ECB)  # finds: python-weak-cipher
    return one.encrypt(data) + two.encrypt(data) + AES.new(key, AES.MODE_GCM).encrypt(data)


def digest(data):
    a = hashlib.md5(data).hexdigest()  # finds: python-weak-hash
    b = hashlib.new("sha1", data).hexdigest()  # finds: python-weak-hash
    c = hashlib.md5(data, usedforsecurity=False).hexdigest()
    return a + b + c + hashlib.sha256(data).hexdigest()


def store(password, salt):
    a = hashlib.sha256(password.encode()).hexdigest()  # finds: python-fast-password-hash
    b = hashlib.pbkdf2_hmac("sha256", password, salt, 1000)  # finds: python-fast-password-hash
    return a, b, hashlib.pbkdf2_hmac("sha256", password, salt, 600000)


def pair():
    weak = rsa.generate_private_key(public_exponent=65537, key_size=1024)  # finds: python-short-key
    return weak, rsa.generate_private_key(public_exponent=65537, key_size=3072)


def session_id():
    return "%032x" % random.getrandbits(128)  # finds: python-predictable-random


def session_id_safe():
    return secrets.token_hex(16) + str(random.SystemRandom().randint(1, 6))


def call(url):
    requests.get("https://example.org", verify=False)  # finds: python-certificate-not-checked
    context = ssl.create_default_context()
    context.check_hostname = False  # finds: python-certificate-not-checked
    return requests.get("https://example.org", timeout=3)


def claims(token, key):
    a = jwt.decode(token, key, options={"verify_signature": False})  # finds: python-signature-not-checked
    return a, jwt.decode(token, key, algorithms=["HS256"])


def claims_by_hand(token):
    return json.loads(base64.b64decode(token.split(".")[1]))  # finds: python-signature-not-checked


def check(key, data, tag):
    return hmac.new(key, data, "sha256").hexdigest() == tag  # finds: python-timing-compare


def check_constant(key, data, tag):
    return hmac.compare_digest(hmac.new(key, data, "sha256").hexdigest(), tag)


def document(text):
    parser = etree.XMLParser(resolve_entities=True)  # finds: python-external-entities python-external-content
    return etree.fromstring(text, parser), etree.fromstring(
        text, etree.XMLParser(resolve_entities=False)
    )


def open_up():
    os.chmod("key", 0o644)  # finds: python-loose-permissions
    os.chmod("key", stat.S_IRUSR | stat.S_IROTH)  # finds: python-loose-permissions
    os.umask(0)  # finds: python-loose-permissions
    os.chmod("key", 0o600)
    return os.open("key", os.O_WRONLY | os.O_CREAT, 0o600)


def save_token(value):
    with open("t.txt", "w") as f:  # finds: python-secret-with-default-permissions
        f.write(value)


def save_key_closed(value):
    with open(os.open("t.txt", os.O_WRONLY | os.O_CREAT, 0o600), "w") as f:  # finds: python-loose-permissions
        f.write(value)


def connect(driver):
    db_password = "hunter2!"  # finds: python-hardcoded-credential python-password-in-the-source
    password = os.environ["DB_PASSWORD"]
    return driver(user="app", password="s3cr3t!"), driver(password=password)  # finds: python-hardcoded-credential python-password-in-the-source


def admin(password):
    return password == "letmein"  # finds: python-hardcoded-credential python-password-in-the-source


def slow(text):
    return re.match(r"^(a+)+$", text)  # finds: python-backtracking-regex


def slow_words(text):
    return re.match(r"^(\w+\s?)*$", text)  # finds: python-backtracking-regex


def quick(text):
    return re.match(r"^[a-z]+(-[a-z]+)*$", text), re.match(r"^a+$", text)


def answer(run):
    try:
        return run()
    except Exception as error:
        return {"error": str(error)}, 500  # finds: python-error-detail-shown


def answer_trace(run):
    try:
        return run()
    except Exception:
        return traceback.format_exc(), 500  # finds: python-error-detail-shown


def answer_plain(run):
    try:
        return run()
    except Exception:
        return {"error": "internal error"}, 500


def scratch():
    name = tempfile.mktemp()  # finds: python-predictable-temporary-file
    with open("/tmp/report.txt", "w") as f:  # finds: python-predictable-temporary-file python-file-in-the-shared-folder
        f.write(name)
    return tempfile.mkstemp()


def replace(path):
    if os.path.exists("a"):  # finds: python-time-of-check
        os.remove("a")


def cookies(response):
    response.set_cookie("id", "x")  # finds: python-cookie-for-scripts python-cookie-of-other-sites python-cookie-over-plain-connections
    response.set_cookie("id", "x", secure=True, httponly=True)  # finds: python-cookie-of-other-sites


def engine():
    a = jinja2.Environment()  # finds: python-autoescape-off
    return a, jinja2.Environment(autoescape=True)


def serve(app):
    app.run(debug=True)  # finds: python-debug-mode
    app.run(debug=False)


SALT = b"fixed"  # finds: python-constant-salt


def save_secret(path, value):
    Path(path).write_text(value)  # finds: python-path-traversal python-secret-text-with-default-permissions python-loose-permissions
    Path(path).chmod(0o600)


def cipher(key):
    return modes.CBC(b"0000000000000000")  # finds: python-constant-nonce python-nonce-used-again


def csrf(app):
    app.config["WTF_CSRF_ENABLED"] = False  # finds: python-csrf-off


def claims(token, key):
    options = {"verify_aud": True}
    jwt.decode(token, key, algorithms=["HS256"], options=options)
    return jwt.decode(token, key, ["HS256"], options={"verify_exp": False})  # finds: python-token-claims-not-checked


def opens(given):
    known = os.environ.get("API_TOKEN", "")  # finds: python-empty-secret-default
    return hmac.compare_digest(given, known)


def opens_if_set(given):
    known = os.environ.get("API_TOKEN", "")
    if not known:
        return False
    return hmac.compare_digest(given, known)


def numbers(text):
    pattern = r"\w+(?:-\w+)*:"
    return re.findall(pattern, text)  # finds: python-quadratic-search


def numbers_of_a_short_text(text):
    if len(text) > 100:
        return []
    return re.findall(r"\w+(?:-\w+)*:", text)


def anchored(text):
    return re.search(r"^\w+:", text), re.search(r"[0-9]+", text), re.search(r"x[0-9]+:", text)


def upload(filename, data):
    if filename.endswith((".php", ".exe")):  # finds: python-file-type-by-exclusion
        raise ValueError(filename)
    with open("kept", "wb") as file:
        file.write(data)


def upload_listed(filename, data):
    if filename.rpartition(".")[2].lower() not in ("png", "svg"):
        raise ValueError(filename)
    with open("kept", "wb") as file:
        file.write(data)


def is_page(filename):
    return filename.endswith((".html", ".svg"))


def upload_first(filename, data):
    if filename.split(".", 1)[1] != "png":  # finds: python-file-type-by-first-ending
        raise ValueError(filename)
    with open("kept", "wb") as file:
        file.write(data)


def upload_last(filename, data):
    if filename.rsplit(".", 1)[1] != "png":
        raise ValueError(filename)
    with open("kept", "wb") as file:
        file.write(data)


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
