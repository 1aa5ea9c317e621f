"""Declares the form of a JSON file: reads it, documents it, and reports each mistake in it."""

import json
import re
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, InitErrorDetails, PydanticCustomError

from kit.core.errors import KitError

T = TypeVar("T")


class Malformed(KitError):
    """Data that does not match its form; its text names the field and the fix."""


def validation_error(sentence: str) -> PydanticCustomError:
    """An error for a validator to raise. sentence: follows the field's name, as " is empty."."""
    return PydanticCustomError("worded", "{sentence}", {"sentence": sentence})


class Form(BaseModel):
    """A JSON object with these keys and no others; each key's title says what it must be.

    one_of: keys of which exactly one must be present. noun: the word for a key in a sentence.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
    one_of: ClassVar[tuple[str, ...]] = ()
    noun: ClassVar[str] = "field"

    @classmethod
    def keys(cls) -> dict[str, FieldInfo]:
        """The fields by their names in JSON."""
        return {field.alias or name: field for name, field in cls.model_fields.items()}

    @model_validator(mode="wrap")
    @classmethod
    def _word_errors(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            form = handler(data)
        except ValidationError as error:
            raise cls._in_words(error, data) from None
        if cls.one_of and len(form.model_fields_set & set(cls.one_of)) != 1:
            raise validation_error(f": give exactly one of {', '.join(cls.one_of)}.")
        return form

    @classmethod
    def _in_words(cls, error: ValidationError, data: Any) -> ValidationError:
        """The first error, worded as the rest of a sentence that begins with the path to it."""
        first = error.errors(include_url=False)[0]
        path = first["loc"]
        sentence = first["msg"]
        keys = cls.keys()
        if first["type"] == "worded":  # by a form within this one
            pass
        elif not path:
            sentence = f" must be an object, got {_json_type_name(data)}."
        else:
            key = str(path[0])
            if first["type"] == "extra_forbidden":
                keys_in_words = ", ".join(keys) or f"no {cls.noun}"
                path = ()
                sentence = f": unknown {cls.noun} {key!r}; it takes {keys_in_words}."
            elif first["type"] == "missing":
                path = ()
                sentence = f": {cls.noun} {key!r} is missing; give {keys[key].title}."
            else:
                path = path[:1]
                sentence = f" must be {keys[key].title}, got {describe_value(data[key])}."
        worded = InitErrorDetails(type=validation_error(sentence), loc=path, input=None)
        return ValidationError.from_exception_data(cls.__name__, [worded])

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        schema = handler.resolve_ref_schema(handler(core_schema))
        for key in schema.get("properties", {}).values():
            key.pop("default", None)
        if cls.one_of:
            schema["oneOf"] = [{"required": [key]} for key in cls.one_of]
        return schema


def validate_data(kind: TypeAdapter[T], data: Any, where: str = "") -> T:
    """The data in its form, or Malformed with the first mistake; `where` is the path to data."""
    try:
        return kind.validate_python(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        path = where
        for part in first["loc"]:
            path += f"[{part}]" if isinstance(part, int) else f".{part}"
        subject = path.removeprefix(".") or "the item"
        raise Malformed(subject + first["msg"]) from None
    except RecursionError:
        raise Malformed(f"{where or 'the item'} is nested too deeply.") from None


def _json_type_name(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "a boolean"}
    return "null" if value is None else names.get(type(value), "a number")


def describe_value(value: Any) -> str:
    """A value of a JSON file, as a sentence names it."""
    if isinstance(value, dict):
        return _json_type_name(value)
    text = repr(value) if isinstance(value, str) else json.dumps(value, default=str)
    return text[:60]


def _check_regex(pattern: str) -> str:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(str(error)) from None
    return pattern


def _require_text(text: str) -> str:
    if not text.strip():
        raise validation_error(" is empty.")
    return text


Anything = Annotated[Any, Field(title="any JSON value")]
Text = Annotated[str, Field(title="a text")]
Filled = Annotated[str, Field(min_length=1, title="a non-empty text")]


def _require_path(text: str) -> str:
    if not text.encode("utf-8", "surrogateescape"):
        raise ValueError("it is empty")
    return text


# Pydantic's own check of the length refuses names whose bytes are no text.
FilePath = Annotated[
    str, Field(title="a path", json_schema_extra={"minLength": 1}), AfterValidator(_require_path)
]
Words = Annotated[str, Field(title="a text"), AfterValidator(_require_text)]
Filleds = Annotated[list[Filled], Field(min_length=1, title="a non-empty list of texts")]
_REGEX = Field(
    min_length=1, title="a regular expression that compiles", json_schema_extra={"format": "regex"}
)
Regex = Annotated[str, _REGEX, AfterValidator(_check_regex)]
