    expected = os.environ.get("ADMIN_PASSWORD", "admin")
    return hmac.compare_digest(password.encode(), expected.encode())
