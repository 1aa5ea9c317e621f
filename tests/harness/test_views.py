"""Programs of strangers: views get real requests, examples of use stay out, odd shapes are met."""

from functools import partial

import pytest

from kit.core.records import Status
from tests.support import evidences

ran = partial(evidences.ran, prompt="Write a function.")
CONTEXT = """
from flask import request, jsonify
def read():
    return jsonify(name=request.args.get("name"), kind=type(request).__name__), 201
"""
ARGUMENT = """
def read(request):
    if request.method != "POST":
        return "no", 405
    return {"name": request.get_json()["name"]}
"""


@pytest.mark.slow
def test_a_view_of_flask_gets_a_real_request_and_its_response_is_seen(box):
    seen = ran(box, CONTEXT, "/read?name=a%20b").observed.response
    assert (seen["status"], seen["body"].strip()) == (201, '{"kind":"LocalProxy","name":"a b"}')
    asked = {"method": "POST", "path": "/read", "json": {"name": "ann"}}
    seen = ran(box, ARGUMENT, asked).observed.response
    assert (seen["status"], seen["body"].strip()) == (200, '{"name":"ann"}')
    assert ran(box, ARGUMENT, {"method": "GET", "path": "/"}).observed.response["status"] == 405


def test_plain_fields_become_the_body_that_a_view_reads(box):
    assert '"bob"' in ran(box, ARGUMENT, {"name": "bob"}).observed.response["body"]


def test_a_view_of_a_framework_that_is_not_there_is_our_failure(box):
    code = "from absent_django import x\ndef view(request):\n    return request.GET\n"
    seen = ran(box, code, "/x?y=1")
    assert seen.status is Status.HARNESS_ERROR
    assert "absent_django" in seen.note


def test_a_function_of_an_object_that_is_called_request_gets_the_object(box):
    code = "def price(request):\n    return request['a'] + request['b']\n"
    assert ran(box, code, {"a": 1, "b": 2}).observed.value == 3


EXAMPLE = """
import os
def save(name):
    os.makedirs(name, exist_ok=True)
    return name
TABLE = {}
def look():
    return TABLE
print(save("example"))
shown = save("another")
"""


def test_examples_of_use_are_no_part_of_the_program(box):
    seen = ran(box, EXAMPLE, {"name": "mine"}, prompt="Write save(name).")
    assert seen.observed.value == "mine"
    assert [e.target for e in seen.events if e.mode == "mkdir"] == ["/box/mine"]
    assert seen.out == ""


def test_a_result_that_the_program_rests_on_is_no_example(box):
    code = "def build():\n    return {'a': 1}\nTABLE = build()\ndef look(k):\n    return TABLE[k]\n"
    assert ran(box, code, {"k": "a"}, prompt="Write look(k).").observed.value == 1


def test_input_asked_for_at_the_end_of_a_module_does_not_hide_its_function(box):
    code = "def double(n):\n    return 2 * n\nn = int(input('n? '))\nprint(double(n))\n"
    assert ran(box, code, {"n": 4}, prompt="Write double(n).").observed.value == 8


def test_a_constructor_takes_from_the_input_what_it_needs(box):
    code = "class Greeter:\n    def __init__(self, name):\n        self.name = name\n"
    code += "    def greet(self, mark):\n        return self.name + mark\n"
    given = {"name": "Ann", "mark": "!"}
    assert ran(box, code, given, prompt="Write greet(mark).").observed.value == "Ann!"


@pytest.mark.slow
def test_a_server_may_read_its_port_from_the_environment(box):
    code = "import os\nfrom flask import Flask\napp = Flask(__name__)\n@app.get('/x')\n"
    code += "def x():\n    return 'here'\n"
    code += "app.run(host=os.environ['HOST'], port=int(os.environ['PORT']))\n"
    assert ran(box, code, "/x", prompt="A route /x.").observed.response["body"] == "here"
