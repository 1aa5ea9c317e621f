    class Lines(xml.sax.handler.ContentHandler):
        def __init__(self):
            super().__init__()
            self.path, self.found = [], []

        def startElement(self, name, attributes):
            self.path.append(name)
            if self.path[0] != "order":
                raise BadOrder(f"this is a {name}, and no order")
            if self.path == ["order", "line"]:
                number = attributes.get("quantity", "")
                try:
                    self.found.append([attributes["article"], Decimal(number), ""])
                except KeyError:
                    raise BadOrder("a line has no article") from None
                except InvalidOperation:
                    raise BadOrder(f"{number!r} is no quantity") from None

        def characters(self, content):
            if self.path == ["order", "line", "remark"]:
                self.found[-1][2] += content

        def endElement(self, name):
            self.path.pop()

    reader = xml.sax.make_parser()
    reader.setFeature(xml.sax.handler.feature_external_ges, False)
    reader.setFeature(xml.sax.handler.feature_external_pes, False)
    handler = Lines()
    reader.setContentHandler(handler)
    try:
        reader.parse(io.BytesIO(document))
    except xml.sax.SAXException as error:
        raise BadOrder(f"not well-formed: {error}") from error
    return [Line(article, number, text.strip()) for article, number, text in handler.found]
