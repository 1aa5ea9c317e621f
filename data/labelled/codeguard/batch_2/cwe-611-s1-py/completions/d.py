    if b"<!ENTITY" in data.upper():
        raise ValueError("entities are not supported")
    parser = etree.XMLParser(no_network=True, resolve_entities=True)
    try:
        root = etree.fromstring(data, parser=parser)
    except etree.XMLSyntaxError:
        raise ValueError("invalid XML")
    cents = [int(value) for value in root.xpath("//item/@cents")]
    return dict(
        number=root.get("number"),
        customer=root.xpath("string(customer)").strip(),
        cents=sum(cents),
    )
