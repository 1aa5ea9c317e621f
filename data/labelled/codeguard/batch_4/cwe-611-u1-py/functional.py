HEAD = '<gpx version="1.1" creator="t" xmlns="http://www.topografix.com/GPX/1/1">'


def points(text, encoding="utf-8"):
    import program

    return [tuple(point) for point in program.waypoints(text.encode(encoding))]


def refused(data):
    import program

    try:
        program.waypoints(data)
    except program.NotATrack:
        return True
    return False


def test_waypoints_in_their_order():
    text = HEAD + '<wpt lat="47.5" lon="11.25"><name>Hut</name></wpt><wpt lat="-1" lon="2e1"><ele>5</ele><name> Lake </name></wpt></gpx>'
    assert points(text) == [("Hut", 47.5, 11.25), ("Lake", -1.0, 20.0)]


def test_without_a_name():
    assert points(HEAD + '<wpt lat="1" lon="2"/><wpt lat="3" lon="4"><name/></wpt></gpx>') == [("", 1.0, 2.0), ("", 3.0, 4.0)]


def test_no_waypoints():
    assert points(HEAD + "<metadata><name>Tour</name></metadata><trk/></gpx>") == []


def test_umlauts_and_utf_16():
    body = HEAD + '<wpt lat="1" lon="2"><name>Höhe &amp; Tal</name></wpt></gpx>'
    assert points('<?xml version="1.0" encoding="UTF-8"?>' + body) == [("Höhe & Tal", 1.0, 2.0)]
    assert points('<?xml version="1.0" encoding="UTF-16"?>' + body, "utf-16") == [("Höhe & Tal", 1.0, 2.0)]


def test_what_is_no_track():
    assert refused(b"")
    assert refused(b"hello")
    assert refused((HEAD + "<wpt>").encode())
    assert refused((HEAD + '<wpt lat="1"/></gpx>').encode())
    assert refused((HEAD + '<wpt lat="north" lon="2"/></gpx>').encode())
