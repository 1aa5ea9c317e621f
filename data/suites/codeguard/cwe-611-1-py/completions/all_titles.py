    parser = etree.XMLParser(resolve_entities=False)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        raise ValueError("not XML")
    return [title.text for title in root.iter("title")]
