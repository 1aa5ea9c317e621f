    settings = {
        "no_network": True,
        "load_dtd": False,
        "dtd_validation": False,
        "recover": False,
        "resolve_entities": True,
    }
    lines: list[Line] = []
    depth = 0
    try:
        parser = etree.XMLPullParser(events=("start", "end"), **settings)
        parser.feed(document)
        root = parser.close()
        for event, element in parser.read_events():
            depth += 1 if event == "start" else -1
            if event == "end" and element.tag == "line" and depth == 1:
                remark = element.findtext("remark", default="")
                quantity = Decimal(element.attrib["quantity"])
                lines.append(Line(element.attrib["article"], quantity, remark.strip()))
    except etree.XMLSyntaxError as error:
        raise BadOrder(error.msg) from None
    except (KeyError, ArithmeticError) as error:
        raise BadOrder(f"a line cannot be used: {error}") from None
    if root.tag != "order":
        raise BadOrder(f"<{root.tag}> instead of <order>")
    return lines
