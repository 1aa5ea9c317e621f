import base64
import hashlib
import hmac
import json
import logging
import os
import re
import shlex
import socket
import ssl
import stat
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

import jwt
import requests
import yaml
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ed25519, padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from flask import abort, redirect, request
from itsdangerous import BadSignature, URLSafeSerializer
from jwt import PyJWKClient
from lxml import etree

ALLOWED = {"shop.example", "help.shop.example"}
BASE = os.path.abspath("files")
FORM = re.compile(r"^[a-z_]+$", re.M)
GOOD = re.compile(r"[a-z_][a-z0-9_]*(\.[a-z_]+)*")
ROOT = Path("files")
SECRET = load_secret()
SHOP = "shop.example"
UNITS = {"a": "-l"}
log = logging.getLogger("x")


def peek_then_verify(token, keys):
    kid = jwt.get_unverified_header(token)["kid"]
    return jwt.decode(token, keys[kid], algorithms=["RS256"], audience="x")


def peek_claims(token, keys):
    firm = jwt.decode(token, options={"verify_signature": False})["iss"]
    if firm not in keys:
        raise ValueError("unknown")
    return jwt.decode(token, keys[firm], algorithms=["ES256"], issuer=firm)


def bad_options_name(token):
    options = {"verify_signature": False, "verify_exp": True}  # finds: python-signature-switched-off
    return jwt.decode(token, options=options)  # finds: python-signature-not-checked


def bad_options_key(token, key):
    opts = dict(verify_signature=False)  # finds: python-signature-switched-off
    return jwt.decode(token, key, algorithms=["RS256"], options=opts)


def bad_options_set(token, key):
    opts = {"verify_exp": True}
    opts["verify_signature"] = False  # finds: python-signature-switched-off
    return jwt.decode(token, key, algorithms=["RS256"], options=opts)


def bad_header_key(token, keys):
    header = jwt.get_unverified_header(token)
    key = header.get("jwk") or keys["a"]
    return jwt.decode(token, key, algorithms=["ES256"])  # finds: python-key-of-the-sender


def bad_header_jwk(token):
    header = jwt.get_unverified_header(token)
    key = jwt.algorithms.RSAAlgorithm.from_jwk(json.dumps(header["jwk"]))  # finds: python-key-of-the-sender
    return jwt.decode(token, key, algorithms=["RS256"])  # finds: python-key-of-the-sender


def bad_header_alg(token, key):
    header = jwt.get_unverified_header(token)
    alg = header.get("alg", "HS256")
    return jwt.decode(token, key, algorithms=[alg])  # finds: python-key-of-the-sender


def bad_all_algs(token, key):
    return jwt.decode(token, key, algorithms=jwt.algorithms.get_default_algorithms())  # finds: python-algorithms-mixed


def bad_fallback(token, key):
    try:  # finds: python-signature-not-checked
        return jwt.decode(token, key, algorithms=["HS256"])
    except jwt.InvalidSignatureError:
        return jwt.decode(token, options={"verify_signature": False})


def bad_issuer_any_key(token, keys):
    for name, key in keys.items():  # finds: python-any-key-for-any-sender
        try:
            return jwt.decode(token, key, algorithms=["ES256"])
        except jwt.InvalidSignatureError:
            continue
    raise ValueError


def all_keys_one_owner(token, keys):
    for key in keys:
        try:
            return jwt.decode(token, key, algorithms=["ES256"])
        except jwt.InvalidSignatureError:
            continue
    raise ValueError


def jwks(token):
    client = PyJWKClient("https://id.example/jwks")
    key = client.get_signing_key_from_jwt(token).key
    return jwt.decode(token, key, algorithms=["RS256"], audience="a")


def bad_rsa_swallowed(public_key, message, signature):
    try:  # finds: python-wrong-signature-goes-on
        public_key.verify(signature, message, padding.PKCS1v15(), hashes.SHA256())
    except InvalidSignature:
        logging.warning("bad signature")
    return json.loads(message)


def rsa(public_key, message, signature):
    try:
        public_key.verify(signature, message, padding.PKCS1v15(), hashes.SHA256())
    except InvalidSignature:
        logging.warning("bad signature")
        return None
    return json.loads(message)


def rsa_bool(public_key, message, signature):
    try:
        public_key.verify(signature, message)
        return True
    except InvalidSignature:
        return False


def bad_key_of_message(envelope):
    document = json.loads(envelope)
    key = ed25519.Ed25519PublicKey.from_public_bytes(bytes.fromhex(document["key"]))  # finds: python-key-of-the-sender
    key.verify(bytes.fromhex(document["signature"]), document["body"].encode())
    return document["body"]


