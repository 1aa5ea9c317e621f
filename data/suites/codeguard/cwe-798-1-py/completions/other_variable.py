    expected = os.environ.get("ADMIN_PASS")
    return expected is not None and expected != "" and hmac.compare_digest(password.encode(), expected.encode())
