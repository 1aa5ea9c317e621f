"""Asks a model for one JSON object by schema, parses it strictly, and retries if it is invalid.

An object counts only if it contains the ticket of its question, a word that only a reader of the
whole question can know. Of several objects the last counts, and nothing may follow it.
"""

import json
import re
import threading
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from typing import Any

from kit.core.records import content_key
from kit.generation.answering import fetch_response
from kit.generation.base import BadRequest, Messages, Model
from kit.generation.cost import Budget
from kit.generation.remote import AnthropicModel, OpenAIModel
from kit.generation.replay import RecordedModel

ANSWER_TOKENS = 8192  # thinking included
AGAIN = 1000  # added to an answer's number when it is asked for again, since it was malformed
_TAIL = re.compile(r"[\s`]*")  # what may follow the object: blanks and the end of a code block


def build_schema(**properties: Any) -> dict[str, Any]:
    """A closed JSON schema in which every property is required; `ticket` is always one of them."""
    named = {"ticket": {"type": "string"}, **properties}
    return {
        "type": "object",
        "properties": named,
        "required": list(named),
        "additionalProperties": False,
    }


def restrict_to_schema(model: Model, wanted: Mapping[str, Any]) -> Model:
    """The same model with answers restricted to the schema, if its format supports that."""
    if isinstance(model, OpenAIModel):
        named = {"name": "answer", "schema": wanted, "strict": True}
        return replace(
            model, extra={"response_format": {"type": "json_schema", "json_schema": named}}
        )
    if isinstance(model, AnthropicModel):
        output = {"format": {"type": "json_schema", "schema": wanted}}
        return replace(model, extra={"output_config": output})
    return model


def add_web_search(model: Model) -> Model | None:
    """The same model with its provider's own web search, or None if the format has none.

    A recording has what was found.
    """
    if isinstance(model, RecordedModel):
        return model
    if isinstance(model, OpenAIModel):
        return replace(model, extra={"web_search_options": {}})
    if isinstance(model, AnthropicModel):
        tool = {"type": "web_search_20250305", "name": "web_search", "max_uses": 5}
        return replace(model, extra={"tools": [tool]})
    return None


def last_object(text: str, ticket: str) -> dict[str, Any] | None:
    """The last JSON object with this ticket, if nothing follows it; else None."""
    decoder = json.JSONDecoder()
    at = text.find("{")
    last: tuple[dict[str, Any], int] | None = None
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
            continue
        if value.get("ticket") == ticket:
            last = (value, end)
        at = text.find("{", end)
    if last is None or not _TAIL.fullmatch(text, last[1]):
        return None
    return last[0]


def explain_misfit(value: Any, wanted: Mapping[str, Any], name: str = "the answer") -> str:
    """Why a value does not match a JSON schema; "" if it does.

    All properties of the schema are required, and no others are allowed.
    """
    from jsonschema import Draft202012Validator  # slow to import
    from jsonschema.exceptions import best_match

    if "properties" in wanted:
        wanted = {**wanted, "required": list(wanted["properties"]), "additionalProperties": False}
    error = best_match(Draft202012Validator(wanted).iter_errors(value))
    return f"{name}{error.json_path.removeprefix('$')}: {error.message}" if error else ""


@dataclass(frozen=True)
class StructuredAnswer:
    """data: the object, or None; then `note` says why. refused: the service did not answer.

    created: when it was answered.
    """

    data: dict[str, Any] | None
    note: str = ""
    refused: bool = False
    created: str = ""


class Locks:
    """A lock for each key, so that other threads wait for the one that computes its value."""

    def __init__(self) -> None:
        self._known: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def of(self, key: str) -> threading.Lock:
        with self._lock:
            return self._known.setdefault(key, threading.Lock())


@dataclass
class Asker:
    """Asks one model for objects; equal questions are asked once. Threads may share one.

    tries: number of attempts to get a well-formed answer. `cache` keeps the answer to a question;
    if all of its answers are malformed they are marked, so that it is asked again later. Raises
    ModelError if the service fails.
    """

    model: Model
    cache: MutableMapping[str, dict[str, Any]] = field(default_factory=dict)
    budget: Budget | None = None
    temperature: float | None = None
    tries: int = 3
    _plain: bool = field(default=False, init=False, repr=False)
    _locks: Locks = field(default_factory=Locks, init=False, repr=False)

    def ask(
        self,
        messages: Messages,
        wanted: Mapping[str, Any],
        *,
        ticket: str,
        index: int = 0,
        misfit: Callable[[Any, Mapping[str, Any]], str] = explain_misfit,
    ) -> StructuredAnswer:
        """The object that the schema describes; index: number of an independent answer."""
        note = ""
        keys = []
        with self._locks.of(content_key(messages, index)):
            for attempt in range(self.tries):
                key = content_key(
                    "object",
                    self.model.identity,
                    messages,
                    wanted,
                    self.temperature,
                    index,
                    attempt,
                )
                keys.append(key)
                response = self._request_response(messages, wanted, index + AGAIN * attempt, key)
                if response.refused:
                    return StructuredAnswer(None, "the service refused to answer", refused=True)
                data = last_object(response.text, ticket)
                missing = "no object with the ticket at its end"
                problem = missing if data is None else misfit(data, wanted)
                if not problem:
                    return StructuredAnswer(data, created=response.created)
                note = f"{self.tries} answers were malformed; of the last: {problem[:200]}"
            for key in keys:
                self.cache[key] = {**self.cache[key], "malformed": True}
        return StructuredAnswer(None, note)

    def ask_in_words(self, messages: Messages) -> str:
        """The text of one answer of any form. Raises ModelError if there is none."""
        key = content_key("words", self.model.identity, messages, self.temperature)
        sampling = self._sampling()
        rest = (messages, sampling, 0, key, self.cache, self.budget)
        return fetch_response(self.model, *rest).text

    def _sampling(self, **settings: Any) -> dict[str, Any]:
        """The settings of a question."""
        if self.temperature is not None:
            settings["temperature"] = self.temperature
        return settings

    def _request_response(
        self, messages: Messages, wanted: Mapping[str, Any], index: int, key: str
    ) -> Any:
        """The response by schema; without a schema after the service has refused one."""
        sampling = self._sampling(max_tokens=ANSWER_TOKENS)
        rest = (messages, sampling, index, key, self.cache, self.budget)
        model = self.model if self._plain else restrict_to_schema(self.model, wanted)
        try:
            return fetch_response(model, *rest)
        except BadRequest:
            if model is self.model:
                raise
            response = fetch_response(self.model, *rest)
            self._plain = True
            return response
