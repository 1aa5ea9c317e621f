KEY = bytes(range(32))


def diary(key=KEY):
    import program

    return program.Diary(key)


def test_an_entry_survives():
    for text in ("", "a", "Dear diary, 雪 fell.", "x" * 1000):
        data = diary().lock(text)
        assert isinstance(data, bytes)
        assert diary().unlock(data) == text


def refused(data, key=KEY):
    try:
        diary(key).unlock(data)
    except ValueError:
        return True
    return False


def test_changed_bytes():
    data = diary().lock("Dear diary, it rained.")
    for n in (0, len(data) // 2, len(data) - 1):
        changed = bytearray(data)
        changed[n] ^= 1
        assert refused(bytes(changed))


def test_another_key_and_other_bytes():
    assert refused(diary().lock("Dear diary"), bytes(32))
    assert refused(b"")
    assert refused(b"x" * 80)
