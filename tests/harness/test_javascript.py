"""JavaScript programs in a real box: every form of call, and what their trees say."""

from functools import partial
from textwrap import dedent

import pytest

from kit import harness
from kit.core.records import Status, Task, Test
from kit.harness.languages.javascript import read
from kit.oracle import judge
from kit.oracle.compare import compare_values
from tests.support.evidences import ran

run = partial(ran, language="javascript")

ODD = """
class P { constructor() { this.a = 1; } }
const f = () => [new Set([2, 1]), NaN, undefined, new Map([['k', 1n]]), Buffer.from([255]),
  new P(), /a+/g, { gone: undefined }];
"""
CODED = [
    {"__set__": [1, 2]},
    {"__float__": "nan"},
    None,
    {"k": 1},
    {"__bytes__": "ff"},
    {"a": 1},
    {"__type__": "RegExp", "__repr__": "/a+/g"},
    {},
]
COUNTER = """
class Counter {
  constructor(n) { this.n = n; }
  addOne(by = 1) { this.n += by; return this.n; }
}
module.exports = { Counter };
"""
OLD = "function C(n) { this.n = n }\nC.prototype.twice = function (k) { return this.n * k }"
STEPS = [["add_one", []], ["addOne", {"by": {"__result__": 0}}], ["n"]]
OWN = "const fs = require('fs')\nfunction f() { return [fs.readdirSync('.'), require.main] }"
FLAGS = "exports.f = () => [process.execArgv, Object.keys(require.cache).length]"
VALUES = [
    ("function f(a) { return a }", {"a": {"k": [1, 2.5, None, "é"]}}, {"k": [1, 2.5, None, "é"]}),
    ("exports.f = async ({ b, a }) => a - b", {"a": 3, "b": 1}, 2),
    ("module.exports = function* (a) { yield a; yield a }", 1, [1, 1]),
    ("const f = (() => { let n = 0; return (a) => [a, ++n] })()\nmodule.exports = f", 1, [1, 1]),
    ("exports.f = (function () { function g(a) { return a } return g }())", 4, 4),
    ("export default (a, b) => [a, b]", {"a": 1, "b": 2}, [1, 2]),
    ("import 'fs'\nlet hidden = 4\nfunction f(a) { return a + hidden }", 1, 5),
    (
        "function f(a) { if (a > 1) throw new RangeError('x'); return a }",
        {"calls": [1, 2]},
        [1, {"raises": "RangeError", "bases": ["Error"]}],
    ),
    ("exports.f = (req) => req.body.name", {"req": {"body": {"name": "x"}}}, "x"),  # no view
    (ODD, {}, CODED),
    (COUNTER, {"init": {"n": 1}, "calls": STEPS}, [2, 4, 4]),
    (OLD, {"init": [2], "calls": [["twice", [3]]]}, [6]),
    (OWN, {"file_path": "in/x", "file_content": "hi"}, [["in", "main.js"], None]),
    (FLAGS, {}, [[], 1]),
]


@pytest.mark.parametrize(("code", "value", "expected"), VALUES)
def test_a_function_or_class_answers_with_a_value(box, code, value, expected):
    evidence = run(box, code, value)
    assert (evidence.status, evidence.observed.value) == (Status.COMPLETED, expected)


def test_what_a_program_left_to_do_is_done_before_it_ends(box):
    work = "process.on('exit', () => console.log('end')); setTimeout(console.log, 50, 'later')"
    evidence = run(box, f"function f() {{ {work}; process.exitCode = 4 }}", {})
    assert (evidence.out, evidence.exit_code) == ("later\nend\n", 4)
    assert run(box, "function f() { Promise.reject(new Error('x')) }", {}).exit_code == 1


def test_an_exception_is_told_with_its_ancestors(box):
    code = "class Denied extends TypeError {}\nfunction f(a) { throw new Denied('no ' + a) }"
    seen = run(box, code, {"a": 1}).observed
    assert (seen.exception, seen.bases) == ("TypeError", ("Denied", "Error"))
    assert seen.message == "no 1"


def test_covered_lines_are_those_that_ran(box):
    code = "function f(a) {\n  if (a) {\n    return 1\n  }\n  // none\n  return 2\n}\n"
    assert run(box, code, 1).observed.lines == (1, 2, 3, 4, 7)
    assert run(box, code, 0).observed.lines == (1, 2, 6, 7)


SCRIPT = """
const text = require('fs').readFileSync(0, 'utf8')
if (require.main === module) console.log(text.toUpperCase(), process.argv.slice(2).join())
process.exit(3)
"""


def test_a_program_has_arguments_input_and_an_exit_code(box):
    evidence = run(box, SCRIPT, {"args": ["a", "b"], "stdin": "hi"})
    assert (evidence.out, evidence.exit_code) == ("HI a,b\n", 3)
    assert evidence.observed.lines == (2, 3, 4)


