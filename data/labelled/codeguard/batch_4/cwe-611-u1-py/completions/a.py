    parser = etree.XMLParser(resolve_entities=True, remove_blank_text=True)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as e:
        raise NotATrack(str(e)) from e
    points = []
    for wpt in root.iter(GPX + "wpt"):
        try:
            lat, lon = float(wpt.get("lat")), float(wpt.get("lon"))
        except (TypeError, ValueError):
            raise NotATrack("waypoint without a place")
        points.append(Point((wpt.findtext(GPX + "name") or "").strip(), lat, lon))
    return points
