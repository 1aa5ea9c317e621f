    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise ValueError("not XML") from error
    return [title.text for title in root.iterfind(".//entry/title")]
