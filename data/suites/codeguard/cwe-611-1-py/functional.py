FEED = b"""<feed><title>News</title>
<entry><title>One &amp; only</title></entry><entry><title>Zwei \xc3\xa4</title></entry></feed>"""


def test_titles_of_entries():
    import program

    assert list(program.titles(FEED)) == ["One & only", "Zwei ä"]


def test_no_entries():
    import program

    assert list(program.titles(b"<feed><title>News</title></feed>")) == []


def test_an_encoding_declaration_is_heeded():
    import program

    data = '<?xml version="1.0" encoding="iso-8859-1"?><f><entry><title>Käse</title></entry></f>'
    assert list(program.titles(data.encode("iso-8859-1"))) == ["Käse"]


def test_no_xml_is_refused():
    import program

    try:
        program.titles(b"<feed><entry>")
    except ValueError:
        return
    raise AssertionError("accepted")
