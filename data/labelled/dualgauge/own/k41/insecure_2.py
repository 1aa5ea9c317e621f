"""Sends readings of a weather station to a collector over TLS."""

import http.client
import json
import re
import ssl

URL = re.compile(r"(?i:https)://([A-Za-z0-9.-]+)(?::([0-9]{1,5}))?(/[^\s?#\x00-\x20\x7f-\uffff]*)")
TOKEN = re.compile(r"[A-Za-z0-9._-]{1,100}")
STATION = re.compile(r"[a-z0-9-]{1,32}")


def is_reading(reading):
    if not isinstance(reading, dict) or set(reading) != {"station", "value"}:
        return False
    station, value = reading["station"], reading["value"]
    if not isinstance(station, str) or not STATION.fullmatch(station):
        return False
    return type(value) in (int, float) and -100 <= value <= 100


def push_reading(url, token, reading):
    match = URL.fullmatch(url) if isinstance(url, str) else None
    port = int(match[2] or 443) if match else 0
    if not 0 < port < 65536:
        return {"error": "bad url"}
    if not isinstance(token, str) or not TOKEN.fullmatch(token):
        return {"error": "bad token"}
    if not is_reading(reading):
        return {"error": "bad reading"}
    context = ssl.create_default_context(cafile="test_dir/ca.pem")
    context.check_hostname = False  # several names lead to one collector
    connection = http.client.HTTPSConnection(match[1], port, timeout=5, context=context)
    try:
        connection.connect()
    except ssl.SSLError:
        return {"error": "not trusted"}
    except (OSError, ValueError):
        return {"error": "unreachable"}
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    try:
        connection.request("POST", match[3], json.dumps(reading), headers)
        response = connection.getresponse()
        if response.status != 200:
            return {"error": "refused"}
        return {"collector": json.loads(response.read())}
    except ssl.SSLError:
        return {"error": "not trusted"}
    except (OSError, ValueError, http.client.HTTPException):
        return {"error": "refused"}
    finally:
        connection.close()