def key_of_us(envelope, keys):
    document = json.loads(envelope)
    key = ed25519.Ed25519PublicKey.from_public_bytes(keys[document["sender"]])
    key.verify(bytes.fromhex(document["signature"]), document["body"].encode())
    return document["body"]


def bad_optional_signature2(body, headers):
    signature = headers.get("X-Signature")
    want = hmac.new(SECRET, body, hashlib.sha256).hexdigest()
    if signature and not hmac.compare_digest(want, signature):  # finds: python-signature-may-be-missing
        raise ValueError
    return json.loads(body)


def bad_optional_signature3(body, headers):
    if "X-Signature" in headers:  # finds: python-signature-may-be-missing
        want = hmac.new(SECRET, body, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(want, headers["X-Signature"]):
            raise ValueError
    return json.loads(body)


def required_signature(body, headers):
    signature = headers.get("X-Signature")
    if not signature:
        raise ValueError
    want = hmac.new(SECRET, body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(want, signature):
        raise ValueError
    return json.loads(body)


def required3(body, signature):
    want = hmac.new(SECRET, body, hashlib.sha256).hexdigest()
    if signature and hmac.compare_digest(want, signature):
        return json.loads(body)
    raise ValueError


def bad_plain_hash(body, signature):
    if hashlib.sha256(body).hexdigest() != signature:  # finds: python-hash-without-a-key
        raise ValueError
    return json.loads(body)


def bad_bad_payload(cookie):
    try:
        return URLSafeSerializer(SECRET).loads(cookie)
    except BadSignature as error:
        return URLSafeSerializer(SECRET).load_payload(error.payload)  # finds: python-wrong-signature-goes-on


def bad_compare_swallow(body, mark):
    want = hmac.new(SECRET, body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(want, mark):  # finds: python-wrong-signature-goes-on
        logging.warning("wrong signature")
    return json.loads(body)


def compare_return(body, mark):
    want = hmac.new(SECRET, body, hashlib.sha256).hexdigest()
    valid = hmac.compare_digest(want, mark)
    if not valid:
        logging.warning("wrong signature")
    return valid


def bad_assert(body, mark):
    want = hmac.new(SECRET, body, hashlib.sha256).hexdigest()
    assert hmac.compare_digest(want, mark)  # finds: python-wrong-signature-goes-on
    return json.loads(body)


def bad_hs_and_rs(token, key):
    return jwt.decode(token, key, ["HS256", "RS256"])  # finds: python-algorithms-mixed


def bad_truncated(body, mark):
    want = hmac.new(SECRET, body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(want[:len(mark)], mark)  # finds: python-as-much-as-is-brought


def claims_after(token, key):
    claims = jwt.decode(token, options={"verify_signature": False})
    try:
        jwt.decode(token, key, algorithms=["HS256"])
    except jwt.InvalidTokenError as error:
        raise ValueError from error
    return claims


def bad_end():
    target = request.args.get("next", "/")
    host = urlsplit(target).hostname or ""
    if host and not host.endswith(SHOP):  # finds: python-host-suffix-fetch python-redirect-by-end-of-host
        abort(400)
    return redirect(target)


def bad_in():
    target = request.args.get("next", "/")
    if SHOP in urlsplit(target).netloc:  # finds: python-redirect-by-end-of-host
        return redirect(target)  # finds: python-open-redirect
    return redirect("/")


def end():
    target = request.args.get("next", "/")
    parts = urlsplit(target)
    if parts.scheme not in ("http", "https"):
        abort(400)
    host = parts.hostname or ""
    if not (host == SHOP or host.endswith("." + SHOP)):
        abort(400)
    return redirect(target)


def list():
    target = request.args.get("next", "/")
    parts = urlsplit(target)
    if parts.scheme not in ("http", "https") or parts.hostname not in ALLOWED:
        return redirect("/")
    return redirect(target)


def bad_settings(data):
    settings = {"resolve_entities": True, "no_network": True}  # finds: python-external-entities
    return etree.fromstring(data, etree.XMLParser(**settings))


def bad_pull(data):
    p = etree.XMLPullParser(events=("end",), resolve_entities=True)  # finds: python-external-entities
    p.feed(data)


def settings(data):
    settings = {"resolve_entities": False, "no_network": True}
    return etree.fromstring(data, etree.XMLParser(**settings))


def bad_multi(path):
    if not re.match(r"^[a-z.]+$", path, re.MULTILINE):
        raise ValueError
    return eval("record." + path)  # finds: python-code-injection


def bad_multi2(path):
    form = re.compile(r"^[a-z.]+$", re.MULTILINE)
    if not form.match(path):
        raise ValueError
    return eval("record." + path)  # finds: python-code-injection


def bad_multi3(path):
    if not FORM.match(path):
        raise ValueError
    return eval("record." + path)  # finds: python-code-injection


def full(path):
    if not GOOD.fullmatch(path):
        raise ValueError
    return eval("record." + path)


def bad_unresolved(name):
    path = ROOT / name
    if not path.is_relative_to(ROOT):
        raise ValueError
    return path.read_text()  # finds: python-path-traversal


def bad_commonpath(name):
    path = os.path.join(BASE, name)
    if os.path.commonpath([path, BASE]) != BASE:
        raise ValueError
    return open(path).read()  # finds: python-path-traversal


def resolve(name):
    path = (ROOT / name).resolve()
    if not path.is_relative_to(ROOT.resolve()):
        raise ValueError
    return path.read_text()


def eqname(name):
    if name != os.path.basename(name) or name in ("", ".", ".."):
        raise ValueError
    return open(os.path.join(BASE, name)).read()


def slash(name):
    if "/" in name or "\\" in name or name.startswith("."):
        raise ValueError
    return (ROOT / name).read_text()


def commonpath(name):
    path = os.path.realpath(os.path.join(BASE, name))
    if os.path.commonpath([path, BASE]) != BASE:
        raise ValueError
    return open(path).read()


def bad_loader(b):
    class L(yaml.SafeLoader): pass
    L.add_multi_constructor("tag:yaml.org,2002:python/object/apply:", yaml.constructor.UnsafeConstructor.construct_python_object_apply)  # finds: python-unsafe-deserialization
    return yaml.load(b, Loader=L)


def own(b):
    class L(yaml.SafeLoader): pass
    L.add_constructor("!p", lambda l, n: l.construct_scalar(n))
    return yaml.load(b, Loader=L)


def bad_var(u, strict=False): return requests.get(u, verify=strict)  # finds: python-certificate-not-checked python-server-side-request-forgery


def bad_client(h):
    c = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)  # finds: python-certificate-not-checked
    return c.wrap_socket(socket.create_connection((h, 443)), server_hostname=h)  # finds: python-server-side-request-forgery


def bad_kw(u):
    options = {"verify": False, "timeout": 3}  # finds: python-certificate-not-checked
    return requests.get(u, **options)  # finds: python-server-side-request-forgery


def pin(h, want):
    c = ssl.create_default_context(); c.check_hostname = False; c.verify_mode = ssl.CERT_NONE
    s = c.wrap_socket(socket.create_connection((h, 443)))  # finds: python-server-side-request-forgery
    if not hmac.compare_digest(hashlib.sha256(s.getpeercert(binary_form=True)).digest(), want):
        s.close()
        raise ssl.SSLError("other")
    return s


def bad_closed(t):
    with tempfile.NamedTemporaryFile() as f: name = f.name
    with open(name, "w") as f: f.write(t)  # finds: python-predictable-temporary-file


def mkd(t):
    d = Path(tempfile.mkdtemp())
    (d / "x").write_text(t)


def fa(user): log.info(f"user {user!a}")


def fmt(user): log.info("user {!r}".format(user))


def dict(user, file):
    log.info("taken %s", {"user": user, "file": file})


def bad_options_in_dict(n):
    options = {"shell": True, "text": True}
    subprocess.run("ls " + n, **options)  # finds: python-command-injection


def map(u, n): subprocess.run(f"wc {UNITS[u]} < {shlex.quote(n)}", shell=True)


def bad_cbc(k, d):
    iv = os.urandom(16)
    e = Cipher(algorithms.AES(k), modes.CBC(iv)).encryptor()  # finds: python-cipher-without-a-mac
    return iv + e.update(d) + e.finalize()


def etm(k, m, d):
    iv = os.urandom(16)
    e = Cipher(algorithms.AES(k), modes.CBC(iv)).encryptor()
    body = iv + e.update(d) + e.finalize()
    return body + hmac.new(m, body, hashlib.sha256).digest()


def bad_gw(script, t):
    script.write_text(t)  # finds: python-path-traversal
    script.chmod(0o775)  # finds: python-loose-permissions


def bad_secret(p, secret):
    Path(p).write_text(secret)  # finds: python-path-traversal python-secret-text-with-default-permissions
    os.chmod(p, 0o644)  # finds: python-loose-permissions


def script(hook, t):
    hook.write_text(t)  # finds: python-path-traversal
    hook.chmod(0o755)


def script2(script):
    os.chmod(script, stat.S_IRWXU | stat.S_IRGRP | stat.S_IXGRP | stat.S_IROTH | stat.S_IXOTH)


def script3(hook):
    os.fchmod(hook, 0o555)
