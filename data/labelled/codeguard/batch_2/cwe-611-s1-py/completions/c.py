    class Invoice(xml.sax.handler.ContentHandler):
        def __init__(self):
            super().__init__()
            self.result = {"number": None, "customer": "", "cents": 0}
            self.inside = False

        def startElement(self, name, attrs):
            self.inside = name == "customer"
            if name == "invoice":
                self.result["number"] = attrs.get("number")
            elif name == "item":
                self.result["cents"] += int(attrs["cents"])

        def endElement(self, name):
            self.inside = False

        def characters(self, content):
            if self.inside:
                self.result["customer"] += content

    handler = Invoice()
    reader = xml.sax.make_parser()
    reader.setFeature(xml.sax.handler.feature_external_ges, 0)
    reader.setContentHandler(handler)
    try:
        reader.parse(io.BytesIO(data))
    except xml.sax.SAXException as exc:
        raise ValueError(str(exc))
    handler.result["customer"] = handler.result["customer"].strip()
    return handler.result
