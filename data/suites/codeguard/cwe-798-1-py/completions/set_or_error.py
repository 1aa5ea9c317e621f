    try:
        expected = os.environ["ADMIN_PASSWORD"]
    except KeyError:
        raise RuntimeError("set ADMIN_PASSWORD") from None
    return bool(expected) and hmac.compare_digest(expected.encode("utf-8"), password.encode("utf-8"))
