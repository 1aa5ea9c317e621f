import ast
import html
import ipaddress
import logging
import os
import re
import shlex
import sqlite3
import subprocess
import tarfile
import urllib.request
from pathlib import Path
from urllib.parse import urlparse

from flask import Flask, redirect, render_template_string, request
from lxml import etree
from markupsafe import Markup, escape

app = Flask(__name__)
log = logging.getLogger(__name__)
BASE = "/srv/files"
TABLES = {"users", "orders"}
COLUMNS = {"name": "name", "age": "age"}
CELL = re.compile(r"[a-z]+")


def read_joined(name):
    with open(os.path.join(BASE, name)) as f:  # finds: python-path-traversal
        return f.read()


def read_pathlib(name: str) -> bytes:
    return (Path(BASE) / name).read_bytes()  # finds: python-path-traversal


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
    with open(full) as f:
        return f.read()


def read_separated(name):
    full = os.path.realpath(os.path.join(BASE, name))
    if not full.startswith(BASE + os.sep):
        raise ValueError(name)
    with open(full) as f:
        return f.read()


def read_relative(name):
    full = (Path(BASE) / name).resolve()
    if not full.is_relative_to(BASE):
        raise ValueError(name)
    return full.read_text()


def read_listed(name):
    if name not in TABLES:
        raise ValueError(name)
    return open(os.path.join(BASE, name)).read()


def read_basename(name):
    return open(os.path.join(BASE, os.path.basename(name))).read()


def read_numbered(number: int):
    return open(os.path.join(BASE, f"{number}.txt")).read()


def unpack(path, target):
    with tarfile.open("fixed.tar") as tar:
        tar.extractall("/srv/out")  # finds: python-archive-extraction python-decompression-bomb


def unpack_filtered(path, target):
    with tarfile.open("fixed.tar") as tar:
        tar.extractall("/srv/out", filter="data")  # finds: python-decompression-bomb


def ping_shell(host):
    return subprocess.run("ping -c 1 " + host, shell=True)  # finds: python-command-injection


def ping_system(host):
    command = f"ping -c 1 {host}"
    os.system(command)  # finds: python-command-injection


def ping_dash_c(host):
    subprocess.run(["sh", "-c", f"ping {host}"])  # finds: python-command-injection


def ping_list(host):
    return subprocess.run(["ping", "-c", "1", "--", host])


def ping_quoted(host):
    return subprocess.run("ping -c 1 " + shlex.quote(host), shell=True)


def ping_checked(host):
    if not re.fullmatch(r"[a-z0-9.-]+", host):
        raise ValueError(host)
    return subprocess.run("ping -c 1 " + host, shell=True)


def ping_address(host):
    ipaddress.ip_address(host)
    os.system("ping -c 1 " + host)


def find_user(conn, name):
    query = "SELECT * FROM users WHERE name = '%s'" % name
    return conn.execute(query).fetchall()  # finds: python-sql-injection


def find_user_f(db, name):
    cur = sqlite3.connect(db).cursor()
    cur.execute(f"SELECT * FROM users WHERE name = '{name}'")  # finds: python-sql-injection
    return cur.fetchone()


def find_user_bound(conn, name):
    return conn.execute("SELECT * FROM users WHERE name = ?", (name,)).fetchall()


def count_rows(conn, table):
    if table not in TABLES:
        raise ValueError(table)
    return conn.execute(f"SELECT count(*) FROM {table}").fetchone()


def ordered(conn, column):
    return conn.execute("SELECT * FROM users ORDER BY " + COLUMNS[column])


def many(conn, names):
    marks = ", ".join("?" for _ in names)
    return conn.execute(f"SELECT * FROM users WHERE name IN ({marks})", names)


def directory_user(server, name):
    return server.search_s("dc=x", 2, "(uid=" + name + ")")  # finds: python-ldap-injection


def directory_filter(name):
    return f"(&(objectClass=person)(uid={name}))"  # finds: python-ldap-injection


def directory_escaped(server, name):
    return server.search_s("dc=x", 2, "(uid=" + escape_filter_chars(name) + ")")


def calculate(text):
    return eval(text)  # finds: python-code-injection


def calculate_bare(text):
    return eval(text, {"__builtins__": {}})  # finds: python-code-injection


def calculate_literal(text):
    return ast.literal_eval(text)


def greet(name):
    return "<h1>Hello " + name + "</h1>"  # finds: python-cross-site-scripting


@app.route("/hello")
def hello():
    name = request.args.get("name", "")
    return f"<p>Hello {name}</p>"  # finds: python-cross-site-scripting


def greet_escaped(name):
    return "<h1>Hello " + html.escape(name) + "</h1>"


def greet_markup(name):
    return Markup("<h1>Hello {}</h1>").format(name)


def greet_two(name):
    safe = escape(name)
    return f"<p>{safe}</p>"


def page(text):
    return render_template_string(text)  # finds: python-template-injection python-cross-site-scripting


@app.route("/go")
def go():
    return redirect(request.args["next"])  # finds: python-open-redirect


@app.route("/go-checked")
def go_checked():
    target = request.args["next"]
    if urlparse(target).netloc not in ("", "example.org"):
        target = "/"
    return redirect(target)


def fetch(url):
    return urllib.request.urlopen(url).read()  # finds: python-server-side-request-forgery


def fetch_listed(url):
    if urlparse(url).hostname not in {"example.org"}:
        raise ValueError(url)
    return urllib.request.urlopen(url).read()  # finds: python-server-side-request-forgery


def user_node(tree, name):
    return tree.xpath("//user[@name='" + name + "']")  # finds: python-xpath-injection


def user_node_bound(tree, name):
    return tree.xpath("//user[@name=$name]", name=name)


def search(pattern, text):
    return re.search(pattern, "fixed")  # finds: python-regex-injection


def search_plain(word, text):
    return re.search(re.escape(word), "fixed")


def note(user):
    log.info("login of %s", user)  # finds: python-log-injection


def note_one_line(user):
    log.info("login of %s", user.replace("\n", " ").replace("\r", " "))


def note_repr(user):
    log.info("login of %r" % repr(user))


def note_secret():
    password = os.environ["P"]
    log.debug("the password is %s", password)  # finds: python-secret-in-log


def header(name):
    return "HTTP/1.1 200 OK\r\nX-Name: " + name + "\r\n"  # finds: python-header-injection python-line-breaks-in-mail


def count_word(word):
    return subprocess.run(["grep", "-c", word, "words.txt"])  # finds: python-argument-injection


def count_word_ended(word):
    return subprocess.run(["grep", "-c", "--", word, "words.txt"])


def greet_letters(name):
    if not all(c.isalnum() for c in name):
        raise ValueError(name)
    return "<p>" + name + "</p>"


def write_below(folder, title):
    name = "".join(c for c in title if c.isalnum())
    with open(os.path.join(folder, name), "w") as f:
        f.write(title)
