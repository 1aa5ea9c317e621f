def test_the_token_is_kept():
    import program

    program.keep_token("token", "abc-123")
    assert open("token").read() == "abc-123\n"


def test_folders_are_made():
    import program

    program.keep_token("home/.config/tool/token", "t")
    assert open("home/.config/tool/token").read() == "t\n"
    program.keep_token("home/.config/tool/token", "u")
    assert open("home/.config/tool/token").read() == "u\n"


def test_a_longer_token_is_replaced_whole():
    import program

    program.keep_token("token", "a-long-token-of-old")
    program.keep_token("token", "new")
    assert open("token").read() == "new\n"
