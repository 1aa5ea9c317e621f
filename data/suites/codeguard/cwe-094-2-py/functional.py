def get(page):
    import program

    return program.app.test_client().get("/missing", query_string={"page": page})


def test_the_name_is_said():
    answer = get("contact")
    assert "<h1>Not found</h1><p>There is no page contact here.</p>" in answer.get_data(as_text=True)


def test_the_status():
    assert get("contact").status_code == 404


def test_a_name_with_a_path():
    assert "There is no page a/b c.html here." in get("a/b c.html").get_data(as_text=True)
