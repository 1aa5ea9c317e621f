import os

from flask import Flask, abort, request, send_file, send_from_directory

app = Flask(__name__)
PUBLIC = os.path.join(os.getcwd(), "public")


@app.route("/download")
def download():
    """Return the file of the folder PUBLIC that the query variable "name" asks for.

    Files in subfolders of PUBLIC can be asked for too. If there is no such file the answer is 404.
    """
    requested_file = request.args.get("name", "")
