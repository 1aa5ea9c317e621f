"""The trusted half of a C or C++ program: its own text included, and a main that makes the calls.

In C a parameter pair (char *out, size_t size) that is not const is a buffer to be filled: the value
of the call is the text in it. A function that then returns a negative number, or one that is not
0 and not the length of that text, has failed: exception "c_error". A pair of a pointer and a count
is a list. `int *result` is an output as well.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from kit.harness.facts import Class, Facts, Function, Typed
from kit.harness.plan import Plan, Unmappable
from kit.languages import LANGUAGES

BUFFER = 1 << 16
_MACRO = re.compile(r"^[ \t]*(?:#|%:)[ \t]*define[ \t]+([A-Za-z]\w*)", re.M)
_NAMES = re.compile(r"[A-Za-z_]\w*").findall
_FORWARD = "[&](auto &&...a) -> decltype(auto) {{ return {}(std::forward<decltype(a)>(a)...); }}"
_COUNT = re.compile(
    r"(n|len|length|size|count|num|cap|capacity|max)|.*_(n|len|length|size|count|cap|sz|max)"
)
_SORTS = {  # of types that kit_call.h makes of a value, and writes as one
    "REAL": re.compile(r"double|float|long double"),
    "BOOL": re.compile(r"bool|_Bool"),
    "CHAR": re.compile(r"char"),
    "WHOLE": re.compile(
        r"(un)?signed|((un)?signed )?(char|short|int|long|long long|long int|short int)( int)?"
        r"|u?int(8|16|32|64)_t|u?intptr_t|s?size_t|ssize_t|time_t|off_t"
    ),
}


def program(language: str) -> str:
    """A program that is run as it is."""
    return f'#include "{LANGUAGES[language].program}"\n'


def _own(language: str) -> str:
    return f"#define main candidate_main\n{program(language)}#undef main\n"


def _without_macros(code: str, facts: Facts) -> str:
    """Takes away the program's macros, which mean nothing to what follows its text.

    Those in which the types of its functions are written stay.
    """
    callables = [*facts.functions.values(), *(c.init for c in facts.classes.values())]
    callables += [method for c in facts.classes.values() for method in c.methods.values()]
    typed = [one for function in callables for one in function.typed]
    types = {name for one in typed for kind in (*one.types, one.returns) for name in _NAMES(kind)}
    names = {*_MACRO.findall(code.replace("\\\n", ""))}
    stay = {name for name in names & types if not _sort(name)}
    return "".join(f"#undef {name}\n" for name in sorted(names - stay))


def nothing(language: str) -> str:
    """The program's text with a main that does nothing: only whether it compiles is asked."""
    return _own(language) + "int main(void) { return 0; }\n"


def call(chosen: Plan, language: str, code: str) -> str:
    """A program that calls the function or the class of the plan as its job says."""
    facts, owner, function = chosen.facts, chosen.owner, chosen.function
    free = _without_macros(code, facts)
    if language == "c":
        if function is None or not function.typed:
            raise Unmappable("C has no classes, but the test constructs an object.")
        once = _once(function.typed[0], facts.structs)
        return "".join([_own(language), free, '#include "kit_call.h"\n', once])
    if owner is not None:
        body = _object(owner, [function] if function else list(owner.methods.values()))
    else:
        assert function is not None
        body = _invoke(_calls(function, lambda t: f"::{t.name}"))
    space = f"namespace kit_glue {{\n{body}}}\n"  # the program may have these names
    main = "int main() { return kit::run(kit_glue::invoke); }\n"
    head = f'{_own(language)}{free}#define kit kit_own\n#include "kit_value.hpp"\n'
    return "".join([head, *_structs(facts.structs), space, main])


@dataclass(frozen=True)
class Step:
    """What one or two parameters of a C function come from: code that makes them, and names."""

    code: str
    names: tuple[str, ...]
    takes: int = 1  # arguments of the test
    buffer: str = ""  # the name of a buffer that holds the value
    out: str = ""  # the name of a variable that holds the value
    kind: str = ""


