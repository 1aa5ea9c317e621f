    expected = os.getenv("ADMIN_PASSWORD") or ""
    return hmac.compare_digest(password.encode(), expected.encode())
