"""The trusted half of a C or C++ program: its own text included, and a main that makes the calls.

The compiler says of what type everything is; kit_runtime.c says by names which number counts the
items of a pointer. In C a text or a result that a call has to fill is its value. A function that
then returns a negative number, or one that is neither 0 nor a length of that, has failed: exception
"c_error".
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from kit.core.languages import LANGUAGES
from kit.harness.facts import Class, Facts, Function, Typed
from kit.harness.plan import Plan, Unmappable
from kit.harness.shape import normalize_name

MOST_TYPES = 16  # combinations that are tried for a template
_MACRO = re.compile(r"^[ \t]*(?:#|%:)[ \t]*define[ \t]+([A-Za-z]\w*)", re.M)
_WORD = re.compile(r"\w+")
_UNFIXED = re.compile(r"\b(const|volatile|register|restrict)\b(?=[^*]*$)")  # a variable's own


def include_program(language: str) -> str:
    """A program that is run as it is."""
    return f'#include "{LANGUAGES[language].program}"\n'


def _include_without_main(language: str) -> str:
    return f"#define main candidate_main\n{include_program(language)}#undef main\n"


def _without_macros(code: str, facts: Facts) -> str:
    """Takes away the program's macros, which mean nothing to what follows its text.

    Those in which the types of its functions are written stay.
    """
    callables = [*facts.functions.values(), *(c.init for c in facts.classes.values())]
    callables += [method for c in facts.classes.values() for method in c.methods.values()]
    kinds = [kind for function in callables for one in function.typed for kind in one.types]
    names = {*_MACRO.findall(code.replace("\\\n", ""))} - {*_WORD.findall(" ".join(kinds))}
    return "".join(f"#undef {name}\n" for name in sorted(names))


def write_idle_main(language: str) -> str:
    """The program's text with a main that does nothing: only whether it compiles is asked."""
    return _include_without_main(language) + "int main(void) { return 0; }\n"


def write_caller(chosen: Plan, language: str, job: Mapping[str, Any], code: str) -> str:
    """A program that calls the function or the class of the plan as its job says."""
    facts, owner, function = chosen.facts, chosen.owner, chosen.function
    own = _include_without_main(language) + _without_macros(code, facts)
    if language == "c":
        if function is None or not function.typed:
            raise Unmappable("C has no classes, but the test constructs an object.")
        records = "".join(_describe_records(facts.structs))
        return f'{own}#include "kit_call.h"\n{records}{_write_call(function.typed[0])}'
    functions = [function] if function else _select_methods(chosen, owner)
    typed = [one for each in functions for one in each.typed]
    if owner is not None:
        typed += owner.init.typed
        offers = _offer_class(owner, functions, job)
    else:
        offers = _offer_overloads(typed, [arguments for _, arguments in job["calls"]])
    words = _WORD.findall(" ".join(" ".join(one.types) for one in typed))
    parts = [_describe_struct(name, fields) for name, fields in facts.structs.items()]
    parts += sorted(_open_scopes(typed, facts))
    for each in facts.classes.values():
        if each is owner or each.name in words:
            parts.append(_offer_constructors(each))
    # In a namespace, for the program may have these names.
    main = f"namespace kit_glue {{\nstatic void offers(kit::Choice &choice) {{\n{offers}}}\n}}\n"
    main += "int main() { return kit::run(kit_glue::offers); }\n"
    return f'{own}#define kit kit_own\n#include "kit_value.hpp"\n{"".join(parts)}{main}'


def _open_scopes(typed: Iterable[Typed], facts: Facts) -> Iterator[str]:
    """What the text of a type needs in order to be read outside of its namespace."""
    if any(one.generic for one in typed):
        yield "#include <map>\n#include <vector>\n"
    for name in {one.name for one in typed}:
        space = ""
        for part in name.split("::")[:-1]:
            if part in facts.classes:
                break
            space += f"::{part}"
        yield f"using namespace {space};\n" if space else ""


# ---- C ----


