    import base64

    return base64.b64encode(password.encode()).decode()


def check_password(password, stored):
    import base64

    return base64.b64decode(stored).decode() == password
