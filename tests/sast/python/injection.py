import ast
import csv
import hashlib
import hmac
import html
import importlib
import ipaddress
import json
import logging
import os
import re
import secrets
import shlex
import string
import subprocess
import tarfile
import urllib.request
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlparse, urlsplit
from xml.sax.saxutils import escape as escape_xml

import flask
from fastapi import UploadFile
from flask import Flask, redirect, render_template_string, request
from lxml import etree
from markupsafe import Markup, escape
from werkzeug.utils import secure_filename

app = Flask(__name__)
log = logging.getLogger(__name__)
BASE = "/srv/files"
TABLES = {"users", "orders"}
COLUMNS = {"name": "name", "age": "age"}
EDITABLE = ("name", "email")
PARSERS = {"json": json.loads}
SIGNING = os.environ["SIGNING"]


def read(name, other: str, number: int):
    open(os.path.join(BASE, os.path.basename(name)))
    open(os.path.join(BASE, f"{number}.txt"))
    open(os.path.join(BASE, name))  # finds: python-path-traversal
    return (Path(BASE) / other).read_bytes()  # finds: python-path-traversal


def read_partial(name):
    full = os.path.realpath(os.path.join(BASE, name))
    if not full.startswith(BASE):
        raise ValueError(name)
    return open(full).read()  # finds: python-path-traversal


def build(name):
    return os.path.join(BASE, name)


def read_by_helper():
    return open(build(request.args["name"])).read()  # finds: python-path-traversal


def read_checked(name):
    full = os.path.realpath(os.path.join(BASE, name))
    if os.path.commonpath([BASE, full]) != BASE:
        raise ValueError(name)
    return open(full).read()


def read_separated(name):
    full = os.path.realpath(os.path.join(BASE, name))
    if not full.startswith(BASE + os.sep):
        raise ValueError(name)
    return open(full).read()


def read_relative(name):
    full = (Path(BASE) / name).resolve()
    if not full.is_relative_to(BASE):
        raise ValueError(name)
    return full.read_text()


def read_listed(name):
    if name not in TABLES:
        raise ValueError(name)
    return open(os.path.join(BASE, name)).read()


def read_no_link(path):
    if os.path.islink(path):  # finds: python-links-followed
        raise ValueError("a symlink")
    return open(path).read()  # finds: python-links-followed python-path-traversal


def write_below(folder, title):
    name = "".join(c for c in title if c.isalnum())
    return open(os.path.join(folder, name), "w").write(title)


def unpack():
    with tarfile.open("fixed.tar") as tar:
        tar.extractall("/srv/out")  # finds: python-archive-extraction python-decompression-bomb
        tar.extractall("/srv/out", filter="data")  # finds: python-decompression-bomb


def ping(host):
    command = f"ping -c 1 {host}"
    os.system(command)  # finds: python-command-injection
    subprocess.run(["sh", "-c", f"ping {host}"])  # finds: python-command-injection
    subprocess.run(["ping", "-c", "1", "--", host])
    subprocess.run("ping -c 1 " + shlex.quote(host), shell=True)
    return subprocess.run("ping -c 1 " + host, shell=True)  # finds: python-command-injection


def ping_checked(host, address):
    if not re.fullmatch(r"[a-z0-9.-]+", host):
        raise ValueError(host)
    ipaddress.ip_address(address)
    os.system("ping -c 1 " + address)
    return subprocess.run("ping -c 1 " + host, shell=True)


def wanted_folder():
    return request.args.get("folder")


def wanted_lines():
    return int(flask.request.args["lines"])


@app.route("/list")
def list_wanted():
    subprocess.getoutput(f"head -n {wanted_lines()} access.log")
    return subprocess.getoutput("ls " + wanted_folder())  # finds: python-command-injection


def count_word(word):
    subprocess.run(["grep", "-c", "--", word, "words.txt"])
    return subprocess.run(["grep", "-c", word, "words.txt"])  # finds: python-argument-injection


