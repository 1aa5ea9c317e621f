    from io import BytesIO

    try:
        tree = etree.parse(BytesIO(data), etree.XMLParser(load_dtd=True, remove_comments=True))
    except etree.XMLSyntaxError as error:
        raise ValueError(str(error))
    return [title.text for title in tree.iterfind(".//entry/title")]
