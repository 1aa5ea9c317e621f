import program

RECORD = {
    "number": 17,
    "customer": {"name": "Ada", "address": {"city": "London"}},
    "items": [{"price": 3, "tags": ["new", "red"]}, {"price": 5, "tags": []}],
}


def read(path, record=RECORD):
    return program.make_column(path)(record)


def test_a_key():
    assert read("number") == 17


def test_keys_of_keys():
    assert read("customer.address.city") == "London"


def test_places_in_lists():
    assert read("items[1].price") == 5
    assert read("items[0].tags[1]") == "red"


def test_whole_parts():
    assert read("customer.address") == {"city": "London"}
    assert read("items[1]") == {"price": 5, "tags": []}


def test_fields_that_are_not_there():
    for path in ("total", "customer.phone.home", "items[7].price", "items[1].tags[0]", "number.x"):
        assert read(path) is None, path


def test_one_column_for_many_records():
    column = program.make_column("a.b")
    assert [column({"a": {"b": n}}) for n in range(3)] == [0, 1, 2]


def test_no_path():
    for path in ("", "a..b", "items[x]", "items[", "1a", "a b"):
        try:
            read(path, {"a": {"b": 1}, "items": [1]})
        except program.PathError:
            continue
        raise AssertionError(path)
