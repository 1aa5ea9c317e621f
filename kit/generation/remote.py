"""Models behind HTTP: OpenAI, Anthropic, and every server that speaks the OpenAI format.

The official SDKs speak; they are told not to retry, so that every attempt is counted here. A key is
read from the environment when a call is made and lives no longer than that call.
"""

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from kit.errors import KitError
from kit.generation import base, wire
from kit.generation.base import Messages, ModelError, Response
from kit.generation.window import Window

LONGEST_WAIT_S = 120.0  # a service that asks for more is not waited for
PLACEHOLDER = "none"  # the SDKs insist on a key, keyless servers ignore it


@dataclass(frozen=True)
class Access:
    """Where a service is, how its key is found, and how patiently it is asked."""

    base_url: str
    key_env: str | None = None  # name of the environment variable; None sends no key
    timeout_s: float = 600.0
    tries: int = 4
    backoff_s: float = 1.0  # doubles from attempt to attempt
    window: Window = field(default_factory=Window, compare=False, repr=False)

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
                f"{self.key_env} holds characters that no key has; "
                "set it again to the key alone, on one line."
            )
        return key


def _more(extra: Mapping[str, Any]) -> str:
    """What further fields add to a model's identity: nothing where there are none."""
    return f", {json.dumps(dict(extra), sort_keys=True)}" if extra else ""


@dataclass(frozen=True)
class OpenAIModel:
    """A model behind the chat-completions format. Sampling parameters are sent only when set."""

    name: str
    model: str
    access: Access
    price_key: str = ""
    default_max_tokens: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)  # further fields of the request

    @property
    def identity(self) -> str:
        return f"openai:{self.model} at {self.access.base_url}{_more(self.extra)}"

    def generate(
        self,
        messages: Messages,
        *,
        temperature: float | None = None,
        max_tokens: int | None = None,
        seed: int | None = None,
        index: int = 0,
    ) -> Response:
        import openai

        host = urlsplit(self.access.base_url).hostname or ""
        official = host.endswith(("openai.com", "openai.azure.com"))
        # OpenAI's newer models refuse the old name of the limit; other servers know only that one.
        limit = "max_completion_tokens" if official else "max_tokens"
        used = base.seed_of(seed, index)
        body = _given({"temperature": temperature, limit: max_tokens, "seed": used})
        more = dict(self.extra) or None
        body |= {"model": self.model, "messages": list(messages), "extra_body": more}

        def ask(key: str | None) -> bytes:
            with openai.OpenAI(**_client(self.access, key)) as client:
                raw = client.chat.completions.with_raw_response.create(**body)
                content: bytes = raw.http_response.content
                return content

        return replace(_ask(openai, self.access, ask, wire.read_openai), seed=used)


@dataclass(frozen=True)
class AnthropicModel:
    """A model behind the messages format, which has no seed and demands a limit."""

    name: str
    model: str
    access: Access
    price_key: str = ""
    default_max_tokens: int = 8192
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def identity(self) -> str:
        return f"anthropic:{self.model} at {self.access.base_url}{_more(self.extra)}"

    def generate(
        self,
        messages: Messages,
        *,
        temperature: float | None = None,
        max_tokens: int | None = None,
        seed: int | None = None,  # noqa: ARG002 - the format has none; Response.seed says so
        index: int = 0,  # noqa: ARG002
    ) -> Response:
        import anthropic

        system = "\n\n".join(m["content"] for m in messages if m["role"] == "system")
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [m for m in messages if m["role"] != "system"],
            "max_tokens": max_tokens or self.default_max_tokens,
            # the SDK's method has no keyword for it, and some models refuse it
            "extra_body": {**_given({"temperature": temperature}), **self.extra} or None,
        }
        if system:
            body["system"] = system

        def ask(key: str | None) -> bytes:
            with anthropic.Anthropic(**_client(self.access, key)) as client:
                raw = client.messages.with_raw_response.create(**body)
                content: bytes = raw.http_response.content
                return content

        return _ask(anthropic, self.access, ask, wire.read_anthropic)


def _given(parameters: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if value is not None}


def _client(access: Access, key: str | None) -> dict[str, Any]:
    return {
        "api_key": key or PLACEHOLDER,
        "base_url": access.base_url,
        "timeout": access.timeout_s,
        "max_retries": 0,
    }


def _ask(
    sdk: ModuleType,
    access: Access,
    ask: Callable[[str | None], bytes],
    read: Callable[[bytes], Response],
) -> Response:
    """Ask until there is an answer, an error that asking again cannot mend, or no try left."""
    key, attempt, crowded = access.key(), 0, 0
    while True:
        attempt += 1
        with access.window.place() as sent:
            got = _attempt(sdk, access, ask, read, key)
        if isinstance(got, Response):
            access.window.grow()
            spent = round(time.monotonic() - sent, 3)
            return replace(got, latency_s=spent, created=base.now(), attempts=attempt)
        got.attempts = attempt
        tried = attempt - crowded
        wait = access.backoff_s * 2 ** (tried - 1) if got.wait_s is None else got.wait_s
        if not got.retry or wait > LONGEST_WAIT_S or tried >= access.tries:
            raise got
        if isinstance(got, base.RateLimited):  # what a crowd of ours was refused is no try
            crowded += access.window.shrink(sent, wait)
        time.sleep(wait)


def _attempt(
    sdk: ModuleType,
    access: Access,
    ask: Callable[[str | None], bytes],
    read: Callable[[bytes], Response],
    key: str | None,
) -> Response | ModelError:
    """One attempt. Errors are returned, so that no exception carries the SDK's request along."""
    try:
        return read(ask(key))
    except ModelError as error:
        return type(error)(base.scrub(f"{access.base_url}: {error}", key))
    except sdk.APIStatusError as error:
        refusal = wire.refusal_in(error.body)
        return refusal or _refused_with(error, access, key)
    except sdk.APITimeoutError:
        return base.TimedOut(f"{access.base_url} gave no answer in {access.timeout_s:g} s.")
    except sdk.APIConnectionError as error:
        why = base.scrub(str(error.__cause__ or error), key)
        return base.ConnectionCut(f"The connection to {access.base_url} failed: {why}.")


def _refused_with(error: Any, access: Access, key: str | None) -> ModelError:
    """The typed error of an HTTP status, in the service's own words."""
    said = base.scrub(wire.message_in(error.body) or str(error), key)
    status, where = error.status_code, access.base_url
    wait_s = _retry_after(error.response.headers)
    if status in (401, 403):
        held = access.key_env or "no key (name its environment variable with key_env=)"
        return base.AuthenticationFailed(f"{where} refused {held} ({status}): {said}")
    if status == 404:
        return base.ModelNotFound(f"{where} knows no such model or address (404): {said}")
    if status == 429:
        used_up = "insufficient_quota" in str(error.body)
        sentence = f"{where} allows no more requests for now (429): {said}"
        return base.RateLimited(sentence, retry=not used_up, wait_s=wait_s)
    if status >= 500 or status in (408, 409):
        return base.ServerFailed(f"{where} failed ({status}): {said}", wait_s=wait_s)
    return base.BadRequest(f"{where} refused the request ({status}): {said}")


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
