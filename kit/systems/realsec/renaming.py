"""Other names for a method, its parameters and its class's members, consistently, and back again.

An instance says the new names under `renames`. Who knows a public file by heart gets no help from
names that it has not; the same question under both names is one pair.
"""

import re
from collections.abc import Mapping

from kit.core.errors import KitError
from kit.harness.languages.tree import field_text, node_text, parse, walk
from kit.systems.realsec.instance import Instance

IDENTIFIERS = ("identifier", "type_identifier")
DECLARATIONS = ("variable_declarator", "formal_parameter", "catch_formal_parameter", "resource")
# where a comment speaks of code: after a tag, in braces, before a parenthesis or a dot
IN_COMMENT = r"(?:(?<=@param )|(?<=#)|(?<=\{{@code ))\b{0}\b|\b{0}(?=\()"
SHELL = "class Shell__ {\n"


def read_renames(instance: Instance) -> dict[str, str]:
    """Old name -> new one. Raises KitError for an instance that has none."""
    renames = instance.data.get("renames", {})
    if not renames:
        raise KitError(
            f"{instance.id} has no other names. Write them under renames in its instance.json, or "
            "take instances that have some (--repositories real)."
        )
    return {str(old): str(new) for old, new in renames.items()}


def rename_code(text: str, renames: Mapping[str, str]) -> str:
    """Java with its identifiers renamed, by the syntax tree; comments and strings stay."""
    data = text.encode()
    identifiers = [node for node in walk(parse(text, "java")) if node.type in IDENTIFIERS]
    for node in reversed(identifiers):
        new = renames.get(node_text(node))
        if new is not None:
            data = data[: node.start_byte] + new.encode() + data[node.end_byte :]
    return data.decode()


def rename_comment(text: str, renames: Mapping[str, str]) -> str:
    """A docstring with the names that it gives to code; a plain word that is also a name stays.

    A name that no plain word can be (it has a capital inside, an underscore or a digit) is renamed
    wherever it stands.
    """
    for old, new in renames.items():
        is_word = re.fullmatch(r"[A-Z]?[a-z]+", old) is not None
        pattern = IN_COMMENT.format(re.escape(old)) if is_word else rf"\b{re.escape(old)}\b"
        text = re.sub(pattern, new, text)
    return text


def undo_renames(answer: str, renames: Mapping[str, str]) -> str:
    """An answer with the repository's own names.

    A local name of the answer that would then be there twice gets an underscore.
    """
    declared = set[str]()
    for node in walk(parse(SHELL + answer, "java")):
        if node.type in DECLARATIONS:
            declared.add(field_text(node, "name"))
    back = {new: old for old, new in renames.items()}
    for old in renames:
        if old in declared:
            back[old] = f"{old}_"
    return rename_code(answer, back)
