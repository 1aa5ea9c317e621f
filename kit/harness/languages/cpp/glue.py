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
_NUMBERS = ("int", "long long", "__int128", "double")
_SCALAR = re.compile(r"\bbool\b|\bint\b|long long|__int128|\bdouble\b|std::string")
_TYPES = {bool: "bool", float: "double", str: "std::string"}


def include_program(language: str) -> str:
    """A program that is run as it is."""
    return f'#include "{LANGUAGES[language].program}"\n'


def _include_without_main(language: str) -> str:
    return f"#define main candidate_main\n{include_program(language)}#undef main\n"


def _without_macros(code: str, facts: Facts) -> str:
    """Takes away the program's macros, which mean nothing to what follows its text.

    Those in which the types of its functions are written stay.
    """
    callables = list(facts.functions.values())
    for each in facts.classes.values():
        callables += [each.init, *each.methods.values()]
    macros = set(_MACRO.findall(code.replace("\\\n", "")))
    for function in callables:
        macros -= _find_type_words(function.typed)
    return "".join(f"#undef {name}\n" for name in sorted(macros))


def _find_type_words(overloads: Iterable[Typed]) -> set[str]:
    """The words of the types of all parameters."""
    return set(_WORD.findall(" ".join(" ".join(one.types) for one in overloads)))


def write_idle_main(language: str) -> str:
    """The program's text with a main that does nothing: only whether it compiles is asked."""
    return _include_without_main(language) + "int main(void) { return 0; }\n"


def write_caller(chosen: Plan, language: str, job: Mapping[str, Any], code: str) -> str:
    """A program that calls the function or the class of the plan as its job says."""
    facts = chosen.facts
    program = _include_without_main(language) + _without_macros(code, facts)
    if language == "c":
        if chosen.function is None or not chosen.function.typed:
            raise Unmappable("C has no classes, but the test constructs an object.")
        records = "".join(_describe_records(facts.structs))
        call = _write_call(chosen.function.typed[0])
        return f'{program}#include "kit_call.h"\n{records}{call}'
    owner = chosen.owner
    functions = [chosen.function] if chosen.function else _select_methods(chosen, owner)
    overloads: list[Typed] = []
    for function in functions:
        overloads += function.typed
    if owner is not None:
        overloads += owner.init.typed
        offers = _offer_class(owner, functions, job)
    else:
        offers = _offer_overloads(overloads, [arguments for _, arguments in job["calls"]])
    words = _find_type_words(overloads)
    parts = [_describe_struct(name, fields) for name, fields in facts.structs.items()]
    parts += sorted(_open_scopes(overloads, facts))
    for each in facts.classes.values():
        if each is owner or each.name in words:
            parts.append(_offer_constructors(each))
    # In a namespace, for the program may have these names.
    main = f"namespace kit_glue {{\nstatic void offers(kit::Choice &choice) {{\n{offers}}}\n}}\n"
    main += "int main() { return kit::run(kit_glue::offers); }\n"
    return f'{program}#define kit kit_own\n#include "kit_value.hpp"\n{"".join(parts)}{main}'


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
    variables, entries = "", ""
    for index, kind in enumerate(typed.types):
        variables += f"  __typeof__({_UNFIXED.sub('', kind)}) kit_{index};\n"
    for index, name in enumerate(typed.params):
        entries += f'{{"{name}", &kit_{index}, KIT_TYPE(kit_{index})}}, '
    values = ", ".join(f"kit_{index}" for index in range(count))
    return f"""static int kit_once(const kit_node *args) {{
{variables}  const kit_variable kit_variables[] = {{{entries}{{0}}}};
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
    offers = ""
    for one in _select_defined(owner.init.typed):
        offers += _offer_counts(one, f"void (*)({', '.join(one.types)})", "make")
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
    code = ""
    defined = _select_defined(overloads)
    for one in defined:
        called = f"::{one.name}"
        address = f"&{called}"
        if owner:
            method = one.name.rpartition("::")[2]
            called = f"object->{method}"
            address = f"&{owner}::{method}"
        if one.generic:
            code += _offer_template(one, called, address, tuples)
            continue
        kind = f"decltype({address})"
        if len(defined) > 1:
            kind = f"void (*)({', '.join(one.types)})"
        code += _offer_counts(one, kind, f"KIT_CALL({called})")
    return code


def _offer_counts(one: Typed, kind: str, called: str) -> str:
    code = ""
    names = json.dumps(" ".join(one.params))
    for count in range(len(one.params) - one.defaults, len(one.params) + 1):
        code += f"  choice.template offer<{count}>({names}, kit::Signature<{kind}>(), {called});\n"
    return code


def _offer_template(one: Typed, called: str, address: str, tuples: Sequence[Any]) -> str:
    """A template: by what it deduces from the values, else by each of the types among these."""
    kinds = dict.fromkeys(", ".join(map(_name_type, values)) for values in tuples)
    naturals = ""
    for exact in kinds:
        real = re.sub(r"\bint\b|\blong long\b", "double", exact)
        naturals += f", kit::Or<kit::Types<{exact}>, kit::Types<{real}>>()"
    further = "[](auto &) {}"
    if not one.is_object:
        trials = ""
        simple = sorted(set(_SCALAR.findall(" ".join(kinds))))
        for types in islice(product(simple, repeat=one.generic), MOST_TYPES):
            trials += f" with(kit::Types<{', '.join(types)}>());"
        explicit = _offer_counts(one, f"decltype({address}<K...>)", f"KIT_CALL({called})")
        further = f"""[&](auto &choice) {{
    auto with = [&]<class... K>(kit::Types<K...>) {{
      if constexpr (requires {{ {address}<K...>; }}) {{
{explicit}      }}
    }};
   {trials}
  }}"""
    names = json.dumps(" ".join(one.params))
    return f"  choice.offer_generic({names}, KIT_CALL({called}), {further}{naturals});\n"


def _name_type(value: Any) -> str:
    """The type of C++ that a value is of by itself."""
    if isinstance(value, list):
        return f"std::vector<{_name_common_type(value)}>"
    if isinstance(value, Mapping):
        return f"std::map<std::string, {_name_common_type(value.values())}>"
    if type(value) is int:
        if abs(value) < 1 << 31:
            return "int"
        return "long long" if abs(value) < 1 << 63 else "__int128"
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
    code = ""
    types: list[str] = []
    for name in _read_parameters(owner.full):  # the first gets the widest kind
        types.append(kinds[0] if types else kinds[-1])
        code += f"  using {name} = {types[-1]};\n"
    full = f"::{owner.full.partition('<')[0]}"
    if types:
        full += f"<{', '.join(types)}>"
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
    prefixes = tuple(names & chosen.facts.reserved)
    selected = []
    for method in owner.methods.values() if owner else ():
        if normalize_name(method.name) in names or method.name.startswith(prefixes):
            selected.append(method)
    return selected
