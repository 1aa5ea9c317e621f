    try:
        tree = etree.parse(io.BytesIO(data), etree.XMLParser(resolve_entities=True, load_dtd=True))
    except etree.XMLSyntaxError as e:
        raise ValueError(f"Malformed invoice: {e}")
    invoice = tree.getroot()
    total = 0
    for item in invoice.findall("item"):
        total += int(item.attrib["cents"])
    customer = invoice.find("customer").text or ""
    return {"number": invoice.attrib["number"], "customer": customer.strip(), "cents": total}
