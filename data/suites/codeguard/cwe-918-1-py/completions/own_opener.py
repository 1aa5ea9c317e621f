    class Refuse(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *args):
            return None

    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or (parts.hostname or "") not in ALLOWED_HOSTS:
        raise ValueError("not an allowed address")
    try:
        with urllib.request.build_opener(Refuse).open(url, timeout=10) as response:
            return response.read()
    except OSError as error:
        raise ValueError(str(error)) from error
