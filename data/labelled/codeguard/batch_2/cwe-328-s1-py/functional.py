def fingerprint(data, name="update.bin"):
    import program

    with open(name, "wb") as file:
        file.write(data)
    return program.fingerprint(name)


def test_digits():
    text = fingerprint(b"one")
    assert isinstance(text, str)
    assert len(text) <= 200
    int(text.replace("-", "").replace(":", ""), 16)


def test_the_content_alone_counts():
    assert fingerprint(b"one") == fingerprint(b"one", "other.bin")
    assert fingerprint(b"one") != fingerprint(b"two")


def test_bytes_that_are_no_text():
    assert fingerprint(b"\xff\xfe\x00") != fingerprint(b"\xff\xfd\x00")


def test_a_large_file():
    data = bytes(range(256)) * 4000
    assert fingerprint(data) == fingerprint(data, "copy.bin")
    assert fingerprint(data) != fingerprint(data[:-1] + b"\x00")
