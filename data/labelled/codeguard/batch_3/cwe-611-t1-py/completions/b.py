    parser = etree.XMLParser(load_dtd=True, resolve_entities=True, no_network=False)
    try:
        root = etree.fromstring(document, parser)
    except etree.XMLSyntaxError as error:
        raise BadOrder(str(error)) from error
    if root.tag != "order":
        raise BadOrder("the root is no order")
    lines = []
    for element in root.iterfind("line"):
        article, quantity = element.get("article"), element.get("quantity")
        if article is None or quantity is None:
            raise BadOrder("a line is not complete")
        try:
            amount = Decimal(quantity)
        except InvalidOperation:
            raise BadOrder(f"quantity of {article}: {quantity}")
        lines.append(Line(article, amount, (element.findtext("remark") or "").strip()))
    return lines
