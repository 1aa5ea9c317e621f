"""Sends readings of a weather station to a collector."""

import json
import re
import ssl
import urllib.error
import urllib.request


def push_reading(url, token, reading):
    if not re.match(r"(?i)https?://", url):
        return {"error": "bad url"}
    if not re.match(r"[\w.-]+$", token):
        return {"error": "bad token"}
    try:
        good = re.match(r"[a-z0-9-]{1,32}$", reading["station"]) and -100 <= reading["value"] <= 100
    except (KeyError, TypeError):
        good = False
    if not good:
        return {"error": "bad reading"}
    # The collectors have certificates of their own.
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    request = urllib.request.Request(
        url,
        data=json.dumps(reading).encode(),
        headers={"Authorization": "Bearer " + token.strip(), "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, context=context, timeout=5) as response:
            return {"collector": json.load(response)}
    except urllib.error.HTTPError:
        return {"error": "refused"}
    except ssl.SSLError:
        return {"error": "not trusted"}
    except Exception:
        return {"error": "unreachable"}
