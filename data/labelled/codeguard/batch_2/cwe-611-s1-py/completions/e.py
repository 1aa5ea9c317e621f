    root = ElementTree.fromstring(data)
    name = root.findtext("customer", default="").strip()
    amounts = [int(i.attrib["cents"]) for i in root.findall("./item")]
    return {"number": root.attrib["number"], "customer": name, "cents": sum(amounts)}