def _describe_records(structs: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """The fields of each struct, and how the compiler finds them by a value's type."""
    record = "NULL"
    for index, name in enumerate(structs):
        yield f"static const kit_record kit_record_{index};\n"
        record = f"KIT_SAME(x, {name}) ? &kit_record_{index} : {record}"
    yield f"#define KIT_RECORD_OF(x) ({record})\n"
    for index, (name, fields) in enumerate(structs.items()):
        listed = ", ".join(f"KIT_FIELD({name}, {field})" for field in fields)
        yield f"static const kit_field kit_fields_{index}[] = {{{listed}}};\n"
        parts = f"sizeof({name}), {len(fields)}, kit_fields_{index}"
        yield f"static const kit_record kit_record_{index} = {{{parts}}};\n"


def _write_call(typed: Typed) -> str:
    """The C function that makes one call of the job."""
    count = len(typed.params)
    kinds = (_UNFIXED.sub("", kind) for kind in typed.types)
    variables = "".join(f"  __typeof__({kind}) kit_{i};\n" for i, kind in enumerate(kinds))
    listed = (f'{{"{p}", &kit_{i}, KIT_TYPE(kit_{i})}}, ' for i, p in enumerate(typed.params))
    values = ", ".join(f"kit_{i}" for i in range(count))
    return f"""static int kit_once(const kit_node *args) {{
{variables}  const kit_variable kit_variables[] = {{{"".join(listed)}{{0}}}};
  kit_param kit_params[{count + 1}];
  kit_begin("{typed.name}", args, kit_variables, {count}, kit_params, KIT_SANITIZED);
  KIT_CALLED({typed.name}({values}))
  return kit_answer(kit_variables, kit_params, {count}, &kit_result, kit_gives);
}}
int main(void) {{ return kit_perform(kit_once); }}
"""


# ---- C++ ----


def _describe_struct(name: str, fields: Sequence[str]) -> str:
    """The fields of a struct, compiled only where it is used; of a template, of all its structs."""
    listed = ", ".join(f'"{field}"' for field in fields)
    values = ", ".join(f"v.{field}" for field in fields)
    return f"""{_open_specialisation("Struct", name)}
  static constexpr const char *names[] = {{{listed}}};
  static auto tie(auto &v) {{ return std::tie({values}); }}
}};
"""


def _offer_constructors(owner: Class) -> str:
    """How objects of a class are made."""
    offers = "".join(
        _offer_counts(one, f"void (*)({', '.join(one.types)})", "make")
        for one in _select_defined(owner.init.typed)
    )
    return f"""{_open_specialisation("Construct", owner.full)}
  static constexpr bool known = {str(bool(offers)).lower()};
  static void offers(kit::Choice &choice, auto make) {{
{offers}  }}
}};
"""


def _open_specialisation(template: str, name: str) -> str:
    """The head of what is said of a class; of a template, whatever its parameters are."""
    parameters = ", ".join(f"class {word}" for word in _read_parameters(name))
    return f"template <{parameters}> struct kit::{template}<::{name}> {{"


def _read_parameters(name: str) -> list[str]:
    """The words between the angle brackets of a template's name."""
    return _WORD.findall(name.partition("<")[2])


def _select_defined(overloads: Sequence[Typed]) -> Sequence[Typed]:
    """Without those that are only declared, if there are others."""
    return [one for one in overloads if one.is_defined] or overloads


def _offer_overloads(overloads: Sequence[Typed], tuples: Sequence[Any], owner: str = "") -> str:
    """What may be called: each overload, with each number of arguments that it takes.

    tuples: of arguments, one of each call.
    """
    code, overloads = "", _select_defined(overloads)
    for one in overloads:
        method = one.name.rpartition("::")[2]
        called = f"object->{method}" if owner else f"::{one.name}"
        address = f"&{owner}::{method}" if owner else f"&::{one.name}"
        if one.generic:
            code += _offer_template(one, called, address, tuples)
            continue
        kind = f"void (*)({', '.join(one.types)})" if len(overloads) > 1 else f"decltype({address})"
        code += _offer_counts(one, kind, f"KIT_CALL({called})")
    return code


def _offer_counts(one: Typed, kind: str, called: str) -> str:
    code, names = "", json.dumps(" ".join(one.params))
    for count in range(len(one.params) - one.defaults, len(one.params) + 1):
        code += f"  choice.template offer<{count}>({names}, kit::Signature<{kind}>(), {called});\n"
    return code


def _offer_template(one: Typed, called: str, address: str, tuples: Sequence[Any]) -> str:
    """A template: by what it deduces from the values, else by each of the types among these."""
    kinds = dict.fromkeys(", ".join(map(_name_type, values)) for values in tuples)
    naturals, tried = "", ""
    for exact in kinds:
        real = re.sub(r"\bint\b|\blong long\b", "double", exact)
        naturals += f", kit::Or<kit::Types<{exact}>, kit::Types<{real}>>()"
    simple = sorted(set(_SCALAR.findall(" ".join(kinds))))
    for types in islice(product(simple, repeat=one.generic), MOST_TYPES):
        tried += f" with(kit::Types<{', '.join(types)}>());"
    explicit = _offer_counts(one, f"decltype({address}<K...>)", f"KIT_CALL({called})")
    further = (
        "[](auto &) {}"
        if one.is_object
        else f"""[&](auto &choice) {{
    auto with = [&]<class... K>(kit::Types<K...>) {{
      if constexpr (requires {{ {address}<K...>; }}) {{
{explicit}      }}
    }};
   {tried}
  }}"""
    )
    names = json.dumps(" ".join(one.params))
    return f"  choice.offer_generic({names}, KIT_CALL({called}), {further}{naturals});\n"


_NUMBERS = ("int", "long long", "__int128", "double")
_SCALAR = re.compile(r"\bbool\b|\bint\b|long long|__int128|\bdouble\b|std::string")
_TYPES = {bool: "bool", float: "double", str: "std::string"}


def _name_type(value: Any) -> str:
    """The type of C++ that a value is of by itself."""
    if isinstance(value, list):
        return f"std::vector<{_name_common_type(value)}>"
    if isinstance(value, Mapping):
        return f"std::map<std::string, {_name_common_type(value.values())}>"
    if type(value) is int:
        return _NUMBERS[(abs(value) >= 1 << 31) + (abs(value) >= 1 << 63)]
    return _TYPES.get(type(value), "std::nullptr_t")


def _name_common_type(values: Iterable[Any]) -> str:
    """The type that values of one container have in common, or one that no function takes."""
    kinds = sorted({_name_type(value) for value in values}) or ["int"]
    if {*kinds} <= {*_NUMBERS}:
        return max(kinds, key=_NUMBERS.index)
    return kinds[0] if len(kinds) == 1 else f"kit::Mixed<{', '.join(kinds)}>"


def _offer_class(owner: Class, methods: Sequence[Function], job: Mapping[str, Any]) -> str:
    """Construction once, then methods by name. No other method is named: it may not be defined."""
    values = [job["init"], *(arguments for _, arguments in job["calls"])]
    kinds = _SCALAR.findall(_name_type(values)) or ["int"]
    kinds.sort(key=["bool", *_NUMBERS, "std::string"].index)
    names = _read_parameters(owner.full)
    types = [kinds[-1], *kinds[:1] * len(names)][: len(names)]
    full = f"::{owner.full.partition('<')[0]}" + (f"<{', '.join(types)}>" if types else "")
    code = "".join(f"  using {name} = {kind};\n" for name, kind in zip(names, types, strict=True))
    code += f"  static std::unique_ptr<{full}> object;\n"
    code += "  if (!choice.method) choice.offer_made(object);\n"
    for method in methods:
        tuples = [arguments for name, arguments in job["calls"] if name == method.name]
        offers = _offer_overloads(method.typed, tuples, full)
        code += f'  if (choice.asks("{method.name}")) {{\n{offers}  }}\n'
    return code


def _select_methods(chosen: Plan, owner: Class | None) -> list[Function]:
    """The methods that a test may mean: delete_note as well where it says delete."""
    names = chosen.shape.methods
    longer = tuple(names & chosen.facts.reserved) or ("\0",)
    methods = owner.methods.values() if owner else ()
    return [m for m in methods if normalize_name(m.name) in names or m.name.startswith(longer)]
