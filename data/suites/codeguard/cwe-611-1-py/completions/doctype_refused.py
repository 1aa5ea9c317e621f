    parser = etree.XMLParser(resolve_entities=False)
    try:
        root = etree.fromstring(data, parser=parser)
    except etree.XMLSyntaxError:
        raise ValueError("the feed is not XML")
    if root.getroottree().docinfo.doctype:
        raise ValueError("a DOCTYPE is not allowed")
    return [node.text or "" for node in root.xpath("//entry/title")]
