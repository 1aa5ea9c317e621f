"""The method out of an answer, by syntax tree: a class that stands around it is taken apart."""

from dataclasses import replace

from kit.generation.base import Response
from kit.generation.generate import sample_of
from kit.harness.read.tree import broken, parse, text
from kit.records import Sample, Status
from kit.suites.javarepo.instance import Instance
from kit.suites.javarepo.replace import SHELL, methods


def sample(slot: Sample, response: Response, instance: Instance) -> Sample:
    """The slot with the method that the response gives; what is none says why."""
    read = sample_of(replace(slot, language="java"), response)
    if read.status is Status.EXTRACTION_ERROR and _is_method(response.text):
        read = replace(read, status=Status.COMPLETED, code=response.text.strip() + "\n", note="")
    if read.status is not Status.COMPLETED:
        return read
    code, note = method_in(read.code, instance)
    return replace(read, code=code, note=" ".join(filter(None, (read.note, note))))


def method_in(code: str, instance: Instance) -> tuple[str, str]:
    """(the method with the imports before it, what was left out); other code as it is."""
    root = parse(code, "java")
    if not any(n.type.endswith("_declaration") and n.child_by_field_name("body") is not None
               and n.child_by_field_name("parameters") is None
               for n in root.children):  # fmt: skip
        return code, ""
    wanted = instance.method
    named = [m for _, m in methods(code) if m.name == wanted.name]
    alike = [m for m in named if m.interface[-2] == wanted.interface[-2]] or named
    if not alike:
        return code, f"No method {wanted.name} is in the class of the answer."
    imports = [text(n) for n in root.children if n.type == "import_declaration"]
    rest = sum(1 for _ in methods(code)) - 1
    note = f"Taken out of a class; {rest} other methods left out." if rest else ""
    return "\n".join([*imports, alike[0].text]) + "\n", note


def _is_method(said: str) -> bool:
    """Is the whole text one or more members of a class, and nothing else?"""
    root = parse(SHELL[0] + said + SHELL[1], "java")
    return "(" in said and "{" in said and not broken(root) and len(root.children) == 1
