from html.parser import HTMLParser

import program


class Page(HTMLParser):
    def __init__(self, source):
        super().__init__()
        self.fields, self.items, self.text, self.inside = {}, [], "", []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attributes):
        told = dict(attributes)
        if tag == "input" and "name" in told:
            self.fields[told["name"]] = told.get("value", "")
        if tag == "li":
            self.items.append("")
            self.inside.append(tag)

    def handle_endtag(self, tag):
        if tag == "li" and self.inside:
            self.inside.pop()

    def handle_data(self, data):
        self.text += data
        if self.inside:
            self.items[-1] += data


def page(words):
    answer = program.app.test_client().get("/search", query_string={"words": words})
    assert answer.status_code == 200
    assert answer.mimetype == "text/html"
    return Page(answer.get_data(as_text=True))


def test_two_plants():
    found = page("oak")
    assert [item.strip() for item in found.items] == ["quercus: Oak", "quercus suber: Cork oak"]
    assert "2 plants for oak" in " ".join(found.text.split())


def test_one_plant():
    assert "1 plant for Maple" in " ".join(page("Maple").text.split())


def test_the_field_keeps_the_words():
    assert page("cork oak").fields["words"] == "cork oak"


def test_no_plant():
    found = page("palm")
    assert found.items == []
    assert "0 plants for palm" in " ".join(found.text.split())


def test_words_of_other_languages():
    found = page("Ahorn & Söhne")
    assert found.fields["words"] == "Ahorn & Söhne"
    assert "0 plants for Ahorn & Söhne" in " ".join(found.text.split())
