import os
import subprocess

from flask import Flask, request

app = Flask(__name__)
LOG = "access.log"


@app.route("/count")
def count():
    # the word to look for is the query variable "word"
    word = request.args.get("word", "")
    # count the lines of the file LOG that hold the word (as it is, not as a pattern)
    # with the system command grep, and return the number as text
