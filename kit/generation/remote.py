"""Models behind HTTP: OpenAI, Anthropic, and every server that speaks the OpenAI format.

The official SDKs send the requests; their retries are off, so that every attempt is counted here. A
key is read from the environment for each call and is not kept after it.
"""

import json
import math
import os
import re
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from functools import cache
from importlib import import_module
from operator import attrgetter
from types import ModuleType
from typing import Any, ClassVar, Self
from urllib.parse import urlsplit

from kit.core.errors import KitError
from kit.generation import base
from kit.generation.base import MalformedAnswer, Messages, ModelError, Response
from kit.generation.guard import Guard

LONGEST_WAIT_S = 120.0  # a service that asks for more is not waited for
PLACEHOLDER = "none"  # the SDKs insist on a key, keyless servers ignore it
LIMITS = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
UNKNOWN_NAME = re.compile(
    r"un(?:supported|known|recogni[sz]ed|expected)|not (?:supported|permitted|allowed)",
    re.IGNORECASE,
)


class AdaptiveConcurrency:
    """The number of concurrent requests to a model. Unbounded until the service's first 429."""

    def __init__(self) -> None:
        self.size = math.inf
        self.under_way = 0
        self.not_before = self.shrunk_at = 0.0  # of time.monotonic()
        self._changed = threading.Condition()

    @contextmanager
    def place(self) -> Iterator[float]:
        """Wait for a free place, then occupy it; yields the time at which the request is sent."""
        with self._changed:
            while True:
                pause = self.not_before - time.monotonic()
                if pause > 0:
                    self._changed.wait(pause)
                elif self.under_way >= self.size:
                    self._changed.wait()
                else:
                    break
            self.under_way += 1
        try:
            yield time.monotonic()
        finally:
            with self._changed:
                self.under_way -= 1
                self._changed.notify_all()

    def shrink(self, sent: float, wait_s: float) -> bool:
        """After a 429: pause all requests for wait_s; halve the size once for concurrent refusals.

        True if other requests may be the cause: they were under way when this one was sent.
        """
        with self._changed:
            now = time.monotonic()
            crowded = sent < self.shrunk_at or self.under_way > 0
            self.not_before = max(self.not_before, now + wait_s)
            if sent >= self.shrunk_at:
                self.size = max(1.0, min(self.size, self.under_way + 1) / 2)
                self.shrunk_at = now
            return crowded

    def grow(self) -> None:
        """After an answer: admit more requests, by one for each `size` answers."""
        with self._changed:
            self.size += 1 / self.size
            self._changed.notify_all()


def read_openai(data: Mapping[str, Any]) -> Response:
    """The first choice of a chat completion. Raises BrokenOff if the service failed within it."""
    try:
        choice = data["choices"][0]
        message = choice["message"]
        failure = choice.get("error")
        refusal = message.get("refusal")
        content = message.get("content")
        thought = message.get("reasoning_content") or message.get("reasoning")
        thought = thought or _join_text(content, "thinking")
        text = _join_text(content, "text") or refusal or ""
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise _wrong_shape("chat completion", data) from error
    if failure:
        raise base.BrokenOff(f"it failed within an answer: {message_in({'error': failure})}")
    units = ("prompt_tokens", "completion_tokens")
    response = _build_response(data, text, choice.get("finish_reason"), thought, units)
    return replace(response, refused=True) if refusal else response


def read_anthropic(data: Mapping[str, Any]) -> Response:
    """The text blocks of a message; thinking blocks are no part of the answer."""
    try:
        if data["type"] != "message":
            raise _wrong_shape("message", data)
        blocks = list(data["content"])
        text = _join_text(blocks, "text")
        thought = _join_text(blocks, "thinking")
    except (KeyError, TypeError, AttributeError) as error:
        raise _wrong_shape("message", data) from error
    units = ("input_tokens", "output_tokens")
    return _build_response(data, text, data.get("stop_reason"), thought, units)


