"""The trusted half of a C program: its own text included, and a main that makes the calls.

A parameter pair (char *out, size_t size) that is not const is a buffer to be filled: the value of
the call is the text in it. A function that then returns a negative number, or one that is neither
0 nor the length of that text, has failed: exception "c_error". A pair of a pointer and a count is
a list. `int *result` is an output as well.
"""

import re
from dataclasses import dataclass

from kit.harness.arguments import Unmappable
from kit.harness.plan import Plan
from kit.harness.read.facts import Typed

BUFFER = 1 << 16
_HEAD = '#define main candidate_main\n#include "main.c"\n#undef main\n'
_INCLUDES = "#include <errno.h>\n#include <stdlib.h>\n#include <string.h>\n"
_REAL = frozenset({"double", "float", "long double"})
_WHOLE = re.compile(
    r"(un)?signed|((un)?signed )?(char|short|int|long|long long|long int|short int)( int)?"
    r"|u?int(8|16|32|64)_t|u?intptr_t|s?size_t|ssize_t|time_t|off_t"
)
_COUNT = re.compile(
    r"(n|len|length|size|count|num|cap|capacity|max)|.*_(n|len|length|size|count|cap|sz|max)"
)


def program() -> str:
    """A program that is run as it is."""
    return '#include "main.c"\n'


def nothing() -> str:
    """The program's text with a main that does nothing: only whether it compiles is asked."""
    return _HEAD + "int main(void) { return 0; }\n"


@dataclass(frozen=True)
class Step:
    """What one or two parameters come from: code that makes them, and their names."""

    code: str
    names: tuple[str, ...]
    takes: int = 0  # arguments of the test
    buffer: str = ""  # the name of a buffer that holds the value
    out: str = ""  # the name of a variable that holds the value
    kind: str = ""


def call(chosen: Plan) -> str:
    """A program that calls the function of the plan as its job says."""
    function, facts = chosen.function, chosen.facts
    if function is None or facts is None or not function.typed:
        raise Unmappable("C has no classes, but the test constructs an object.")
    typed = function.typed[0]
    steps = _steps(typed)
    takes = sum(s.takes for s in steps)
    lines = "".join(s.code for s in steps)
    words = ", ".join(n for s in steps for n in s.names)
    answer = _answer(typed, steps, f"{typed.name}({words})", facts.structs)
    return f"""{_HEAD}{_INCLUDES}#include <stdio.h>
#include "kit_runtime.h"
static int kit_fault;
static long long kit_status;
static int kit_once(const kit_node *args) {{
  if (args->count != {takes}) kit_unfit("{typed.name} takes {takes} arguments, not those given.");
{lines}{answer}}}
{_MAIN}"""


_MAIN = """static int kit_failed(long long status, const char *name) {
  char text[96];
  int length = snprintf(text, sizeof text, "returned %lld, errno %d", status, errno);
  kit_put("\\""); kit_put(name); kit_put("\\":\\"c_error\\",\\"bases\\":[],\\"message\\":");
  kit_put_text(text, (size_t)length);
  return 1;
}
int main(void) {
  const kit_node *job = kit_job();
  int many = kit_member(job, "many")->kind == KIT_TRUE;
  const char *head = "{\\"during\\":\\"call\\",\\"kind\\":\\"value\\",\\"value\\":";
  kit_put(head);
  if (many) kit_put("[");
  for (const kit_node *at = kit_member(job, "calls")->first; at; at = at->next) {
    if (many && at != kit_member(job, "calls")->first) kit_put(",");
    size_t mark = kit_mark();
    errno = 0;
    if (kit_once(kit_item(at, 1)) && !many) {
      kit_forget(0);
      kit_put("{\\"during\\":\\"call\\",\\"kind\\":\\"exception\\",");
      kit_failed(kit_status, "exception");
    } else if (kit_fault && many) {
      kit_forget(mark);
      kit_put("{");
      kit_failed(kit_status, "raises");
      kit_put("}");
    }
  }
  kit_put(many ? "]}" : "}");
  kit_send();
  return 0;
}
"""


def _bare(kind: str) -> str:
    kind = re.sub(r"\b(const|volatile|restrict|register|static|extern|inline)\b", " ", kind)
    return " ".join(kind.replace("*", " * ").split()).replace(" *", "*")


def _steps(typed: Typed) -> list[Step]:
    steps, index, taken = [], 0, 0
    pairs = list(zip(typed.types, typed.params, strict=True))
    while index < len(pairs):
        following = pairs[index + 1] if index + 1 < len(pairs) else ("", "")
        step = _step(pairs[index], following, f"a{index}", taken, typed.name)
        steps.append(step)
        taken += step.takes
        index += len(step.names)
    return steps


def _step(pair: tuple[str, str], following: tuple[str, str], at: str, n: int, name: str) -> Step:
    kind, param = pair
    bare = _bare(kind)
    counts = bool(_WHOLE.fullmatch(_bare(following[0])) and _COUNT.fullmatch(following[1].lower()))
    fixed = "const" in kind
    item = f"kit_item(args, {n})"
    if bare in ("char*", "unsigned char*") and not fixed and counts:
        return Step(f"  static char {at}[{BUFFER}];\n", (f"(void *){at}", str(BUFFER)), 0, at)
    if bare in ("char*", "unsigned char*", "uint8_t*") and counts and bare != "char*":
        return Step(_text(at, item, param, ends=False), (f"(void *){at}", f"{at}_size"), 1)
    if bare == "char*" and counts and fixed:
        return Step(_text(at, item, param, ends=False), (at, f"{at}_size"), 1)
    if bare == "char*":
        return Step(_text(at, item, param, ends=True), (at,), 1)
    inner = bare.removesuffix("*")
    if bare.endswith("*") and counts and _scalar(inner, at, item, param):
        return Step(_list(inner, at, item, param), (at, f"{at}_count"), 1)
    if bare.endswith("*") and not fixed and _scalar(inner, at, item, param):
        return Step(f"  {inner} {at} = 0;\n", (f"&{at}",), 0, "", at, inner)
    if code := _scalar(bare, at, item, param):
        return Step(code, (at,), 1)
    raise Unmappable(
        f"{name} has a parameter of type {kind}, which no test value can be made into."
    )


