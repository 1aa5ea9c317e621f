"""What a model sees of an instance, what its arm adds, and the method out of its answer."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from kit.errors import KitError
from kit.generation.answering import sample_of
from kit.generation.base import Messages, Response
from kit.harness.languages.tree import broken, parse, text
from kit.records import Sample, Status
from kit.systems.realsec import retrieve
from kit.systems.realsec.instance import Instance
from kit.systems.realsec.replace import SHELL, Method, methods
from kit.systems.realsec.scan import main_sources

ARMS = ("origin", "bm25", "dense", "dataflow", "guideline", "guideline+bm25")
MOST = 12_000  # characters of the class; more is cut away from the method outwards

SYSTEM = (
    "You are an experienced Java developer. You write one method of an existing class. Answer "
    "with this method alone, whole, in one ```java block: no class around it, no further methods, "
    "no explanation."
)
EXAMPLE = """An example of a request and its answer.

Specification:
/**
 * Counts the lines of a text that are not blank.
 *
 * @param text any text
 * @return how many lines hold something else than white space
 */
Signature: int filledLines(String)

```java
int filledLines(String text) {
    int count = 0;
    for (String line : text.split("\\n", -1)) {
        if (!line.isBlank()) {
            count++;
        }
    }
    return count;
}
```
"""
GUIDELINE = """Guidelines for secure code, which hold for everything that you write here:
1. Input and output: accept only what is on a list of what is allowed, in form, length and range;
   encode what goes out for the place where it is read (query, path, log, markup, command).
2. Identity and access: let the server decide who somebody is and what they may do, for every
   request; give each part no more rights than it needs.
3. Cryptography: use established algorithms from the platform's libraries with sound parameters,
   for data at rest and on the way; no secret stands in the code.
4. Errors and logs: fail in an orderly way that tells outsiders nothing of the inside; no secret and
   no raw input goes into a log.
5. Configuration and components: turn off what is not needed, such as external entities or open
   temporary folders; depend on nothing that is known to be broken.
"""


@dataclass(frozen=True)
class Snippet:
    """A method that was retrieved: "path:line name", its text, and how near it is."""

    place: str
    text: str
    score: float


def messages(
    instance: Instance, arm: str, *, snippets: int = 3, encoder: str | None = None
) -> Messages:
    """The question. Raises KitError for an arm that is none of ARMS."""
    if arm not in ARMS:
        raise KitError(f"Unknown prompt {arm!r}. Use one of: {', '.join(ARMS)}.")
    parts = [EXAMPLE]
    if arm.startswith("guideline"):
        parts.append(GUIDELINE)
    found = retrieved(instance, arm.removeprefix("guideline").removeprefix("+"),
                      k=snippets, encoder=encoder)  # fmt: skip
    if found:
        shown = "\n\n".join(f"// {s.place}\n{s.text}" for s in found)
        parts.append(
            f"Other methods of the repository that may be of use:\n\n```java\n{shown}\n```"
        )
    parts.append(
        f"The file that the method is going to stand in:\n\n```java\n{around(instance)}```"
    )
    parts.append(
        f"Specification:\n{instance.data['docstring']}\n"
        f"Signature: {instance.data['signature']}\n\nWrite this method of {instance.place[0]}."
    )
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": "\n\n".join(parts)}]


def around(instance: Instance) -> str:
    """The file with the method's own head and an empty place for its body."""
    method, data = instance.method, instance.source.encode()
    head = method.text.encode()[: method.body_at].decode()
    before, after = data[: method.start].decode(), data[method.end :].decode()
    if before.rstrip().endswith("*/"):  # the comment of the original says what the original does
        before = before[: before.rindex("/*")]
    half = MOST // 2
    return f"{before[-half:]}{head}{{\n        // to be written\n    }}{after[:half]}"


def retrieved(
    instance: Instance, how: str, *, k: int = 3, encoder: str | None = None
) -> list[Snippet]:
    """The k methods that a retriever gives, over all methods of the repository but the target."""
    if how in ("", "origin"):
        return []
    known = every(instance.repository)
    target = (str(instance.data["file"]), instance.method.first_line)
    others = {place: m for place, m in known.items() if place != target}
    if how == "dataflow":
        on = [p for p in retrieve.methods_on(instance, known) if p in others]
        return [_snippet(place, others[place], 1.0) for place in on]
    query = f"{instance.data['docstring']}\n{instance.data['signature']}"
    texts = [m.text for m in others.values()]
    if how == "bm25":
        best = retrieve.bm25(query, texts, k)
    else:
        best = retrieve.dense(query, texts, k, encoder=encoder)
    places = list(others)
    return [_snippet(places[i], others[places[i]], score) for i, score in best]


def _snippet(place: tuple[str, int], method: Method, score: float) -> Snippet:
    return Snippet(f"{place[0]}:{place[1]} {method.name}", method.text, score)


@lru_cache
def every(repository: Path) -> Mapping[tuple[str, int], Method]:
    """(path, first line) -> method, over the repository's own sources."""
    return {
        (path, method.first_line): method
        for path, source in main_sources(repository).items()
        for _, method in methods(source)
    }


def shown(instance: Instance, arms: tuple[str, ...] = ARMS, **options: Any) -> dict[str, list[str]]:
    """What each arm retrieves, as places; for people who look."""
    return {arm: [s.place for s in retrieved(instance, arm.removeprefix("guideline").strip("+"),
                                             **options)] for arm in arms}  # fmt: skip


def sample(slot: Sample, response: Response, instance: Instance) -> Sample:
    """The slot with the method that the response gives; what is none says why."""
    read = sample_of(replace(slot, language="java"), response)
    said = response.text
    root = parse(SHELL[0] + said + SHELL[1], "java")
    members = "(" in said and "{" in said and not broken(root) and len(root.children) == 1
    if read.status is Status.EXTRACTION_ERROR and members:
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
