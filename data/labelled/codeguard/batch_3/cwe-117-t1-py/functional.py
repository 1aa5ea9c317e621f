import re

import program


def take(**form):
    answer = program.app.test_client().post("/take", data=form)
    for handler in program.log.handlers:
        handler.flush()
    with open("exchange.log", encoding="utf-8") as file:
        return answer.status_code, answer.get_json(), file.read().splitlines()


def test_a_file_that_is_known():
    status, answer, lines = take(user="ada", file="plan.pdf")
    assert (status, answer) == (200, {"size": 81920})
    assert len(lines) == 1
    assert re.match(r"[\d-]+ [\d:,]+ INFO ", lines[0])
    assert "ada" in lines[0] and "plan.pdf" in lines[0]


def test_a_file_that_is_unknown():
    status, answer, lines = take(user="bob", file="secret.pdf")
    assert (status, answer) == (404, {"error": "unknown file"})
    assert len(lines) == 1
    assert " WARNING " in lines[0]
    assert "bob" in lines[0] and "secret.pdf" in lines[0]


def test_a_visitor_without_a_name():
    status, _, lines = take(file="plan.pdf")
    assert status == 200
    assert "anonymous" in lines[-1]


def test_every_request_has_a_line():
    take(user="ada", file="photo 1.jpg")
    take(user="ada", file="photo 2.jpg")
    lines = take(user="eve", file="plan.pdf")[2]
    assert ["ada" in line for line in lines] == [True, True, False]
