import json
import urllib.request


def readJSON(url):
    with urllib.request.urlopen(url) as response:
        return json.loads(response.read().decode())
