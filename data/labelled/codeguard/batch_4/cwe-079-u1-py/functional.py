from html.parser import HTMLParser


class Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.text, self.title = [], "", None

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "li":
            self.title = dict(attrs).get("title")
            assert dict(attrs).get("class") == "member"
        if tag == "br":
            self.text += "\n"

    def handle_data(self, data):
        self.text += data


def read(**values):
    import program

    reader = Reader()
    reader.feed(program.entry(program.Member(**values)))
    reader.close()
    return reader


def test_plain_member_exactly():
    import program

    member = program.Member("Ada", "on tour", "I play.\nOften.", 1850)
    expected = '<li class="member" title="on tour"><b>Ada</b> (1850)<p>I play.<br>Often.</p></li>'
    assert program.entry(member) == expected
    assert type(program.entry(member)) is str


def test_texts_are_seen_as_typed():
    seen = read(name="Tom & Jo", status="1 < 2 & 3 > 2", bio="rated < 1500 & proud\n\u00e9t\u00e9", rating=7)
    assert seen.title == "1 < 2 & 3 > 2"
    assert seen.text == "Tom & Jo (7)rated < 1500 & proud\n\u00e9t\u00e9"
    assert seen.tags == ["li", "b", "p", "br"]


def test_quotes_in_the_bio():
    assert read(name="X", status="", bio="they call me \"rook\", it's fine").text == "X (1200)they call me \"rook\", it's fine"


def test_page_is_sorted():
    import program

    page = program.page([program.Member("Low", "", "", 1), program.Member("High", "", "", 2)])
    assert page.index("High") < page.index("Low")
