PROFILE = {"name": "Zoë", "languages": ["de", "en"], "font_size": 14}


def test_a_profile_survives():
    import program

    data = program.export_profile(PROFILE)
    assert isinstance(data, bytes)
    assert program.import_profile(data) == PROFILE


def test_other_profiles():
    import program

    for profile in ({"name": "", "languages": [], "font_size": 9},
                    {"name": "a: b\n'c'", "languages": ["x"], "font_size": 10.5}):
        assert program.import_profile(program.export_profile(profile)) == profile


def test_other_bytes():
    import program

    for data in (b"", b"\x00\xff\x10", program.export_profile({"name": "a"}), b"[]"):
        try:
            program.import_profile(data)
        except ValueError:
            continue
        raise AssertionError(data)
