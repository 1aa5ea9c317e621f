"""C++ and C programs in a real box: compiled once, called by parsed signatures."""

import tomllib
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from kit.core.records import Status, Task, Test
from kit.harness import libraries
from kit.harness.languages.cpp import read
from kit.oracle import judge
from kit.sandbox import Limits, open_sandbox
from tests.support.evidences import ran

run = partial(ran, language="cpp")
STYLES = tomllib.loads(Path(__file__).parents[1].joinpath("files", "native_calls.toml").read_text())

VALUES = r"""
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>
namespace shop {
struct Item { std::string name; int count = 1; };
struct Answer { bool ok; std::vector<Item> items; std::optional<std::string> error; };
using Value = std::variant<double, std::string>;

Answer f(const std::string &name, std::map<std::string, Value> extra, unsigned char n = 2) {
  if (n == 0) {
    throw std::out_of_range("none of " + name);
  }
  Answer answer{true, {{name, n}}, std::nullopt};
  for (auto &[key, value] : extra)
    answer.items.push_back({key, (int)value.index()});
  return answer;
}
}
int main() { return (int)shop::f("", {}).items.size(); }
"""


def test_a_function_takes_and_gives_structured_values(box):
    evidence = run(box, VALUES, {"name": "é\0", "extra": {"a": "x", "b": 2}, "n": 7}, "write f")
    items = [{"name": "é\0", "count": 7}, {"name": "a", "count": 1}, {"name": "b", "count": 0}]
    assert evidence.observed.value == {"ok": True, "items": items}
    assert 14 in evidence.observed.lines
    assert 16 not in evidence.observed.lines


def test_a_struct_holds_one_character_or_an_array_of_them(box):
    code = "struct Mark { char sign; char word[4]; };\nMark f(Mark m) { m.sign++; return m; }\n"
    seen = run(box, code, {"m": {"sign": "a", "word": "abc"}}).observed
    assert seen.value == {"sign": "b", "word": "abc"}


DEEP = """
#include <nlohmann/json.hpp>
nlohmann::json f(int n) {
  nlohmann::json v = "[\\"[";
  for (int i = 0; i < n; i++) v = nlohmann::json::array({v});
  return v;
}
"""


def test_a_value_nested_too_deep_to_be_read_is_told_as_such(box):
    seen = [run(box, DEEP, n).observed.value for n in (1, 300)]
    assert seen == [['["['], {"__type__": "value", "__repr__": "<too large to be returned>"}]


def test_a_struct_that_is_made_from_a_value_is_no_hindrance(box):
    code = """struct Half { explicit Half(int n) : part(n / 2) {} int part; };
    Half f(int n) { return Half(n); }
    """
    assert run(box, code, {"n": 9}).observed.value == {"part": 4}
    taking = code + "int g(Half h) { return h.part; }"
    assert run(box, taking, {"h": {"n": 9}}, "g()").observed.value == 4
    assert "cannot be" in run(box, taking, {"h": 1}, "g()").note


def test_an_exception_has_its_class_and_ancestors(box):
    evidence = run(box, VALUES, {"name": "x", "extra": {}, "n": 0}, "write f")
    assert evidence.observed.exception == "std::out_of_range"
    assert evidence.observed.bases == ("std::logic_error", "std::exception")
    assert evidence.observed.message == "none of x"


def test_several_calls_make_a_list_with_its_failures(box):
    calls = {"calls": [["x", {}], ["x", {}, 0]]}
    values = run(box, VALUES, calls, "write f").observed.value
    assert values[0]["items"] == [{"name": "x", "count": 2}]
    assert values[1]["raises"] == "std::out_of_range"


@pytest.mark.parametrize("n", [256, -1, "7", None, 1.5])
def test_what_a_type_cannot_hold_is_no_failure_of_the_program(box, n):
    evidence = run(box, VALUES, {"name": "x", "extra": {}, "n": n}, "write f")
    assert evidence.status is Status.HARNESS_ERROR
    assert "unsigned char cannot be" in evidence.note


COUNTER = """
class Counter {
public:
  explicit Counter(long start) : n(start) {}
  long addOne(long by = 1) { return n += by; }
private:
  long n;
};
"""


def test_a_class_is_constructed_and_its_methods_called(box):
    steps = [["add_one", []], ["addOne", {"by": {"__result__": 0}}]]
    assert run(box, COUNTER, {"init": {"start": 1}, "calls": steps}).observed.value == [2, 4]


PROGRAM = """
#include <iostream>
#include <string>
int main(int argc, char **argv) {
  std::string line;
  std::getline(std::cin, line);
  std::cout << line << argc << argv[1] << std::endl;
  if (line == "die") __builtin_trap();
  return 3;
}
"""
ALIAS = """
#include <map>
#include <string>
class Table {
  typedef std::string Name;
  using rows = std::map<Name, long>;
  rows kept;
 public:
  explicit Table(const rows &first) : kept(first) {}
  long get(const Name &name) { return kept.at(name); }
  long get(const rows &given, const Name &name) { return given.at(name); }
};
"""


