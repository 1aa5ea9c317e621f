"""Opens models by SPEC, such as openai:NAME, local or replay:PATH; checks their options."""

import json
import os
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any
from urllib.parse import urlsplit

from kit.core.errors import KitError
from kit.generation.base import Agent, Model
from kit.generation.local import LocalModel
from kit.generation.outside import OutsideModel
from kit.generation.remote import Access, AnthropicModel, HttpModel, OpenAIModel
from kit.generation.replay import RecordedModel, Replay

# provider: class, official address, prefix of its environment variables
HTTP: dict[str, tuple[type[OpenAIModel | AnthropicModel], str, str]] = {
    "openai": (OpenAIModel, "https://api.openai.com/v1", "OPENAI"),
    "anthropic": (AnthropicModel, "https://api.anthropic.com", "ANTHROPIC"),
}
FORMS = (
    "openai:NAME, anthropic:NAME, local, local:FOLDER, replay:PATH, outside:FOLDER or agent:NAME "
    "(any OpenAI-compatible server: openai:NAME with its base_url)"
)


@dataclass(frozen=True)
class ServerPlace:
    """Where a model is asked, with which variable's key, and under which name its price is."""

    url: str
    key_env: str | None
    price_key: str


def find_server(spec: str, base_url: str | None, key_env: str | None) -> ServerPlace:
    """The server of openai:NAME or anthropic:NAME; see `open_model`."""
    _, official, prefix = HTTP[spec.partition(":")[0]]
    url = check_url(base_url or os.environ.get(f"{prefix}_BASE_URL") or official)
    own_key = f"{prefix}_API_KEY"
    officials = [address for _, address, _ in HTTP.values()]
    if base_url is None and (url in officials or os.environ.get(own_key)):
        key_env = key_env or own_key  # a server of the environment may need none
    return ServerPlace(url, key_env, spec if url == official else "")


def open_model(
    spec: str,
    *,
    base_url: str | None = None,
    key_env: str | None = None,
    timeout_s: float = 600.0,
    tries: int = 4,
    backoff_s: float = 1.0,
) -> Model | Replay | Agent:
    """The model that `spec` names; nothing is sent, loaded or looked up before its first answer.

    base_url: another server; else OPENAI_BASE_URL or ANTHROPIC_BASE_URL; else the official one.
    key_env:  the environment variable that holds the key. Default OPENAI_API_KEY or
              ANTHROPIC_API_KEY; a server in base_url gets no key unless key_env names one, so that
              a provider's key is never sent to another server.
    """
    provider, _, rest = spec.partition(":")
    if provider in HTTP and rest:
        place = find_server(spec, base_url, key_env)
        access = Access(
            place.url, place.key_env, timeout_s=timeout_s, tries=max(1, tries), backoff_s=backoff_s
        )
        return HTTP[provider][0](spec, rest, access, price_key=place.price_key)
    if provider == "agent" and rest:
        # An agent needs a sandbox and what stands above this room: a package announces it.
        (announced,) = entry_points(group="kit.models", name="agent")
        agent: Agent = announced.load()(spec, key_env=key_env, base_url=base_url)
        return agent
    others = ("local", "replay", "outside", "agent")
    if provider not in others or (provider != "local" and not rest):
        raise KitError(f"Unknown model {spec!r}. Use one of: {FORMS}.")
    if base_url or key_env:
        raise KitError(f"{spec!r} uses no server. Leave base_url and key_env out.")
    if provider == "replay":
        return Replay(rest)
    return OutsideModel(rest) if provider == "outside" else LocalModel.read_spec(rest)


def open_role(spec: str) -> Model:
    """The model that judges, plans, votes or writes: of SPEC, or SPEC@URL of a server.

    replay:PATH is a recording, or a run, that is asked question by question. KitError for a
    recording without such answers, and for an agent.
    """
    name, _, url = spec.partition("@http")
    model = open_model(name, base_url=f"http{url}" if url else None)
    if isinstance(model, Replay):
        recorded = RecordedModel(model.path)
        _ = recorded.name  # a recording that is not there is said now
        return recorded
    if isinstance(model, Agent):
        raise KitError(f"{spec!r} is an agent. Use a model here, such as openai:NAME.")
    return model


def check_url(url: str) -> str:
    if "@" in url or "?" in url:
        raise KitError(
            "A base_url must not contain a user name, password or query, because it is recorded. "
            "Put the key into an environment variable and name that with key_env."
        )
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise KitError(f"{url!r} is not a server's URL. Use one like http://localhost:8000/v1.")
    return url.rstrip("/")


def asked_with(
    model: Any, *, top_p: float | None = None, stop: str | None = None, extra: str | None = None
) -> Any:
    """The model with further fields in every request; what is None is not sent.

    stop: one text at which an answer ends. extra: a JSON object of the service's own fields.
    Raises KitError for a model without a server, and for an `extra` that is not an object.
    """
    fields: dict[str, Any] = {}
    if top_p is not None:
        fields["top_p"] = top_p
    if stop is not None:
        name = "stop_sequences" if isinstance(model, AnthropicModel) else "stop"
        fields[name] = [stop]
    if extra is not None:
        try:
            more = json.loads(extra)
        except ValueError:
            more = None
        if not isinstance(more, dict):
            raise KitError(f"--extra {extra!r} is not a JSON object. Use '{{\"top_k\": 40}}'.")
        fields |= more
    if not fields:
        return model
    if not isinstance(model, HttpModel):
        raise KitError(f"{model.name} takes no {', '.join(fields)}, only servers do. Leave it out.")
    return model.with_fields(**fields)


def apply_thinking(model: Any, how: str) -> Any:
    """The model with this amount of reasoning before its answers; "" changes nothing.

    OpenAI's format: an effort, such as low. Anthropic's: a number of tokens, or off; the limit of
    the answer must be larger. Raises KitError for a model without such a setting.
    """
    if not how:
        return model
    if isinstance(model, OpenAIModel):
        return model.with_fields(reasoning_effort=how)
    if isinstance(model, AnthropicModel) and (how == "off" or how.isdigit()):
        asked: dict[str, Any] = {"type": "disabled"}
        if how != "off":
            asked = {"type": "enabled", "budget_tokens": int(how)}
        return model.with_fields(thinking=asked)
    raise KitError(
        f"{model.name} does not support thinking {how!r}. Use an effort (low, medium, high) for "
        "openai:NAME, a number of tokens or `off` for anthropic:NAME, and nothing for others."
    )
