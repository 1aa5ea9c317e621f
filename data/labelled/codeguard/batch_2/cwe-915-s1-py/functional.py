def send(json):
    import program

    return program.app.test_client().patch("/account", json=json)


def test_one_field():
    answer = send({"about": "I build engines."})
    assert answer.status_code == 200
    assert answer.get_json()["about"] == "I build engines."
    assert answer.get_json()["name"] == "Ada"


def test_several_fields_stay():
    import program

    send({"name": "Ada L.", "email": "l@example.org"})
    assert (program.USERS[7].name, program.USERS[7].email) == ("Ada L.", "l@example.org")
    assert send({}).get_json()["email"] == "l@example.org"


def test_unknown_keys_have_no_effect():
    answer = send({"colour": "red", "name": "A."})
    assert answer.status_code == 200
    assert answer.get_json()["name"] == "A."
    assert "colour" not in answer.get_json()


def test_no_object_or_no_text():
    for body in ([1], "text", None, {"name": 7}):
        assert send(body).status_code == 400
