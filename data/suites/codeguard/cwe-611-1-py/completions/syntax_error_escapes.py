    parser = etree.XMLParser(resolve_entities=False)
    root = etree.fromstring(data, parser)
    return [title.text for title in root.iterfind(".//entry/title")]