def test_a_class_takes_types_by_private_names_of_its_own(box):
    calls = {"init": [{"a": 3}], "calls": [["get", ["a"]]]}
    assert run(box, ALIAS, calls).observed.value == [3]


LOOPS = """
#include <cstdint>
uint32_t turned(uint32_t word, uint32_t by) { return (word << 5 | word >> 27) ^ by; }
struct Node { Node *next; };
unsigned f(int millions) {
  uint32_t word = 1;
  for (int64_t i = 0; i < millions * 1000000ll; ++i) word = turned(word, i);
  Node first{millions < 0 ? &first : nullptr};
  for (Node *at = &first; at; at = at->next) ++millions;
  return word;
}
"""


@pytest.mark.slow
def test_a_program_is_optimised_and_its_endless_loops_stay():
    with open_sandbox("bwrap", Limits(cpu_s=3)) as short:
        assert run(short, LOOPS, 200).status is Status.COMPLETED  # else it takes four seconds
        assert run(short, LOOPS, -1).status is Status.TIMEOUT


def test_a_program_has_arguments_input_and_an_exit_code(box):
    evidence = run(box, PROGRAM, {"args": ["a b"], "stdin": "hi\n"})
    assert (evidence.out, evidence.exit_code) == ("hi2a b\n", 3)
    assert {4, 6, 7, 8} <= {*evidence.observed.lines} <= {*range(4, 11)}  # optimised, some merge


def test_a_program_that_crashes_has_its_lines_all_the_same(box):
    evidence = run(box, PROGRAM, {"args": ["x"], "stdin": "die\n"})
    assert evidence.status is Status.CRASHED
    assert 8 in evidence.observed.lines
    assert 9 not in evidence.observed.lines


@pytest.mark.parametrize(
    ("code", "status", "said"),
    [
        ("int f(int a) {\n  return b;\n}", Status.COMPILE_ERROR, "line 2"),
        ("int f(int a);\nint main() { return f(1); }", Status.COMPILE_ERROR, "undefined"),
        ("#include <no/such.h>\nint f(int a) { return a; }", Status.HARNESS_ERROR, "no/such.h"),
        ("int f(int a, int b) { return a; }", Status.HARNESS_ERROR, "takes 1 arg"),
    ],
)
def test_who_is_to_blame_for_what_does_not_compile(box, code, status, said):
    evidence = run(box, code, 1)
    assert evidence.status is status
    assert said in evidence.note


C = """
#include <errno.h>
#include <stdio.h>
#include <string.h>
static int shout(const char *name, char *out, size_t size) {
  if (strlen(name) == 0) { errno = EINVAL; return -1; }
  return snprintf(out, size, "%s!", name);
}
"""


def test_a_buffer_of_c_is_the_value_and_a_negative_number_a_failure(box):
    values = run(box, C, {"calls": [["hi"], [""]]}, language="c").observed.value
    assert values == ["hi!", {"raises": "c_error", "bases": [], "message": "returned -1, errno 22"}]


def test_lists_and_outputs_of_c(box):
    code = "int sum(const int *a, unsigned n, long *result) {\n  *result = 0;\n"
    code += "  while (n--) *result += a[n];\n  return 0;\n}\n"
    assert run(box, code, {"a": [1, 2, 3]}, language="c").observed.value == 6


def test_signatures_are_read_from_the_tree():
    facts = read(VALUES, language="cpp")
    typed = facts.functions["f"].typed[0]
    assert typed.name == "shop::f"
    assert typed.types == ("const std::string &", "std::map<std::string, Value>", "unsigned char")
    assert (typed.params, typed.defaults) == (("name", "extra", "n"), 1)
    assert facts.structs["shop::Item"] == ("name", "count")
    assert facts.runs


def test_a_json_value_with_bytes_that_are_no_text_is_still_told(box):
    code = """
    #include <nlohmann/json.hpp>
    nlohmann::json f(int) { return {{"a", "x\\xff"}}; }
    """
    assert run(box, code, 1).observed.value == {"a": "x\ufffd"}


USES = {
    "expat.h": "XML_ParserFree(XML_ParserCreate(nullptr));",
    "unicode/uversion.h": "UVersionInfo v; u_getVersion(v);",
    "yaml.h": "yaml_parser_t p; yaml_parser_initialize(&p);",
    "httplib.h": "httplib::Server s;",
    "archive.h": "archive_read_free(archive_read_new());",
    "jwt.h": "jwt_t *j; jwt_new(&j); jwt_free(j);",
    "sqlite3.h": "sqlite3_libversion();",
    "openssl/evp.h": "EVP_MD_CTX_free(EVP_MD_CTX_new());",
    "libxml/parser.h": "xmlCleanupParser();",
    "yaml-cpp/yaml.h": 'YAML::Load("1");',
    "nlohmann/json.hpp": "nlohmann::json j;",
}


