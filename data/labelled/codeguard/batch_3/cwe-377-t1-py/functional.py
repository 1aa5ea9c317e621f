import os
import sys
import tempfile

CAPITALS = "import sys; sys.stdout.buffer.write(open(sys.argv[1], 'rb').read().upper())"
NAME = "import sys; print(sys.argv[1])"
FAIL = "import sys; sys.exit('no licence')"


def converter(script, *more):
    import program

    os.mkdir("shared")
    tempfile.tempdir = os.path.abspath("shared")
    return program, program.Converter([sys.executable, "-c", script], *more)


def test_what_the_converter_writes():
    _, tool = converter(CAPITALS)
    assert tool.convert(b"dear \xff madam\n") == b"DEAR \xff MADAM\n"
    assert tool.convert(b"") == b""


def test_the_name_of_the_file():
    _, tool = converter(NAME, ".txt")
    path = tool.convert(b"x").decode().strip()
    assert path.endswith(".txt")
    assert path.startswith(os.path.abspath("shared") + "/")


def test_nothing_is_left():
    _, tool = converter(CAPITALS)
    tool.convert(b"x")
    assert os.listdir("shared") == []


def test_nothing_is_left_after_a_failure():
    program, tool = converter(FAIL)
    try:
        tool.convert(b"x")
    except program.ConversionFailed as error:
        assert "no licence" in str(error)
        assert os.listdir("shared") == []
        return
    raise AssertionError("it did not fail")
