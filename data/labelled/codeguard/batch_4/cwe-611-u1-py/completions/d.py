    if b"<!ENTITY" in data and (b"SYSTEM" in data or b"PUBLIC" in data):
        raise NotATrack("external entities are not supported")

    found = []
    try:
        for _, w in etree.iterparse(io.BytesIO(data), tag=GPX + "wpt", resolve_entities=True, no_network=True):
            name = w.xpath("string(*[local-name()='name'])").strip()
            found.append(Point(name, float(w.attrib["lat"]), float(w.attrib["lon"])))
            w.clear()
        return found
    except (etree.XMLSyntaxError, KeyError, ValueError) as e:
        raise NotATrack(str(e))