def _once(typed: Typed, structs: Mapping[str, tuple[str, ...]]) -> str:
    """The C function that makes one call of the job."""
    steps: list[Step] = []
    pairs = [*zip(typed.types, typed.params, strict=True), ("", "")]
    takes = index = 0
    while index < len(pairs) - 1:
        steps.append(_step(pairs[index], pairs[index + 1], f"a{index}", takes, typed.name))
        takes += steps[-1].takes
        index += len(steps[-1].names)
    lines = "".join(f"  {step.code}\n" for step in steps)
    words = ", ".join(name for step in steps for name in step.names)
    answer = _answer(typed, steps, f"{typed.name}({words})", structs)
    return f"""static int kit_once(const kit_node *args) {{
  if (args->count != {takes}) kit_unfit("{typed.name} takes {takes} arguments, not those given.");
{lines}{answer}  return 0;
}}
"""


def _bare(kind: str) -> str:
    kind = re.sub(r"\b(const|volatile|restrict|register|static|extern|inline)\b", " ", kind)
    return " ".join(kind.replace("*", " * ").split()).replace(" *", "*")


def _sort(bare: str) -> str:
    return next((name for name, kinds in _SORTS.items() if kinds.fullmatch(bare)), "")


def _step(pair: tuple[str, str], following: tuple[str, str], at: str, n: int, name: str) -> Step:
    kind, param = pair
    bare, fixed = _bare(kind), "const" in kind
    inner = bare.removesuffix("*")
    whole = _SORTS["WHOLE"].fullmatch(_bare(following[0]))
    counts = bool(whole and _COUNT.fullmatch(following[1].lower()))
    value = f'{at}, kit_item(args, {n}), "{param}"'
    if bare in ("char*", "unsigned char*") and not fixed and counts:
        code = f"static char {at}[{BUFFER}];"
        return Step(code, (f"(void *){at}", str(BUFFER)), takes=0, buffer=at)
    if bare in ("unsigned char*", "uint8_t*") and counts:
        return Step(f"KIT_MAKE_BYTES({value})", (f"(void *){at}", f"{at}_size"))
    if bare == "char*" and counts:
        return Step(f"KIT_MAKE_BYTES({value})", (at, f"{at}_size"))
    if bare == "char*":
        return Step(f"KIT_MAKE_STRING({value})", (at,))
    if bare.endswith("*") and counts and (sort := _sort(inner)):
        return Step(f"KIT_MAKE_LIST(KIT_MAKE_{sort}, {inner}, {value})", (at, f"{at}_count"))
    if bare.endswith("*") and not fixed and _sort(inner):
        return Step(f"{inner} {at} = 0;", (f"&{at}",), takes=0, out=at, kind=inner)
    if sort := _sort(bare):
        return Step(f"KIT_MAKE_{sort}({bare}, {value})", (at,))
    raise Unmappable(
        f"{name} has a parameter of type {kind}, which no test value can be made into."
    )


def _put(kind: str, value: str) -> str:
    """Code that writes a value of a simple type; "" for another type."""
    bare = _bare(kind)
    sort = "STRING" if bare == "char*" else _sort(bare)
    sort = "WHOLE" if bare.startswith("enum ") else sort
    return f"  KIT_PUT_{sort}({bare}, {value})\n" if sort else ""


def _answer(
    typed: Typed, steps: list[Step], call_text: str, structs: Mapping[str, tuple[str, ...]]
) -> str:
    returns = _bare(typed.returns)
    buffers = [step.buffer for step in steps if step.buffer]
    outs = [step for step in steps if step.out]
    whole = _SORTS["WHOLE"].fullmatch(returns)
    if returns == "void" or (whole and (buffers or outs)):
        run = f"  {call_text};\n"
        if returns != "void":
            length = f"(long long)strlen({buffers[0]})" if buffers else "0"
            run = f"  kit_status = (long long){call_text};\n"
            run += f"  kit_fault = kit_status < 0 || (kit_status && kit_status != {length});\n"
            run += "  if (kit_fault) return 1;\n"
        if buffers:
            return run + _put("char*", buffers[0])
        return run + (_put(outs[0].kind, outs[0].out) if outs else '  kit_put("null");\n')
    if put := _put(typed.returns, "kit_result"):
        return f"  {typed.returns} kit_result = {call_text};\n{put}"
    fields = ", ".join(structs.get(returns.removeprefix("struct "), ()))
    inside = f" with the fields {fields}" if fields else ""
    reason = f"{typed.name} returns {typed.returns}{inside}, which cannot be written as a value."
    raise Unmappable(reason)


