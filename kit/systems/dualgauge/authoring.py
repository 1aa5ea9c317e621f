"""What authors of tasks need: the documentation and JSON schema of their files, and a template."""

import json
from collections.abc import Iterable
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
    rows: dict[str, list[tuple[object, ...]]] = {
        "fields": [(f"`{key}`", field.description) for key, field in Item.keys().items()],
        "probes": [
            (
                f"`{name}`",
                _describe_keys(kind),
                kind.__doc__,
                f"`{json.dumps({'probe': name, **kind.example})}`",
            )
            for name, kind in VOCABULARY.items()
        ],
        "forms": [
            (f"`{name}`", text, "; ".join(f"`{json.dumps(e)}`" for e in examples))
            for name, (text, examples) in read_input_forms().items()
        ],
        "services": [
            (f"`{name}`", _describe_keys(kind), kind.__doc__)
            for name, kind in services.FORMS.items()
        ],
        "kinds": [(f"`{name}`", promise) for name, promise in KINDS.items()],
    }
    tables = {name: "\n".join(map(_format_row, table)) for name, table in rows.items()}
    text = Path(__file__).with_name("tests.md").read_text(encoding="utf-8")
    benchmarks = Path(__file__).with_name("benchmark.md").read_text(encoding="utf-8")
    return text.format(outcomes=" or ".join(list(Outcome)[:2]), **tables) + benchmarks


def _format_row(cells: Iterable[object]) -> str:
    return f"| {' | '.join(str(cell).replace('|', '&#124;') for cell in cells)} |"


def _describe_keys(kind: type[Form]) -> str:
    """What the keys of a form hold; those that may be left out are in brackets."""
    keys = {k: f for k, f in kind.keys().items() if k != "type"}
    either = kind.one_of
    parts = [f"`{k}`: {f.title}" for k, f in keys.items() if f.is_required()]
    if either:
        parts.append("one of " + ", ".join(f"`{k}`: {keys[k].title}" for k in either))
    optional = {k: f for k, f in keys.items() if not f.is_required() and k not in either}
    return "; ".join([*parts, *(f"[`{k}`]: {f.title}" for k, f in optional.items())]) or "-"


EXAMPLE = DATA / "labelled" / "dualgauge" / "example" / "task"


def read_example() -> dict[str, str]:
    """The files of a valid task, by path; its labelled programs are below references/."""
    paths = sorted(p for p in EXAMPLE.rglob("*") if p.is_file())
    return {p.relative_to(EXAMPLE).as_posix(): p.read_text(encoding="utf-8") for p in paths}


def create_task_folder(folder: Path) -> list[Path]:
    """The files of a new task FOLDER/tasks/ID and its references FOLDER/references/ID.

    ID is the folder's name. Raises KitError if the folder is not empty.
    """
    if folder.exists() and any(folder.iterdir()):
        raise KitError(f"{folder} is not empty. Name a folder that is not there yet.")
    name, written = folder.resolve().name, []
    for path, text in read_example().items():
        rest = path.removeprefix("references/")
        target = folder / ("tasks" if rest == path else "references") / name / rest
        target.parent.mkdir(parents=True, exist_ok=True)
        if path == "tests.json":
            text = json.dumps(json.loads(text) | {"benchmark_id": name}, indent=1) + "\n"
        target.write_text(text, encoding="utf-8")
        written.append(target)
    return written
