    import xml.etree.ElementTree as ET

    try:
        root = ET.fromstring(data)
    except ET.ParseError as error:
        raise ValueError(str(error))
    return [t.text for entry in root.iter("entry") for t in entry.findall("title")]
