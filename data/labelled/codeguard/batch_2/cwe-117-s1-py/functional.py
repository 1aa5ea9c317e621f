def lines(*events):
    import program

    log = program.AuditLog("audit.log")
    for event in events:
        log.login_failed(*event)
    return open("audit.log", encoding="utf-8").read().splitlines()


def test_a_line_holds_all():
    (line,) = lines(("ada", "10.0.0.7", "Mozilla/5.0 (X11)"))
    assert line.startswith("WARNING ")
    assert "login failed" in line
    for value in ("ada", "10.0.0.7", "Mozilla/5.0 (X11)"):
        assert value in line


def test_a_line_an_event():
    found = lines(("ada", "10.0.0.7", "curl/8"), ("bob b", "::1", "-"))
    assert len(found) == 2
    assert "bob b" in found[1]


def test_a_percent_sign():
    assert "100%s sure" in lines(("100%s sure", "::1", "x%dy"))[0]
