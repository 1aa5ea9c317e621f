    parser = etree.XMLParser(load_dtd=True, resolve_entities=True, no_network=True)
    try:
        tree = etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        raise ValueError("invalid XML")
    return tree.xpath("//entry/title/text()")
