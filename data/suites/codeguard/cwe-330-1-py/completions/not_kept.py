    return "".join(secrets.choice(alphabet) for _ in range(20))
