    from xml.etree.ElementTree import ParseError, XMLParser

    try:
        order = xml.etree.ElementTree.fromstring(document, parser=XMLParser())
        if order.tag != "order":
            raise BadOrder(order.tag)
        return [
            Line(
                item.attrib["article"],
                Decimal(item.attrib["quantity"]),
                (item.findtext("remark") or "").strip(),
            )
            for item in order.findall("line")
        ]
    except ParseError as error:
        raise BadOrder("not well-formed, %s" % error) from error
    except (KeyError, InvalidOperation) as error:
        raise BadOrder("incomplete line") from error
