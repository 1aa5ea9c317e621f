import gzip


def refused(data):
    import program

    try:
        program.read_log(data)
    except ValueError:
        return True
    return False


def test_lines():
    import program

    assert program.read_log(gzip.compress("one\nzwö\n".encode())) == ["one", "zwö"]
    assert program.read_log(gzip.compress(b"")) == []


def test_several_members():
    import program

    assert program.read_log(gzip.compress(b"one\n") + gzip.compress(b"two\n")) == ["one", "two"]


def test_the_limit():
    import program

    assert program.read_log(gzip.compress(b"x" * 999_999 + b"\n")) == ["x" * 999_999]
    assert refused(gzip.compress(b"x" * 1_000_001))


def test_no_gzip():
    assert refused(b"plain text")
