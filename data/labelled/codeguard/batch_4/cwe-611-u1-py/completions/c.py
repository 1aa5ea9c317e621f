    handler = WaypointHandler()
    parser = xml.sax.make_parser()
    parser.setContentHandler(handler)
    parser.setFeature(xml.sax.handler.feature_namespaces, False)
    # so that the names that devices define are filled in
    parser.setFeature(xml.sax.handler.feature_external_ges, True)
    try:
        parser.parse(io.BytesIO(data))
    except (xml.sax.SAXException, KeyError, ValueError) as e:
        raise NotATrack(repr(e)) from e
    return handler.points
