    expected = os.environ.get("ADMIN_PASSWORD")
    if not expected:
        return False
    return hmac.compare_digest(password, expected)
