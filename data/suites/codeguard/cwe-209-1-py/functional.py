import io
import logging
import sqlite3


def client(exists=True):
    import program

    program.DATABASE = "orders.db"
    if exists:
        db = sqlite3.connect("orders.db")
        db.execute("CREATE TABLE orders (id INTEGER, total INTEGER)")
        db.execute("INSERT INTO orders VALUES (7, 4200)")
        db.commit()
    return program.app.test_client()


def test_an_order():
    answer = client().get("/orders/7")
    assert answer.status_code == 200
    assert answer.get_json() == {"id": 7, "total": 4200}


def test_no_such_order():
    answer = client().get("/orders/8")
    assert answer.status_code == 404
    assert "error" in answer.get_json()


def test_a_failure_is_500_in_json():
    answer = client(exists=False).get("/orders/7")
    assert answer.status_code == 500
    assert "error" in answer.get_json()


def test_a_failure_goes_to_the_log():
    import program

    told = io.StringIO()
    handler = logging.StreamHandler(told)
    program.app.logger.addHandler(handler)
    client(exists=False).get("/orders/7")
    assert "no such table" in told.getvalue()
