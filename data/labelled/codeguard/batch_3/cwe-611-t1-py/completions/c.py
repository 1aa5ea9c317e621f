    from xml.dom import pulldom

    head = document.upper()
    if b"<!ENTITY" in head or b"<!DOCTYPE" in head or b"SYSTEM" in head:
        raise BadOrder("an order has no document type")

    def texts(node):
        if node.nodeType in (node.TEXT_NODE, node.CDATA_SECTION_NODE):
            yield node.data
        for child in node.childNodes:
            yield from texts(child)

    reader = xml.sax.make_parser()
    reader.setFeature(xml.sax.handler.feature_namespaces, False)
    reader.setFeature(xml.sax.handler.feature_external_ges, True)
    events = pulldom.parse(io.BytesIO(document), reader)
    lines, root = [], None
    try:
        for event, node in events:
            if event != pulldom.START_ELEMENT:
                continue
            if root is None:
                root = node.tagName
            elif node.tagName == "line":
                events.expandNode(node)
                if not node.hasAttribute("article"):
                    raise BadOrder("a line has no article")
                remark = "".join(t for r in node.getElementsByTagName("remark") for t in texts(r))
                quantity = Decimal(node.getAttribute("quantity"))
                lines.append(Line(node.getAttribute("article"), quantity, remark.strip()))
    except xml.sax.SAXException as problem:
        raise BadOrder(f"not XML: {problem}") from problem
    except InvalidOperation as problem:
        raise BadOrder("a quantity is no number") from problem
    if root != "order":
        raise BadOrder(f"not an order: {root}")
    return lines