def _build_response(
    data: Mapping[str, Any], text: str, reason: Any, thought: Any, units: tuple[str, str]
) -> Response:
    """What both formats say. Raises BrokenOff if the reason is a failure, or unknown and alone."""
    word = str(reason or "")
    kind = base.classify_ending(word)
    if kind == "failure" or (kind == "unknown" and word and not text.strip()):
        raise base.BrokenOff(f"the answer ended with {word!r}")
    usage = data.get("usage")
    return Response(
        text=replace_surrogates(text),
        finish_reason=word,
        served_model=str(data.get("model") or ""),
        input_tokens=_read_count(usage, units[0]),
        output_tokens=_read_count(usage, units[1]),
        truncated=kind == "length",
        refused=kind == "filter",
        reasoning=replace_surrogates(thought) if isinstance(thought, str) else "",
    )


def refusal_in(body: Any) -> Response | None:
    """The refusal, if the service's content filter stopped the request; None for a failure."""
    code = str(_find_error(body).get("code"))
    if base.classify_ending(code) != "filter":
        return None
    return Response(text=replace_surrogates(message_in(body)), finish_reason=code, refused=True)


def message_in(body: Any) -> str:
    """The message of an error body, or ""."""
    message = _find_error(body).get("message")
    return message if isinstance(message, str) else ""


def replace_surrogates(text: str) -> str:
    """Text that UTF-8 can hold: a lone surrogate, which JSON can smuggle in, becomes "?"."""
    return text.encode("utf-8", "replace").decode()


def _find_error(body: Any) -> dict[str, Any]:
    """The error object, whether the SDK has unwrapped it already or not."""
    inner = body.get("error", body) if isinstance(body, dict) else {}
    return inner if isinstance(inner, dict) else {"message": inner}


def _json_object(body: bytes) -> dict[str, Any]:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise _wrong_shape("JSON object", body.decode(errors="replace")) from None
    return data


def _wrong_shape(wanted: str, body: Any) -> MalformedAnswer:
    text = body if isinstance(body, str) else json.dumps(body)
    return MalformedAnswer(f"the answer is not a {wanted}; it begins {text[:80]!r}")