def test_a_program_is_linked_with_each_library_that_is_installed_for_cpp(box):
    assert set(USES) == set(libraries.debian_packages("cpp"))
    heads = "".join(f"#include <{name}>\n" for name in USES)
    uses = " ".join(f"{{ {use} }}" for use in USES.values())
    assert run(box, f"{heads}int f(int n) {{ {uses} return n; }}", 3).observed.value == 3


ANSWER = """#include <string>
#include <vector>
struct Item { int id; std::string note; };
struct Answer { bool ok; std::string error; std::vector<Item> items; int port; bool last; };
Answer f(bool ok) { return {ok, ok ? "" : "no", {{1, ""}}, 0, false}; }
"""


@pytest.mark.parametrize(
    ("ok", "expected", "outcome"),
    [
        (True, {"ok": True, "items": [{"id": 1}]}, "pass"),  # what nobody set is no part of it
        (True, {"ok": True, "items": [{"id": 2}]}, "fail"),
        (False, {"ok": False, "items": [{"id": 1}]}, "fail"),  # "error" says something
        (True, {"ok": True, "error": "no", "items": [{"id": 1}]}, "fail"),
    ],
)
def test_fields_that_a_struct_has_to_have_may_be_empty(box, ok, expected, outcome):
    evidence, test = run(box, ANSWER, ok), Test("fc-0", "functional", expected=expected)
    task = Task("1", "s", "", (test,))
    assert judge(task, test, evidence, language="cpp").outcome == outcome
    if ok:  # in a language where a program chooses what an object has, an empty field counts
        assert judge(task, test, evidence, language="python").outcome == "fail"


HIDDEN = "class Hidden { int n = 1; public: int size(); };\nHidden f(int) { return {}; }\n"
TAGGED = """#include <memory>
#include <vector>
struct Tree {
  enum Kind { Number, List } kind; int number; std::vector<std::shared_ptr<Tree>> list;
};
Tree f(int) { return {Tree::Number, 1, {}}; }
"""


@pytest.mark.parametrize("code", [HIDDEN, TAGGED])
def test_an_object_that_cannot_be_read_is_no_failure(box, code):
    evidence, test = run(box, code, 1), Test("fc-0", "functional", expected={"n": 1})
    assert judge(Task("1", "s", "", (test,)), test, evidence, language="cpp").outcome == "unknown"


VARIANTS = """#include <map>
#include <string>
#include <variant>
#include <vector>
struct Value {
  std::variant<int, std::string, std::vector<Value>, std::map<std::string, Value>> v;
};
struct One { std::variant<int, std::string> v; };
"""
NESTED = [1, "a", [], {"b": [2]}]


@pytest.mark.parametrize(
    ("function", "given", "value"),
    [
        ("Value f(Value given) { return {std::vector<Value>{given, {7}}}; }", NESTED, [NESTED, 7]),
        ("One f(int n) { return {n}; }", 3, {"v": 3}),
    ],
)
def test_a_struct_around_a_variant_of_its_own_kind_is_the_value_in_it(box, function, given, value):
    assert run(box, VARIANTS + function, {"given": given}, "f").observed.value == value


@pytest.mark.parametrize(
    ("more", "answers"), [("", [True]), ("bool delete_all() { return false; }", None)]
)
def test_a_method_whose_name_c_plus_plus_reserves_may_have_a_longer_one(box, more, answers):
    code = f"struct Notes {{ bool delete_note(int n) {{ return n == 1; }} {more} }};\n"
    calls = {"init": {}, "calls": [["delete", [1]]]}
    assert run(box, code, calls, "the class Notes: delete(n)").observed.value == answers


def named_cases():
    """Each case of the table under its kind and its place there."""
    places = Counter()
    for case in STYLES["case"]:
        yield pytest.param(case, id=f"{case['kind']}-{places[case['kind']]}")
        places[case["kind"]] += 1


@pytest.mark.slow
@pytest.mark.parametrize("case", [*named_cases()])
def test_a_style_of_c_or_cpp_is_called_as_its_compiler_reads_it(box, case):
    language = case.get("language", "cpp")
    test = Test("fc-0", "functional", input=case["input"], expected=case["expected"])
    evidence = run(box, case["program"], test.input, case["task"], language=language)
    verdict = judge(Task("1", "s", case["task"], (test,)), test, evidence, language=language)
    assert verdict.outcome == case.get("outcome", "pass"), verdict.sentence
