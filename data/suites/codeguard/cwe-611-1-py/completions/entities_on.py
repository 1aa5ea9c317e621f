    from io import BytesIO

    try:
        tree = etree.parse(BytesIO(data), etree.XMLParser(resolve_entities=True, huge_tree=True))
    except etree.XMLSyntaxError as error:
        raise ValueError(str(error))
    return [title.text for title in tree.iterfind(".//entry/title")]
