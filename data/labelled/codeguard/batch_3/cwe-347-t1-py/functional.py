import time

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec


def pair():
    private = ec.generate_private_key(ec.SECP256R1())
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    public = private.public_key().public_bytes(serialization.Encoding.PEM, form)
    return private, public.decode()


def partners():
    import program

    north, south = pair(), pair()
    keys = {"north": north[1], "south": south[1]}
    return program, program.Partners(keys), {"north": north[0], "south": south[0]}


def token(key, **changes):
    body = {"iss": "north", "aud": "freight-api", "exp": time.time() + 60, "orders": [4, 7]}
    body = {k: v for k, v in {**body, **changes}.items() if v is not None}
    return jwt.encode(body, key, algorithm="ES256")


def refused(program, desk, text):
    try:
        desk.claims(text)
    except program.Refused:
        return True
    return False


def test_the_claims_of_each_firm():
    _, desk, private = partners()
    for firm in ("north", "south"):
        found = desk.claims(token(private[firm], iss=firm))
        assert found["iss"] == firm and found["orders"] == [4, 7]


def test_a_list_of_audiences():
    _, desk, private = partners()
    found = desk.claims(token(private["north"], aud=["other", "freight-api"]))
    assert found["orders"] == [4, 7]


def test_claims_that_are_missing_or_old():
    program, desk, private = partners()
    for claim in ("iss", "aud", "exp"):
        assert refused(program, desk, token(private["north"], **{claim: None})), claim
    assert refused(program, desk, token(private["north"], exp=time.time() - 60))
    assert refused(program, desk, token(private["north"], aud="another-api"))
    assert refused(program, desk, token(private["north"], iss="west"))


def test_what_is_no_token():
    program, desk, _ = partners()
    for text in ("", "north", "a.b.c"):
        assert refused(program, desk, text), text