def test_a_program_that_throws_shows_its_own_trace_and_nothing_of_the_runner(box):
    evidence = run(box, "console.log(1)\nnull.x\n", {"args": []})
    assert (evidence.out, evidence.exit_code) == ("1\n", 1)
    assert evidence.observed.exception == "TypeError"
    assert "/box/main.js:2" in evidence.err
    assert ".kit" not in evidence.err


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        ("JSON.parse(process.argv[2]).jobs.length;", "fail"),
        ("const f = (j) => f({ ...j }) + 1;\nf({});", "fail"),
        ("throw new Error('no such job ' + process.argv[2]);", "pass"),
        ("console.log('error: no such job', process.argv[2]); process.exitCode = 2;", "pass"),
    ],
)
def test_a_program_that_throws_by_accident_does_not_complete(box, code, outcome):
    test = Test("sec-0", "security", input={"args": ["{}"]}, probes=({"probe": "completes"},))
    asked = Task("t", "s", "Write a command-line program.", (test,))
    seen = harness.run_test(box, asked, test, code, language="javascript")
    assert judge(asked, test, seen, language="javascript").outcome == outcome


def test_what_node_does_not_compile_is_a_compile_error(box):
    evidence = run(box, "let a = 1\nlet a = 2\n", {"args": []})
    assert evidence.status is Status.COMPILE_ERROR
    assert "line 2" in evidence.note
    assert "already been declared" in evidence.note


SERVERS = [
    "require('http').createServer((q, r) => r.end(q.url)).listen(8080, '127.0.0.1')",
    "module.exports = (req, res) => res.end(req.url)",
    "exports.start = (port) => require('http').createServer((q, r) => r.end(q.url)).listen(port)",
]


@pytest.mark.parametrize("code", SERVERS)
def test_a_server_answers_whether_it_listens_by_itself_or_not(box, code):
    evidence = run(box, code, "GET /a?b=1", prompt="an HTTP service")
    assert (evidence.observed.response or {})["body"] == "/a?b=1"
    assert evidence.observed.lines == (1,)


def test_the_program_cannot_answer_by_what_it_prints(box):
    code = """function f() { console.log('{"kind":"value","value":1}'); return 2 }"""
    assert run(box, code, {}).observed.value == 2


def test_routes_and_declared_names_are_read_from_the_tree():
    code = """
    const express = require('express'), yaml = require('@x/y/z')
    const app = express()
    app.post('/notes/:id', (req, res) => res.json(req.body))
    function inner(a, b = 2, ...c) {}
    module.exports = { outer: inner, app }
    """
    facts = read(dedent(code))
    assert facts.imports == {"express", "@x/y"}
    assert [(r.path, r.methods) for r in facts.routes] == [("/notes/:id", ("POST",))]
    assert facts.declared == {"express", "yaml", "app", "inner"}
    assert facts.serves


@pytest.mark.parametrize(
    ("name", "bases", "wanted", "alike"),
    [
        ("RangeError", ["Error"], "ValueError", True),
        ("Denied", ["Error"], "PermissionError", True),
        ("ReferenceError", ["Error"], "ValueError", False),
        ("std::out_of_range", ["std::logic_error", "std::exception"], "KeyError", True),
        ("std::bad_alloc", ["std::exception"], "ValueError", False),
        ("c_error", [], "ValueError", True),
        ("KeyError", ["LookupError"], "ValueError", False),
    ],
)
def test_a_class_that_python_alone_has_is_met_by_its_like(name, bases, wanted, alike):
    seen = [1, {"raises": name, "bases": bases, "message": "x"}]
    assert (compare_values([1, {"raises": wanted}], seen) is not None) == alike


PAGE = "<div id='s'><iframe id='v' src='https://a.example/x'></iframe><p>x</p></div>"
SLIDE = """
function stop(slide) {
  const frame = slide.querySelector('iframe');
  frame.contentWindow.postMessage(`stop ${frame.src} ${document.body.children.length}`, '*');
}
"""


@pytest.mark.slow
def test_a_function_on_a_page_gets_its_element_and_what_it_tells_frames_is_the_value(box):
    seen = run(box, SLIDE, {"html": PAGE})
    told = [{"iframe_id": "v", "message": "stop https://a.example/x 1"}]
    assert (seen.observed.value, seen.status) == (told, Status.COMPLETED), seen
    assert "origin *" in seen.err
    assert not [e for e in seen.events if "jsdom" in e.target]
    text = run(box, "function stop(html) { return html.length; }", {"html": PAGE})
    assert text.observed.value == len(PAGE)


@pytest.mark.parametrize(
    "load",
    ["const s = require('node:absent');", "import s from 'node:absent';", "require('left-pad');"],
)
def test_a_module_that_the_box_lacks_is_no_failure_of_the_program(box, load):
    export = "export " * load.startswith("import")
    evidence = run(box, f"{load}\n{export}function f(a) {{ return a; }}", 1)
    assert evidence.status is Status.HARNESS_ERROR
    name = "left-pad" if "pad" in load else "node:absent"
    assert f"imports {name}, which is not installed" in evidence.note


@pytest.mark.parametrize(("expected", "outcome"), [("none", "pass"), ("some", "fail")])
def test_a_module_whose_absence_the_program_catches_excuses_nothing(box, expected, outcome):
    code = "function f() { try { require('node:absent') } catch { return 'none' } }"
    test = Test("fc-0", "functional", input={}, expected=expected)
    asked = Task("t", "s", "", (test,))
    assert judge(asked, test, run(box, code, {}), language="javascript").outcome == outcome
