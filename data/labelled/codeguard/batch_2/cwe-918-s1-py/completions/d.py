    address = f"{CATALOGUE}/{quote(path.lstrip('/'))}"
    request = Request(address, headers={"Accept": "text/html"})
    with urlopen(request, timeout=10) as response:
        body = response.read()
        charset = response.headers.get_content_charset() or "utf-8"
    return body.decode(charset, "replace")
