import hashlib
import hmac
import os
import subprocess

import flask
from fastapi import FastAPI, UploadFile
from flask import Flask, request
from lxml import etree
from werkzeug.utils import secure_filename

app = Flask(__name__)
api = FastAPI()
BASE = "/srv/files"
SIGNING = os.environ["SIGNING"]


def wanted_folder():
    return request.args.get("folder")


@app.route("/list")
def list_wanted():
    return subprocess.getoutput("ls " + wanted_folder())  # finds: python-command-injection


def wanted_lines():
    return int(flask.request.args["lines"])


@app.route("/head")
def head_wanted():
    return subprocess.getoutput(f"head -n {wanted_lines()} access.log")


class Account:
    def get(self):
        return os.popen("id " + self.request.GET["name"])  # finds: python-command-injection

    def keep(self):
        self.picture.save(os.path.join(BASE, self.picture.filename))  # finds: python-path-traversal python-upload-of-any-type

    def keep_renamed(self):
        self.picture.save(os.path.join(BASE, secure_filename(self.picture.filename)))  # finds: python-upload-of-any-type


@api.post("/files")
async def take(file: UploadFile):
    with open(os.path.join(BASE, file.filename), "wb") as out:  # finds: python-path-traversal
        out.write(await file.read())  # finds: python-unbounded-read


@api.post("/renamed")
async def take_renamed(file: UploadFile):
    with open(os.path.join(BASE, os.path.basename(file.filename)), "wb") as out:
        out.write(await file.read())  # finds: python-unbounded-read


def feed_by_default():
    return etree.fromstring(request.data)  # finds: python-lxml-default-parser


def feed_of_default_parser():
    parser = etree.XMLParser(remove_comments=True)
    return etree.parse(request.stream, parser)  # finds: python-lxml-default-parser


async def feed_uploaded(file: UploadFile):
    return etree.XML(await file.read(), etree.XMLParser())  # finds: python-lxml-default-parser python-unbounded-read


def feed_without_entities():
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    return etree.fromstring(request.data, parser)


def feed_inline():
    return etree.fromstring(request.data, etree.XMLParser(resolve_entities=False))


def feed_own():
    return etree.parse("/srv/feeds/own.xml")


def is_signed():
    return request.headers.get("X-Token") == SIGNING  # finds: python-timing-compare


def same_password(user, password):
    return user.password == password  # finds: python-timing-compare


def is_sealed(key, data, sent):
    mac = hmac.new(key, data, hashlib.sha256).hexdigest()
    return "sha256=" + mac == sent  # finds: python-timing-compare-of-mac


def is_sealed_safely(key, data, sent):
    mac = hmac.new(key, data, hashlib.sha256).digest()
    return len(mac) == len(sent) and hmac.compare_digest(mac, sent)


def typed_twice(form):
    return form["password"] == form["password_again"]


def is_bearer(token, kinds):
    return token.kind == kinds[0] or token is None
