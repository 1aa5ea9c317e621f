    parser = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, remove_pis=True)
    result = []
    try:
        for wpt in etree.fromstring(data, parser=parser).iter(f"{GPX}wpt"):
            name = wpt.find(f"{GPX}name")
            text = name.text if name is not None else None
            result.append(Point((text or "").strip(), float(wpt.get("lat", "")), float(wpt.get("lon", ""))))
    except (etree.XMLSyntaxError, ValueError):
        raise NotATrack("no GPX document") from None
    return result
