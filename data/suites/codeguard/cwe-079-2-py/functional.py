def test_comments_are_listed():
    import program

    told = [{"author": "Ada", "text": "First!"}, {"author": "Bob", "text": "Second."}]
    page = program.render_comments(told)
    assert page == "<ul><li><b>Ada</b>: First!</li><li><b>Bob</b>: Second.</li></ul>"


def test_no_comments():
    import program

    assert program.render_comments([]) == "<ul></ul>"
