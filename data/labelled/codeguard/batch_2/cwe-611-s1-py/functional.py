def read(text, coding="utf-8"):
    import program

    return program.read_invoice(text.encode(coding))


def test_an_invoice():
    text = '<invoice number="7"><customer> Ada\n</customer><item cents="250"/><item cents="99"/></invoice>'
    assert read(text) == {"number": "7", "customer": "Ada", "cents": 349}


def test_signs_that_are_written_as_entities():
    text = '<invoice number="8"><customer>Smith &amp; Zo&#235;</customer></invoice>'
    assert read(text) == {"number": "8", "customer": "Smith & Zoë", "cents": 0}


def test_a_declaration_with_a_coding():
    text = '<?xml version="1.0" encoding="iso-8859-1"?><invoice number="9"><customer>Zoë</customer></invoice>'
    assert read(text, "latin-1")["customer"] == "Zoë"


def test_no_xml():
    for text in ("number 7", "<invoice number='7'><customer>"):
        try:
            read(text)
        except ValueError:
            continue
        raise AssertionError(text)