def _join_text(content: Any, kind: str) -> str:
    """The text of one kind of parts; a string has the kind "text"."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content if kind == "text" else ""
    text = ""
    for part in content:
        if part.get("type", "text") == kind:
            text += _join_text(part[kind], "text")
    return text


def _read_count(usage: Any, name: str) -> int | None:
    if not isinstance(usage, dict):
        return None
    value = usage.get(name)
    return value if isinstance(value, int) else None


@dataclass(frozen=True)
class Access:
    """Where a service is, how its key is found, and how patiently it is asked."""

    base_url: str
    key_env: str | None = None  # name of the environment variable; None sends no key
    timeout_s: float = 600.0
    tries: int = 4
    backoff_s: float = 1.0  # doubles from attempt to attempt
    window: AdaptiveConcurrency = field(
        default_factory=AdaptiveConcurrency, compare=False, repr=False
    )
    learned: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    def key(self) -> str | None:
        """The key, now. Raises KitError if the variable is empty or cannot be a key."""
        if self.key_env is None:
            return None
        key = os.environ.get(self.key_env, "").strip()
        if not key:
            raise KitError(
                f"No key for {self.base_url}: the environment variable {self.key_env} is not set; "
                f"type `export {self.key_env}=...`, or use the free model `local`."
            )
        if not (key.isascii() and key.isprintable()):
            raise KitError(
                f"{self.key_env} contains characters that are not valid in a key. "
                "Set it to the key alone, on one line."
            )
        return key


@dataclass(frozen=True)
class HttpModel:
    """A model behind HTTP. `extra`, further fields of its requests, is part of its identity."""

    name: str
    model: str
    access: Access
    price_key: str = ""
    default_max_tokens: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    sdk: ClassVar[str]  # the package that sends the requests
    method: ClassVar[str]  # of its client
    read: ClassVar[Callable[[Mapping[str, Any]], Response]]

    @property
    def identity(self) -> str:
        provider = self.name.partition(":")[0]
        more = f", {json.dumps(dict(self.extra), sort_keys=True)}" if self.extra else ""
        return f"{provider}:{self.model} at {self.access.base_url}{more}"

    def with_fields(self, **fields: Any) -> Self:
        """The same model with further fields in every request."""
        return replace(self, extra={**self.extra, **fields})

    def ask(self, messages: Messages, temperature: float | None, **parameters: Any) -> Response:
        """Ask until there is an answer, an error that no retry can fix, or no try left.

        The SDK's own retries would not know which refusals are due to our other requests, nor a
        failure in a body of status 200. A parameter that is None is not sent.
        """
        # One SDK's method has no keyword for the temperature, which some of its models refuse.
        extra = _drop_none({"temperature": temperature}) | dict(self.extra)
        body = {"model": self.model, "messages": list(messages), "extra_body": extra or None}
        body |= _drop_none(parameters)
        access = self.access
        key = access.key()
        attempt = 0
        crowded = 0
        while True:
            attempt += 1
            with access.window.place() as sent:
                result = self._attempt_request(body, key)
            if isinstance(result, Response):
                access.window.grow()
                spent = round(time.monotonic() - sent, 3)
                return replace(
                    result, latency_s=spent, created=base.current_time(), attempts=attempt
                )
            result.attempts = attempt
            tries = attempt - crowded
            wait = result.wait_s
            if wait is None:
                wait = access.backoff_s * 2 ** (tries - 1)
            if not result.retry or wait > LONGEST_WAIT_S or tries >= access.tries:
                raise result
            if isinstance(result, base.RateLimited):  # a refusal due to our own requests is no try
                crowded += access.window.shrink(sent, wait)
            time.sleep(wait)

    def _attempt_request(self, body: dict[str, Any], key: str | None) -> Response | ModelError:
        """One attempt, which ends in time whatever the service sends."""
        sdk = import_module(self.sdk)
        with Guard(self.access.timeout_s) as guard:
            http = sdk.DefaultHttpxClient(verify=load_certificates(sdk), event_hooks=guard.hooks)
            options = {
                "api_key": key or PLACEHOLDER,
                "base_url": self.access.base_url,
                "timeout": self.access.timeout_s,
                "max_retries": 0,
                "http_client": http,
            }
            with sdk.Client(**options) as client:
                result = self._send(sdk, client, body, key)
        return _timeout_error(self.access) if guard.late else result

    def _send(
        self, sdk: ModuleType, client: Any, body: dict[str, Any], key: str | None
    ) -> Response | ModelError:
        """Errors are returned, so that no exception carries the SDK's request along."""
        access = self.access
        try:
            create = attrgetter(self.method)(client).with_raw_response.create
            response = create(**body).http_response
            data = _json_object(response.content)
            if not data.get("error"):
                return type(self).read(data)
            code = str(_find_error(data).get("code"))
            message = message_in(data) or str(data["error"])
            status = int(code) if code.isdecimal() else 200
            headers = response.headers
        except ModelError as error:
            return _without_context(error, access, key)
        except sdk.APIStatusError as error:
            data = error.body
            status = error.status_code
            headers = error.response.headers
            message = message_in(data) or str(error)
        except sdk.APITimeoutError:
            return _timeout_error(access)
        except sdk.APIConnectionError as error:
            if isinstance(error.__cause__, ModelError):
                return _without_context(error.__cause__, access, key)
            reason = base.sanitize_message(str(error.__cause__ or error), key)
            return base.ConnectionCut(f"The connection to {access.base_url} failed: {reason}.")
        failure = _refused_with(status, base.sanitize_message(message, key), access, headers)
        failure.retry &= "insufficient_quota" not in str(data)
        return refusal_in(data) or failure


