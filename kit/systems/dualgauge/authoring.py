"""What authors of tasks need: the documentation and JSON schema of their files, and a template."""

import json
from pathlib import Path
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from kit.core.errors import KitError
from kit.core.form import Form
from kit.core.paths import DATA
from kit.core.records import Outcome
from kit.harness import services
from kit.oracle.probes import VOCABULARY
from kit.oracle.probes.probe import PLACEHOLDER
from kit.systems.dualgauge.item import ITEM, KINDS, Item

EXAMPLE = DATA / "labelled" / "dualgauge" / "example" / "task"


class _OwnTitles(GenerateJsonSchema):
    """Leaves out titles that only repeat a field's name."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - pydantic's hook
        return False


def build_schema() -> dict[str, Any]:
    """tests.json as a JSON schema (draft 2020-12); the parser checks more, as that SQL runs."""
    whole = ITEM.json_schema(schema_generator=_OwnTitles)
    kinds = [_form_schema(kind, "type", name) for name, kind in services.FORMS.items()]
    official = {"properties": {"type": {"const": "sqlite"}}, "required": ["type", "db_path"]}
    listed = {"type": "array", "items": {"type": "object", "anyOf": [*kinds, official]}}
    whole["properties"]["service_setup"] |= {
        "type": ["object", "null"],
        "properties": {"services": listed},
    }
    for tests in ("fc_tests", "sec_tests"):
        whole["properties"][tests]["minItems"] = 1
    probes = [_form_schema(kind, "probe", name) for name, kind in VOCABULARY.items()]
    whole["$defs"]["probe"] = {"oneOf": probes}
    text = json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", **whole})
    return dict(json.loads(text.replace(json.dumps(PLACEHOLDER)[1:-1], '"$ref": "#/$defs/probe"')))


def _form_schema(kind: type[Form], key: str, name: str) -> dict[str, Any]:
    """The schema of one form; `key` holds its name."""
    schema = kind.model_json_schema(schema_generator=_OwnTitles)
    schema["properties"][key] = {"const": name}
    return schema


def text_of_schema() -> str:
    """The schema as it lies beside the page."""
    return json.dumps(build_schema(), indent=1) + "\n"


def read_input_forms() -> dict[str, tuple[str, list[Any]]]:
    """The forms of input that `harness.plan.form` knows: what each is, and examples."""
    text = Path(__file__).with_name("forms.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


def render_page() -> str:
    """The documentation of a task's folder, and of a benchmark's, as Markdown."""
    fields = [_format_row(key, field.description) for key, field in Item.keys().items()]
    probes = []
    for name, kind in VOCABULARY.items():
        example = json.dumps({"probe": name, **kind.example})
        probes.append(_format_row(name, _describe_keys(kind), kind.__doc__, f"`{example}`"))
    forms = []
    for name, (meaning, examples) in read_input_forms().items():
        inputs = "; ".join(f"`{json.dumps(example)}`" for example in examples)
        forms.append(_format_row(name, meaning, inputs))
    setups = []
    for name, service in services.FORMS.items():
        setups.append(_format_row(name, _describe_keys(service), service.__doc__))
    kinds = [_format_row(name, promise) for name, promise in KINDS.items()]
    text = Path(__file__).with_name("tests.md").read_text(encoding="utf-8")
    benchmarks = Path(__file__).with_name("benchmark.md").read_text(encoding="utf-8")
    page = text.format(
        outcomes=" or ".join(list(Outcome)[:2]),
        fields="\n".join(fields),
        probes="\n".join(probes),
        forms="\n".join(forms),
        services="\n".join(setups),
        kinds="\n".join(kinds),
    )
    return page + benchmarks


def _format_row(name: str, *cells: object) -> str:
    """A row of a table that begins with a name."""
    texts = [str(cell).replace("|", "&#124;") for cell in (f"`{name}`", *cells)]
    return f"| {' | '.join(texts)} |"


def _describe_keys(kind: type[Form]) -> str:
    """What the keys of a form hold; those that may be left out are in brackets."""
    parts = []
    optional = []
    alternatives = {}
    for key, field in kind.keys().items():
        text = f"`{key}`: {field.title}"
        if key in kind.one_of:
            alternatives[key] = text
        if key != "type" and field.is_required():
            parts.append(text)
        elif key != "type" and key not in kind.one_of:
            optional.append(f"[`{key}`]: {field.title}")
    if alternatives:
        parts.append("one of " + ", ".join(alternatives[key] for key in kind.one_of))
    return "; ".join([*parts, *optional]) or "-"


def read_example() -> dict[str, str]:
    """The files of a valid task, by path; its labelled programs are below references/."""
    texts = {}
    for path in sorted(EXAMPLE.rglob("*")):
        if path.is_file():
            texts[path.relative_to(EXAMPLE).as_posix()] = path.read_text(encoding="utf-8")
    return texts


def create_task_folder(folder: Path) -> list[Path]:
    """The files of a new task FOLDER/tasks/ID and its references FOLDER/references/ID.

    ID is the folder's name. Raises KitError if the folder is not empty.
    """
    if folder.exists() and any(folder.iterdir()):
        raise KitError(f"{folder} is not empty. Name a folder that is not there yet.")
    name = folder.resolve().name
    targets = []
    for path, text in read_example().items():
        rest = path.removeprefix("references/")
        part = "tasks" if rest == path else "references"
        target = folder / part / name / rest
        target.parent.mkdir(parents=True, exist_ok=True)
        if path == "tests.json":
            text = json.dumps(json.loads(text) | {"benchmark_id": name}, indent=1) + "\n"
        target.write_text(text, encoding="utf-8")
        targets.append(target)
    return targets
