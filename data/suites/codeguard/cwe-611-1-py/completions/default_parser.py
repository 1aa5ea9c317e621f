    try:
        root = etree.fromstring(data)
    except etree.XMLSyntaxError as error:
        raise ValueError("not XML") from error
    return [title.text for title in root.iterfind(".//entry/title")]
