"""The trusted half of a C++ program: its own text included, and a main that makes the calls."""

from collections.abc import Callable, Iterable, Mapping

from kit.harness.plan import Plan
from kit.harness.read.facts import Class, Function, Typed

_HEAD = '#define main candidate_main\n#include "main.cpp"\n#undef main\n#include "kit_value.hpp"\n'
_FORWARD = "[&](auto &&...a) -> decltype(auto) {{ return {}(std::forward<decltype(a)>(a)...); }}"


def program() -> str:
    """A program that is run as it is."""
    return '#include "main.cpp"\n'


def nothing() -> str:
    """The program's text with a main that does nothing: only whether it compiles is asked."""
    return '#define main candidate_main\n#include "main.cpp"\n#undef main\nint main() {}\n'


def call(chosen: Plan) -> str:
    """A program that calls the function or the class of the plan as its job says."""
    facts, owner, function = chosen.facts, chosen.owner, chosen.function
    assert facts is not None
    if owner is not None:
        body = _object(owner, [function] if function else list(owner.methods.values()))
    else:
        assert function is not None
        body = _invoke(_calls(function, lambda t: f"::{t.name}"))
    main = "int main() { return kit::run(invoke); }\n"
    return "".join([_HEAD, *_structs(facts.structs), body, main])


def _structs(structs: Mapping[str, Iterable[str]]) -> Iterable[str]:
    """How each struct is written, field by field, and read; compiled only where it is used."""
    for name, fields in structs.items():
        puts = " ".join(f'put_field(between, "{f}", v.{f});' for f in fields)
        gets = " ".join(f'get_field(node, "{f}", v.{f});' for f in fields)
        yield f"""template <> struct kit::Struct<::{name}> {{
  static constexpr bool known = true;
  template <class V = ::{name}> static void put(const V &v) {{
    const char *between = "{{"; {puts}
    kit_put(*between == '{{' ? "{{}}" : "}}");
  }}
  template <class V = ::{name}> static V get(const kit_node *node) {{
    if constexpr (std::default_initializable<V>) {{
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


def _signature(typed: Typed, *, alone: bool) -> str:
    """The type that says how arguments are made: the function's own where it is unambiguous."""
    if alone:
        return f"kit::Signature<decltype(&::{typed.name})>"
    return f"kit::Signature<void (*)({', '.join(typed.types)})>"


def _calls(function: Function, target: Callable[[Typed], str]) -> str:
    """One branch for each count of arguments that a signature takes."""
    lines, seen = [], set()
    for one in function.typed:
        alone = len(function.typed) == 1
        signature = _signature(one, alone=alone)
        for count in range(len(one.params) - one.defaults, len(one.params) + 1):
            if count in seen:
                continue
            seen.add(count)
            forward = _FORWARD.format(target(one))
            lines.append(
                f"  if (args->count == {count}) "
                f"return kit::call<{signature}, {count}>(args, {forward});\n"
            )
    return "".join(lines)


def _object(owner: Class, methods: list[Function]) -> str:
    """Construction once, then methods by name."""
    full = f"::{owner.full}"
    inits = owner.init.typed or (Typed(owner.full, (), (), ""),)
    made = []
    for one in inits:
        for count in range(len(one.params) - one.defaults, len(one.params) + 1):
            made.append(
                f"  if (args->count == {count}) return std::apply([](auto &&...a) {{ "
                f"return std::make_unique<{full}>(std::forward<decltype(a)>(a)...); }}, "
                f"kit::given<kit::Signature<void (*)({', '.join(one.types)})>>(args, "
                f"std::make_index_sequence<{count}>()));\n"
            )
    steps = []
    for method in methods:
        branches = _calls(method, lambda t: f"object->{t.name.rpartition('::')[2]}")
        steps.append(f'  if (!std::strcmp(method, "{method.name}")) {{\n{branches}  }}\n')
    space = owner.full.rpartition("::")[0]
    using = f"using namespace {space};\n" if space else ""
    return f"""{using}static std::unique_ptr<{full}> construct(const kit_node *args) {{
{"".join(dict.fromkeys(made))}  throw kit::Unfit{{"No constructor of {owner.name} takes " +
    std::to_string(args->count) + " arguments."}};
}}
static std::unique_ptr<{full}> object;
{_invoke(_first(steps))}"""


def _first(steps: list[str]) -> str:
    return '  if (!object) object = construct(kit_member(kit_job(), "init"));\n' + "".join(steps)
