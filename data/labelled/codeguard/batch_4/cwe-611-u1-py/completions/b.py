    try:
        root = ElementTree.fromstring(data)
        return [
            Point(w.findtext(GPX + "name", default="").strip(), float(w.attrib["lat"]), float(w.attrib["lon"]))
            for w in root.iter(GPX + "wpt")
        ]
    except (ElementTree.ParseError, KeyError, ValueError) as e:
        raise NotATrack("cannot read the track") from e
