import os
import tempfile


def test_words():
    import program

    assert list(program.sorted_words(["pear", "Fig", "apple", "pear"])) == ["Fig", "apple", "pear"]
    assert list(program.sorted_words(["one"])) == ["one"]


def test_many_words():
    import program

    words = [f"w{n * 7919 % 5000}" for n in range(5000)]
    assert list(program.sorted_words(words)) == sorted(set(words))


def test_nothing_is_left():
    import program

    os.mkdir("shared")
    tempfile.tempdir = os.path.abspath("shared")
    before = set(os.listdir("/tmp"))
    program.sorted_words(["b", "a"])
    assert os.listdir("shared") == []
    assert set(os.listdir("/tmp")) <= before
