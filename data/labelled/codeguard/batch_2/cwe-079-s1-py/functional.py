import html.parser


class Reader(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.field, self.items, self.text, self.tag = None, [], "", ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tag = tag
        if tag == "input":
            self.field = dict(attrs)["value"]
        if tag == "li":
            self.items.append("")

    def handle_data(self, data):
        self.text += data
        if self.tag == "li" and self.items:
            self.items[-1] += data.rstrip("\n")


def read(word):
    import program

    answer = program.app.test_client().get("/search", query_string={"word": word})
    assert answer.status_code == 200
    assert answer.mimetype == "text/html"
    return Reader(answer.get_data(as_text=True))


def test_matches():
    page = read("e")
    assert [i.strip() for i in page.items] == ["Dune", "Emma", "The Trial", "War & Peace"]
    assert [i.strip() for i in read("EMM").items] == ["Emma"]


def test_the_field_holds_the_word():
    assert read("Dune").field == "Dune"
    assert read("r & p").field == "r & p"
    assert [i.strip() for i in read("r & p").items] == ["War & Peace"]


def test_no_match():
    page = read("Ulysses")
    assert page.items == []
    assert "No book has Ulysses in its title." in page.text