class OpenAIModel(HttpModel):
    """A model behind the chat-completions format. Sampling parameters are sent only when set."""

    sdk, method, read = "openai", "chat.completions", read_openai

    def generate(
        self,
        messages: Messages,
        *,
        temperature: float | None = None,
        max_tokens: int | None = None,
        seed: int | None = None,
        index: int = 0,
    ) -> Response:
        host = urlsplit(self.access.base_url).hostname or ""
        official = host.endswith(("openai.com", "openai.azure.com"))
        # OpenAI's newer models refuse the old name of the limit; other servers know only that one.
        usual = "max_completion_tokens" if official else "max_tokens"
        limit = self.access.learned.get("limit", usual)
        its_seed = base.seed_of(seed, index)
        try:
            response = self.ask(messages, temperature, seed=its_seed, **{limit: max_tokens})
        except base.BadRequest as error:
            other = LIMITS[limit]
            message = str(error)
            is_misnamed = other in message or UNKNOWN_NAME.search(message)  # not only too large
            if max_tokens is None or limit not in message or not is_misnamed:
                raise
            response = self.ask(messages, temperature, seed=its_seed, **{other: max_tokens})
            self.access.learned["limit"] = other
        return replace(response, seed=its_seed)


@dataclass(frozen=True)
class AnthropicModel(HttpModel):
    """A model behind the messages format, which has no seed and demands a limit."""

    default_max_tokens: int = 8192

    sdk, method, read = "anthropic", "messages", read_anthropic

    def generate(
        self,
        messages: Messages,
        *,
        temperature: float | None = None,
        max_tokens: int | None = None,
        seed: int | None = None,  # noqa: ARG002 - not in this format, so Response.seed is None
        index: int = 0,  # noqa: ARG002
    ) -> Response:
        system = [message["content"] for message in messages if message["role"] == "system"]
        asked = [message for message in messages if message["role"] != "system"]
        limit = max_tokens or self.default_max_tokens
        return self.ask(asked, temperature, max_tokens=limit, system="\n\n".join(system) or None)


def _drop_none(parameters: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if value is not None}


@cache
def load_certificates(sdk: ModuleType) -> ssl.SSLContext:
    """Those of the SDK's own HTTP library; reading them takes longer than a request."""
    library = sdk.DefaultHttpxClient.__base__.__module__.partition(".")[0]
    context: ssl.SSLContext = import_module(library).create_ssl_context()
    return context


def _timeout_error(access: Access) -> ModelError:
    return base.TimedOut(f"{access.base_url} gave no whole answer in {access.timeout_s:g} s.")


def _without_context(error: ModelError, access: Access, key: str | None) -> ModelError:
    """The same error in a sentence about the service, without its context."""
    return type(error)(base.sanitize_message(f"{access.base_url}: {error}", key))


def _refused_with(status: int, message: str, access: Access, headers: Any) -> ModelError:
    """The typed error of an HTTP status, in the service's own words."""
    where = access.base_url
    wait_s = _retry_after(headers)
    if status in (401, 403):
        key_name = access.key_env or "no key (name its environment variable with key_env=)"
        return base.AuthenticationFailed(f"{where} refused {key_name} ({status}): {message}")
    if status == 404:
        return base.ModelNotFound(f"{where} knows no such model or address (404): {message}")
    if status == 429:
        sentence = f"{where} allows no more requests for now (429): {message}"
        return base.RateLimited(sentence, wait_s=wait_s)
    if status >= 500 or status in (408, 409):
        return base.ServerFailed(f"{where} failed ({status}): {message}", wait_s=wait_s)
    if status < 400:
        return base.BrokenOff(f"{where} answered with an error: {message}", wait_s=wait_s)
    return base.BadRequest(f"{where} refused the request ({status}): {message}")


def _retry_after(headers: Any) -> float | None:
    """Seconds to wait, from retry-after-ms or Retry-After (a number or a date), or None."""
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        text = headers.get("retry-after")
        if text is None:
            return None
        if text.strip().replace(".", "", 1).isdigit():
            return float(text)
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except ValueError:
        return None
