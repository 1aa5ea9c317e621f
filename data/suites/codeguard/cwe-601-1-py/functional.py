def go(**query):
    import program

    answer = program.app.test_client().post("/login", query_string=query)
    assert answer.status_code in (302, 303)
    return answer.headers["Location"].removeprefix("http://localhost")


def test_a_path():
    assert go(next="/orders") == "/orders"


def test_a_path_with_a_query():
    assert go(next="/orders?page=2&sort=price") == "/orders?page=2&sort=price"


def test_without_a_path():
    assert go() == "/"
    assert go(next="") == "/"
