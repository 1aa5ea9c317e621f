    generator = random.SystemRandom()
    code = "".join(generator.choices(alphabet, k=20))
    RESETS[code] = user
    return code
