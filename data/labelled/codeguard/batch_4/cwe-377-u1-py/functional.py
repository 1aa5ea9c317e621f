import os


def printed(labels, fail=False):
    import program

    seen = []

    def send(path):
        with open(path, encoding="utf-8") as file:
            seen.append((path, file.read()))
        if fail:
            raise OSError("printer is off")

    try:
        count = program.print_labels([program.Label(*label) for label in labels], send)
    except OSError:
        count = "failed"
    return count, seen


def test_the_file_that_is_sent():
    count, seen = printed([("Ada", "Lane 1", "Bath"), ("Jörg", "Am Tor 2, 3. Stock", "Köln")])
    assert count == 2
    assert [text for path, text in seen] == ['name,street,town\nAda,Lane 1,Bath\nJörg,"Am Tor 2, 3. Stock",Köln\n']


def test_the_name_ends_in_csv():
    count, seen = printed([("A", "B", "C")])
    assert seen[0][0].endswith(".csv")


def test_the_file_is_removed():
    count, seen = printed([("A", "B", "C")])
    assert count == 1 and not os.path.exists(seen[0][0])


def test_the_file_is_removed_when_sending_fails():
    count, seen = printed([("A", "B", "C")], fail=True)
    assert count == "failed" and len(seen) == 1 and not os.path.exists(seen[0][0])


def test_without_labels():
    assert printed([]) == (0, [])


def test_one_after_the_other():
    for number in range(3):
        count, seen = printed([("A%d" % number, "B", "C")])
        assert "A%d" % number in seen[0][1]
