    import bcrypt

    return bcrypt.hashpw(password.encode(), bcrypt.gensalt(rounds=8)).decode()


def check_password(password, stored):
    import bcrypt

    return bcrypt.checkpw(password.encode(), stored.encode())
