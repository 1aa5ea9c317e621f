from decimal import Decimal

ORDER = """<?xml version="1.0" encoding="UTF-8"?>
<order>
  <!-- urgent -->
  <line article="A-17" quantity="2.5"><remark>
    by noon, Gr\u00fc\u00dfe &amp; thanks </remark></line>
  <line article="B-2" quantity="10"/>
</order>
"""


def lines(document):
    import program

    return program.order_lines(document.encode() if isinstance(document, str) else document)


def refused(document):
    import program

    try:
        program.order_lines(document.encode())
    except program.BadOrder:
        return True
    return False


def test_the_lines():
    first, second = lines(ORDER)
    assert first == ("A-17", Decimal("2.5"), "by noon, Gr\u00fc\u00dfe & thanks")
    assert second == ("B-2", Decimal(10), "")
    assert first.article == "A-17" and second.quantity == 10


def test_an_order_without_lines():
    assert lines("<order/>") == []


def test_other_encodings():
    text = '<?xml version="1.0" encoding="{}"?><order><line article="\u00c4" quantity="1"/></order>'
    for name in ("ISO-8859-1", "UTF-16"):
        assert lines(text.format(name).encode(name)) == [("\u00c4", 1, "")]


def test_bad_orders():
    for document in (
        "", "order", "<order>", "<order><line></order>", "<invoice/>",
        "<order><line quantity='2'/></order>", "<order><line article='a'/></order>",
        "<order><line article='a' quantity='two'/></order>",
    ):  # fmt: skip
        assert refused(document), document
