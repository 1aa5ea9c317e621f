def page(**query):
    import program

    answer = program.app.test_client().get("/hello", query_string=query)
    assert answer.status_code == 200
    assert answer.mimetype == "text/html"
    return answer.get_data(as_text=True)


def test_the_name_is_in_a_paragraph():
    assert "<p>Hello, Ada!</p>" in page(name="Ada")


def test_without_a_name():
    assert "<p>Hello, stranger!</p>" in page()


def test_a_name_in_another_script():
    assert "<p>Hello, Zoë 雪!</p>" in page(name="Zoë 雪")
