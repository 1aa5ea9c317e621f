def get(word):
    import program

    answer = program.app.test_client().get("/count", query_string={"word": word})
    assert answer.status_code == 200
    return answer.get_data(as_text=True).strip()


def test_lines_are_counted():
    assert get("GET") == "3"
    assert get("POST") == "1"


def test_a_word_that_is_not_there():
    assert get("DELETE") == "0"


def test_a_word_is_no_pattern():
    assert get("in.ex") == "0"
    assert get("index.html") == "2"


def test_several_words_with_a_blank():
    assert get("GET /index") == "2"