def find_user(conn, name):
    query = "SELECT * FROM users WHERE name = '%s'" % name
    conn.execute(f"SELECT * FROM users WHERE name = '{name}'")  # finds: python-sql-injection
    conn.execute("SELECT * FROM users WHERE name = ?", (name,))
    conn.execute("SELECT * FROM users ORDER BY " + COLUMNS[name])
    return conn.execute(query).fetchall()  # finds: python-sql-injection


def count_rows(conn, table, names):
    if table not in TABLES:
        raise ValueError(table)
    marks = ", ".join("?" for _ in names)
    return conn.execute(f"SELECT count(*) FROM {table} WHERE name IN ({marks})", names)


def account(users):
    users.find_one({"name": str(request.json["name"])})
    return users.find_one({"name": request.json["name"]})  # finds: python-operators-of-a-query


def directory_user(server, name):
    server.search_s("dc=x", 2, "(uid=" + escape_filter_chars(name) + ")")
    server.search_s("dc=x", 2, "(uid=" + name + ")")  # finds: python-ldap-injection
    return f"(&(objectClass=person)(uid={name}))"  # finds: python-ldap-injection


def calculate(text):
    eval(text, {"__builtins__": {}})  # finds: python-code-injection
    ast.literal_eval(text)
    return eval(text)  # finds: python-code-injection


def handler(name):
    importlib.import_module("plugins." + name)  # finds: python-dynamic-import python-imported-by-input
    PARSERS[name]()
    return getattr(app, name)  # finds: python-dynamic-import


def greet(name):
    safe = escape(name)
    greeted = Markup("<h1>Hello {}</h1>").format(name), f"<p>{safe}</p>"
    escaped = "<h1>Hello " + html.escape(name) + "</h1>"
    return greeted, escaped, "<h1>Hello " + name + "</h1>"  # finds: python-cross-site-scripting


def hello():
    name = request.args.get("name", "")
    return f"<p>Hello {name}</p>"  # finds: python-cross-site-scripting


def greet_letters(name):
    if not all(c.isalnum() for c in name):
        raise ValueError(name)
    return "<p>" + name + "</p>"


def greeting(text, user):
    string.Template(text).safe_substitute(name=user.name)
    return text.format(user=user)  # finds: python-format-of-input


def page(text):
    render_template_string("<p>{{ text }}</p>", text=text)
    return render_template_string(text)  # finds: python-template-injection python-cross-site-scripting


def person(name):
    """A person as XML."""
    escaped = f"<person><name>{escape_xml(name)}</name></person>"
    return escaped, f"<person><name>{name}</name></person>"  # finds: python-cross-site-scripting python-xml-injection


def field(value):
    shown = html.escape(value, quote=False)
    link = f'<a href="{html.escape(value)}">there</a>'  # finds: python-escaped-address-or-script
    return link, f'<input value="{shown}">'  # finds: python-wrong-kind-of-escape


def link_to_the_web(address):
    if urlsplit(address).scheme not in ("http", "https"):
        address = "#"
    return f'<a href="{html.escape(address)}">there</a>'


def go():
    return redirect(request.args["next"])  # finds: python-open-redirect


def go_home():
    target = request.args["next"]
    return redirect(target if is_own_page(target) else "/")


def is_own_page(target):
    parts = urlsplit(target)
    return target.startswith("/") and not (parts.scheme or parts.netloc)


def go_somewhere():
    target = request.args["next"]
    return redirect(target if is_path(target) else "/")  # finds: python-open-redirect


def is_path(target):
    return target.startswith("/")


def go_checked():
    target = request.args["next"]
    if urlparse(target).netloc not in ("", "example.org"):
        target = "/"
    return redirect(target)


def fetch(url):
    urllib.request.urlopen("https://example.org/" + url)
    return urllib.request.urlopen(url).read()  # finds: python-server-side-request-forgery


