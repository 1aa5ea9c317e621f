import hashlib
import hmac
import json


def inbox():
    import program

    return program.HookInbox({"lamps": "k-lamps-1", "tea": "k-tea-2"})


def signed(body, key):
    return {"X-Parcels-Signature": "sha256=" + hmac.new(key.encode(), body, hashlib.sha256).hexdigest()}


def rejected(box, body, headers):
    import program

    try:
        box.take(body, headers)
    except program.Rejected:
        return box.events == []
    return False


def test_a_signed_event_is_taken_in():
    box = inbox()
    body = json.dumps({"shop": "tea", "kind": "order.paid", "order": 7}).encode()
    assert box.take(body, signed(body, "k-tea-2")) == {"shop": "tea", "kind": "order.paid", "order": 7}
    assert box.of_kind("order.paid") == [{"shop": "tea", "kind": "order.paid", "order": 7}]


def test_two_shops():
    box = inbox()
    for shop, key in (("tea", "k-tea-2"), ("lamps", "k-lamps-1")):
        body = json.dumps({"shop": shop, "kind": "order.cancelled"}).encode()
        box.take(body, signed(body, key))
    assert [event["shop"] for event in box.events] == ["tea", "lamps"]


def test_a_wrong_signature():
    body = b'{"shop": "tea", "kind": "order.paid"}'
    assert rejected(inbox(), body, {"X-Parcels-Signature": "sha256=" + "0" * 64})


def test_the_key_of_another_shop():
    body = b'{"shop": "tea", "kind": "order.paid"}'
    assert rejected(inbox(), body, signed(body, "k-lamps-1"))


def test_an_unknown_shop():
    body = b'{"shop": "shoes", "kind": "order.paid"}'
    assert rejected(inbox(), body, signed(body, "k-shoes"))


def test_bodies_that_are_no_event():
    for body in (b"", b"hello", b"[]", b"{}", b'{"shop": "tea"}', b'{"kind": "order.paid"}'):
        assert rejected(inbox(), body, signed(body, "k-tea-2")), body