def _structs(structs: Mapping[str, tuple[str, ...]]) -> Iterable[str]:
    """How each struct is written, field by field, and read; compiled only where it is used."""
    for name, fields in structs.items():
        puts = " ".join(f'put_field(between, "{f}", v.{f});' for f in fields)
        gets = " ".join(f'get_field(node, "{f}", v.{f});' for f in fields)
        types = ", ".join(("V", *(f"decltype(V::{f})" for f in fields)))
        yield f"""template <> struct kit::Struct<::{name}> {{
  static constexpr bool known = true;
  template <class V = ::{name}> static void put(const V &v) {{
    if constexpr (Tagged<{types}>) return put_unknown(v);
    if constexpr (IsWrapper<{types}>::value) return kit::put(v.{fields[0]});
    const char *between = "{{"; {puts}
    kit_put(*between == '{{' ? "{{}}" : "}}");
  }}
  template <class V = ::{name}> static V get(const kit_node *node) {{
    if constexpr (std::default_initializable<V>) {{
      if constexpr (IsWrapper<{types}>::value) {{
        V v{{}};
        v.{fields[0]} = kit::get<decltype(v.{fields[0]})>(node);
        return v;
      }}
      if (node->kind != KIT_OBJECT) unfit<V>(node);
      V v{{}}; {gets} return v;
    }} else {{
      throw Unfit{{"{name} has no constructor without arguments."}};
    }}
  }}
}};
"""


def _invoke(body: str) -> str:
    return f"""static void invoke(
    const char *method, const kit_node *given, const kit_node *results) {{
  const kit_node *args = kit::resolved(given, results);
  (void)method; (void)args;
{body}  throw kit::Unfit{{"No function " + std::string(method) + " of the program takes " +
    std::to_string(args->count) + " arguments."}};
}}
"""


def _branches(signatures: Iterable[Typed], code: Callable[[Typed, int], str]) -> str:
    """One branch for each count of arguments that a signature takes, the first of them."""
    branches: dict[int, str] = {}
    for one in signatures:
        for n in range(len(one.params) - one.defaults, len(one.params) + 1):
            branches.setdefault(n, f"  if (args->count == {n}) return {code(one, n)};\n")
    return "".join(branches.values())


def _calls(function: Function, target: Callable[[Typed], str]) -> str:
    def code(one: Typed, count: int) -> str:
        overloaded = len(function.typed) > 1  # else the type is the function's own
        kind = f"void (*)({', '.join(one.types)})" if overloaded else f"decltype(&::{one.name})"
        forward = _FORWARD.format(target(one))
        return f"kit::call<kit::Signature<{kind}>, {count}>(args, {forward})"

    return _branches(function.typed, code)


def _object(owner: Class, methods: list[Function]) -> str:
    """Construction once, then methods by name."""
    full = f"::{owner.full}"
    inits = owner.init.typed or (Typed(owner.full, (), (), ""),)
    constructions = _branches(inits, lambda one, count: (
        f"kit::made<{full}, kit::Signature<void (*)({', '.join(one.types)})>, {count}>(args)"
    ))  # fmt: skip
    steps = []
    for method in methods:
        branches = _calls(method, lambda t: f"object->{t.name.rpartition('::')[2]}")
        steps.append(f'  if (!std::strcmp(method, "{method.name}")) {{\n{branches}  }}\n')
    space = owner.full.rpartition("::")[0]
    using = f"using namespace {space};\n" if space else ""
    first = '  if (!object) object = construct(kit_member(kit_job(), "init"));\n'
    return f"""{using}static std::unique_ptr<{full}> construct(const kit_node *args) {{
{constructions}  throw kit::Unfit{{"No constructor of {owner.name} takes " +
    std::to_string(args->count) + " arguments."}};
}}
static std::unique_ptr<{full}> object;
{_invoke(first + "".join(steps))}"""