def fetch_listed(url):
    if urlparse(url).hostname not in {"example.org"}:
        raise ValueError(url)
    return urllib.request.urlopen(url).read()  # finds: python-server-side-request-forgery


def user_node(tree, name):
    tree.xpath("//user[@name=$name]", name=name)
    return tree.xpath("//user[@name='" + name + "']")  # finds: python-xpath-injection


def search(pattern):
    re.search(re.escape(pattern), "fixed")
    return re.search(pattern, "fixed")  # finds: python-regex-injection


def note(user):
    password = os.environ["P"]
    log.debug("the password is %s", password)  # finds: python-secret-in-log
    log.info("login of %s", user)  # finds: python-log-injection
    log.info("login of %s", user.replace("\n", " ").replace("\r", " "))
    log.info("login of %r" % repr(user))


def header(name):
    return "HTTP/1.1 200 OK\r\nX-Name: " + name + "\r\n"  # finds: python-header-injection python-line-breaks-in-mail


def letter(address, subject):
    short = "To: " + " ".join(address.split()) + "\r\nSubject: Hello\r\n\r\n"
    return short, "To: " + address.replace("\n", "") + "\r\nSubject: Hello\r\n\r\n" + subject  # finds: python-header-injection python-line-breaks-in-mail


def change(user, data):
    for key, value in data.items():
        if key in ("id", "role"):
            continue
        setattr(user, key, value)  # finds: python-mass-assignment
    for name, value in data.items():
        if name in EDITABLE:
            setattr(user, name, value)


def change_copy(user):
    sent = request.get_json()
    replace(user, **{key: sent[key] for key in EDITABLE if key in sent})
    return replace(user, **request.get_json())  # finds: python-mass-assignment


def exported(rows, file):
    csv.writer(file).writerows(rows)  # finds: python-formula-in-a-table


def decoded(path):
    if ".." in path:  # finds: python-checked-before-it-is-decoded
        raise ValueError("no")
    path = unquote(path)


class Account:
    def get(self):
        return os.popen("id " + self.request.GET["name"])  # finds: python-command-injection

    def keep(self):
        self.picture.save(os.path.join(BASE, self.picture.filename))  # finds: python-path-traversal python-upload-of-any-type
        self.picture.save(os.path.join(BASE, secure_filename(self.picture.filename)))  # finds: python-upload-of-any-type

    def keep_renamed(self):
        self.picture.save(os.path.join(BASE, secrets.token_hex(16)))


async def take(file: UploadFile):
    open(os.path.join(BASE, os.path.basename(file.filename)), "wb")
    with open(os.path.join(BASE, file.filename), "wb") as out:  # finds: python-path-traversal
        out.write(await file.read())  # finds: python-unbounded-read


async def feed(file: UploadFile):
    parser = etree.XMLParser(remove_comments=True)
    closed = etree.XMLParser(resolve_entities=False, no_network=True)
    etree.fromstring(request.data)  # finds: python-lxml-default-parser
    etree.parse(request.stream, parser)  # finds: python-lxml-default-parser
    etree.parse(request.stream, closed)
    etree.fromstring(request.data, etree.XMLParser(resolve_entities=False))
    etree.parse("/srv/feeds/own.xml")
    return etree.XML(await file.read(), etree.XMLParser())  # finds: python-lxml-default-parser python-unbounded-read


def is_signed(user, password, form, token):
    same = user.password == password  # finds: python-timing-compare
    typed_twice = form["password"] == form["password_again"]
    bearer = token.kind == form[0] or token is None
    return same, typed_twice, bearer, request.headers.get("X-Token") == SIGNING  # finds: python-timing-compare


def is_sealed(key, data, sent):
    mac = hmac.new(key, data, hashlib.sha256).hexdigest()
    safely = len(mac) == len(sent) and hmac.compare_digest(mac, sent)
    plainly = hmac.new(key, data, "sha256").hexdigest() == sent  # finds: python-timing-compare
    return safely, plainly, "sha256=" + mac == sent  # finds: python-timing-compare-of-mac
