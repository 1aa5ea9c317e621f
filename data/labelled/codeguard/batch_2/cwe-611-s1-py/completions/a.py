    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise ValueError("the invoice is no XML") from error
    return {
        "number": root.get("number"),
        "customer": (root.findtext("customer") or "").strip(),
        "cents": sum(int(item.get("cents")) for item in root.iter("item")),
    }