def _text(at: str, item: str, param: str, *, ends: bool) -> str:
    nul = f'  if ({at} && strlen({at}) != {at}_size) kit_unfit("No C string holds a NUL.");\n'
    return (
        f"  char *{at} = NULL; size_t {at}_size = 0;\n"
        f"  if ({item}->kind != KIT_NULL && !kit_string({item}, &{at}, &{at}_size)) "
        f'kit_unfit("{param} is a text.");\n'
    ) + (nul if ends else "")


def _scalar(kind: str, at: str, item: str, param: str) -> str:
    """Code that declares `at` of a simple type; "" for another type."""
    if kind in _REAL:
        return (
            f"  double {at}_real = 0;\n"
            f'  if (!kit_real({item}, &{at}_real)) kit_unfit("{param} is a number.");\n'
            f"  {kind} {at} = ({kind}){at}_real;\n"
        )
    if kind in ("bool", "_Bool"):
        return (
            f"  if ({item}->kind != KIT_TRUE && {item}->kind != KIT_FALSE) "
            f'kit_unfit("{param} is a bool.");\n  {kind} {at} = {item}->kind == KIT_TRUE;\n'
        )
    if kind == "char":
        return (
            f"  if ({item}->kind != KIT_TEXT || {item}->size != 1) "
            f'kit_unfit("{param} is a char.");\n'
            f"  char {at} = {item}->text[0];\n"
        )
    if _WHOLE.fullmatch(kind):
        return (
            f"  long long {at}_i = 0; unsigned long long {at}_n = 0;\n"
            f"  int {at}_k = kit_integer({item}, &{at}_i, &{at}_n);\n"
            f"  {kind} {at} = ({at}_k & 1) ? ({kind}){at}_i : ({kind}){at}_n;\n"
            f"  if (!(({at}_k & 1) && (long long){at} == {at}_i && "
            f"(({kind})-1 < 0 || {at}_i >= 0)) "
            f"&& !(({at}_k & 2) && ({kind})-1 > 0 && (unsigned long long){at} == {at}_n)) "
            f'kit_unfit("{param} cannot be that number.");\n'
        )
    return ""


def _list(inner: str, at: str, item: str, param: str) -> str:
    each = _scalar(inner, f"{at}_one", f"kit_item({item}, i)", param)
    return (
        f'  if ({item}->kind != KIT_LIST) kit_unfit("{param} is a list.");\n'
        f"  size_t {at}_count = {item}->count;\n"
        f"  {inner} *{at} = calloc({at}_count + 1, sizeof *{at});\n"
        f"  for (size_t i = 0; i < {at}_count; i++) {{\n{each}  {at}[i] = {at}_one;\n  }}\n"
    )


def _put(kind: str, value: str) -> str:
    """Code that writes a value of a simple type; "" for another type."""
    bare = _bare(kind)
    if bare in _REAL:
        return f"  kit_put_real((double)({value}));\n"
    if bare in ("bool", "_Bool"):
        return f'  kit_put(({value}) ? "true" : "false");\n'
    if bare == "char":
        return f"  {{ char c = {value}; kit_put_text(&c, 1); }}\n"
    if bare == "char*":
        return (
            f"  {{ const char *t = {value}; "
            'if (t) kit_put_text(t, strlen(t)); else kit_put("null"); }\n'
        )
    if _WHOLE.fullmatch(bare) or bare.startswith("enum "):
        signed = f"(({bare})-1 < 0)"
        return (
            f"  if ({signed}) kit_put_integer((long long)({value})); "
            f"else kit_put_natural((unsigned long long)({value}));\n"
        )
    return ""


def _answer(typed: Typed, steps: list[Step], call_text: str, structs: object) -> str:
    returns = _bare(typed.returns)
    buffers = [s for s in steps if s.buffer]
    outs = [s for s in steps if s.out]
    if returns == "void" or (_WHOLE.fullmatch(returns) and (buffers or outs)):
        run = (
            f"  {call_text};\n"
            if returns == "void"
            else f"  kit_status = (long long){call_text};\n"
        )
        length = f"(long long)strlen({buffers[0].buffer})" if buffers else "0"
        test = (
            "0"
            if returns == "void"
            else f"kit_status < 0 || (kit_status && kit_status != {length})"
        )
        value = (
            _put("char*", buffers[0].buffer)
            if buffers
            else _put(outs[0].kind, outs[0].out)
            if outs
            else '  kit_put("null");\n'
        )
        return f"{run}  kit_fault = {test};\n  if (kit_fault) return 1;\n{value}  return 0;\n"
    if put := _put(typed.returns, "kit_result"):
        return f"  {typed.returns} kit_result = {call_text};\n{put}  return 0;\n"
    name = returns.removeprefix("struct ")
    fields = structs.get(name, ()) if isinstance(structs, dict) else ()
    raise Unmappable(
        f"{typed.name} returns {typed.returns}"
        + (f" with the fields {', '.join(fields)}" if fields else "")
        + ", which cannot be written as a value."
    )
