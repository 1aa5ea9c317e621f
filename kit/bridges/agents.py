"""Runs coding agents in place of a model: a vendor's command line in an empty sandbox workspace.

agent:codex[:MODEL], agent:claude-code[:MODEL], agent:openhands:MODEL, agent:script:PATH. The box
has no network and no secret: the agent asks its own loopback, which leads to one server alone,
where the kit adds the key and counts the tokens (kit/bridges/gateway.py). `Bounds.network` opens
the network of the machine too, and the isolation stamp records that.
"""

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from kit.bridges import agent_folders
from kit.bridges.agent_folders import VENDORS
from kit.bridges.gateway import Gateway, Meter
from kit.core import languages
from kit.core.errors import KitError
from kit.core.records import Evidence, Sample, Status, content_key
from kit.generation import agent_events, base
from kit.generation.base import Bounds
from kit.generation.cost import Price
from kit.generation.models import check_url, find_server
from kit.harness.extract import fill_sample
from kit.sandbox import Sandbox

HEADERS = {"openai": ("authorization", "Bearer {}"), "anthropic": ("x-api-key", "{}")}
SEARCHED = "/usr/local/bin:/usr/bin:/bin"  # the machine's programs that the sandbox can see
PYTHON = "/usr/bin/python3"
WORK = "work"  # below /box; empty at the start
HOME = "/box/home"  # for the vendor program's own files; some refuse a home below /tmp
INTERPRETERS = {".py": [PYTHON, "-c"], ".js": ["/usr/bin/node", "-e"], ".sh": ["/bin/sh", "-c"]}
TASK = (
    "Specification:\n{task}\n\nThe current folder is an empty workspace and nobody will answer "
    "questions. Write the code that is asked for, whole, into the single file {file} in this "
    "folder, and stop when it is finished."
)
LIMITS = {
    "steps": "the limit of actions",
    "cost": "the limit of cost",
    "time": "the limit of time",
    Status.TIMEOUT: "the limit of time",
    Status.OOM: "the limit of memory",
    Status.OUTPUT_LIMIT: "the limit of output",
}


FORMS = "agent:codex, agent:claude-code, agent:openhands, each with :MODEL, or agent:script:PATH"


@dataclass(frozen=True)
class BoxedAgent:
    """One agent with its model, or a script. address: of the server that it asks."""

    vendor: str
    model: str = ""  # of a script: its path
    address: str = ""
    key_env: str | None = None
    price_key: str = ""

    @property
    def name(self) -> str:
        model = Path(self.model).name if self.vendor == "script" else self.model
        return ":".join(filter(None, ("agent", self.vendor, model)))

    @property
    def version(self) -> str:
        """The vendor's version that is installed; of a script a digest of its text."""
        if self.vendor == "script":
            return content_key(Path(self.model).read_text(encoding="utf-8"))[:8]
        return VENDORS[self.vendor].version

    def order(self, prompt: str, bounds: Bounds, prices: Sequence[float]) -> dict[str, Any]:
        """The watcher's input in the sandbox: command line, environment and limits."""
        values = {"prompt": prompt, "model": self.model, "steps": str(bounds.steps)}
        env = {"PATH": SEARCHED, "HOME": HOME, "TMPDIR": "/tmp", "LANG": "C.UTF-8"}
        source = ""
        if self.vendor == "script":
            path = Path(self.model)
            source = path.read_text(encoding="utf-8")
            argv = [*INTERPRETERS[path.suffix], "{source}", prompt]
            env |= {"KIT_ADDRESS": "{address}"} if self.address else {}
        else:
            maker = VENDORS[self.vendor]
            argv = [*maker.argv]
            for name, parts in maker.options.items():
                if values[name]:
                    argv += [part.replace(f"{{{name}}}", values[name]) for part in parts]
            for name, text in maker.env.items():
                env[name] = text.replace("{model}", self.model)
        limits = {"steps": bounds.steps, "seconds": bounds.seconds, "dollars": bounds.dollars}
        to_server = {"socket": "", "path": urlsplit(self.address).path}
        folder = f"/box/{WORK}"
        return {
            "argv": argv,
            "env": env,
            "source": source,
            "folder": folder,
            "prices": list(prices),
            **limits,
            **to_server,
        }

    def _server_headers(self) -> dict[str, str]:
        """The headers with the key, which stays on this side of the box; none without key_env."""
        if not self.key_env:
            return {}
        key = os.environ.get(self.key_env)
        if not key:
            raise KitError(f"{self.name} needs a key; type: export {self.key_env}=...")
        name, text = HEADERS[self._api]
        return {name: text.format(key)}

    @property
    def _api(self) -> str:
        return find_api(self.vendor, self.model)

    def ready(self, bounds: Bounds, price: Price | None) -> None:
        """Raises KitError if the agent cannot start: no program, no key, no price for its limit."""
        if self.vendor == "script":
            return
        if not agent_folders.is_installed(self.vendor):
            raise KitError(f"{self.name} is not installed; type: {agent_folders.LINE}")
        self._server_headers()
        if bounds.dollars is not None and price is None:
            raise KitError(
                f"The price of {self.name} is unknown, so that --agent-budget cannot be kept. "
                "Give --price IN OUT (US dollars for a million tokens), or leave the limit out."
            )

    def work(
        self,
        box: Sandbox,
        slot: Sample,
        task: str,
        *,
        bounds: Bounds,
        price: Price | None = None,
    ) -> Sample:
        """Run the agent; returns the slot with the program from its workspace and its stream."""
        prompt = TASK.format(task=task, file=name_program(slot.language))
        prices: tuple[float, ...] = ()
        if price:
            prices = (price.input_usd_per_mtok, price.output_usd_per_mtok)
        order = self.order(prompt, bounds, prices)
        meter = Meter(price, bounds.dollars)
        mounts: dict[str, Path] = {}
        with ExitStack() as stack:
            if self.address:
                gateway = Gateway(self.address, self._server_headers(), meter)
                stack.enter_context(gateway)
                mounts["/mnt"] = gateway.folder
                order["socket"] = f"/mnt/{gateway.name}"
            if self.vendor != "script":
                mounts["/opt"] = agent_folders.find_folder(self.vendor)
            evidence = box.run(
                [PYTHON, "-I", "-c", Path(agent_events.__file__).read_text(encoding="utf-8")],
                stdin=json.dumps(order).encode(),
                observe=False,
                mounts=mounts,
                network=bounds.network,
                terminal=True,
            )
        return collect_sample(slot, evidence, meter)


def find_api(vendor: str, model: str) -> str:
    """In whose format an agent asks: of OpenHands, the model's name begins with it."""
    maker, _, rest = model.partition("/")
    if vendor == "openhands" and rest and maker in HEADERS:
        return maker
    return "openai" if vendor == "script" else VENDORS[vendor].api


def open_agent(spec: str, *, key_env: str | None = None, base_url: str | None = None) -> BoxedAgent:
    """The agent that `spec` names. Nothing is started; only a script's file is checked.

    base_url: the one server that it can reach; else its vendor's. key_env: the variable with the
    key, which no other server than the vendor's gets unless it is named.
    """
    _, _, rest = spec.partition(":")
    vendor, _, model = rest.partition(":")
    if vendor not in (*VENDORS, "script"):
        raise KitError(f"Unknown agent {spec!r}. Use one of: {FORMS}.")
    if vendor == "script":
        path = Path(model)
        if not path.is_file() or path.suffix not in INTERPRETERS:
            kinds = ", ".join(INTERPRETERS)
            raise KitError(f"{spec!r} names no script. Give the path of a file ending in {kinds}.")
        address = check_url(base_url) if base_url else ""
        return BoxedAgent(vendor, model, address, key_env)
    if vendor == "openhands" and not model:
        raise KitError("agent:openhands needs a model. Use agent:openhands:openai/NAME.")
    api = find_api(vendor, model)
    name = model.removeprefix(f"{api}/")
    place = find_server(f"{api}:{name}", base_url, key_env)
    return BoxedAgent(vendor, model, place.url, place.key_env, place.price_key if name else "")


def collect_sample(slot: Sample, evidence: Evidence, meter: Meter | None = None) -> Sample:
    """The slot, filled from an agent's run that finished, was stopped or failed.

    meter: what its server counted, which goes before what the stream says of itself.
    """
    stream = evidence.out
    events = list(agent_events.parse_stream(stream.splitlines(keepends=True)))
    spent = agent_events.Used()
    message = ""
    for event in events:
        spent = spent.add_usage(agent_events.read_usage(event))
        message = agent_events.read_message(event) or message
    if meter and meter.calls:
        spent = agent_events.Used(meter.input_tokens, meter.output_tokens, meter.dollars)
        stream += meter.describe_counts() + "\n"
    report = _read_report(evidence.channel)
    limit = LIMITS.get(report.get("stopped", "")) or LIMITS.get(evidence.status, "")
    ended = f"ended at {limit}" if limit else ""
    sample = replace(
        slot,
        status=Status.COMPLETED,
        stream=stream,
        truncated=bool(limit),
        created=base.current_time(),
        response=message,
        input_tokens=spent.input,
        output_tokens=spent.output,
        finish_reason=ended or "stop",
    )
    if meter and meter.failure and not limit:
        failure = base.sanitize_message(meter.failure, None)
        return replace(sample, status=Status.INFRA_ERROR, note=f"The agent failed: {failure}")
    workspace: dict[str, bytes] = {}
    for path, data in evidence.files.items():
        if path.startswith(f"{WORK}/"):
            workspace[path.removeprefix(f"{WORK}/")] = data
    name, code = choose_program(workspace, slot.language)
    if code:
        parts = [f"{name} of its workspace", evidence.isolation]
        if ended:
            parts.append(ended)
        return replace(sample, code=code, note="; ".join(parts))
    crashed = not report or report.get("exit") not in (0, -9)
    failed = evidence.status == Status.INFRA_ERROR or crashed
    idle = not spent.output and not any(map(agent_events.list_actions, events))
    if (failed and not limit) or (idle and limit == LIMITS["time"]):
        texts = (evidence.note, evidence.err[-150:], evidence.out[-150:])
        failure = base.sanitize_message("; ".join(filter(str.strip, texts)), None)
        return replace(sample, status=Status.INFRA_ERROR, note=f"The agent failed: {failure}")
    if sample.response and not limit and slot.language in languages.RUN:
        return fill_sample(sample)
    note = f"It left no program ({name})"
    if ended:
        note += f"; {ended}"
    return replace(sample, status=Status.EXTRACTION_ERROR, note=f"{note}.")


def _read_report(channel: bytes) -> dict[str, Any]:
    """What the watcher reported; empty where it did not come to that."""
    try:
        report = json.loads(channel)
    except ValueError:
        return {}
    return report if isinstance(report, dict) else {}


def name_program(language: str) -> str:
    """The file that an agent is asked for: a Java method goes into one too."""
    row = languages.LANGUAGES[language]
    return row.program or f"answer{row.extensions[0]}"


def choose_program(files: Mapping[str, bytes], language: str) -> tuple[str, str]:
    """(name, text) of the requested file or the only other one in its language; else (reason, "").

    Tests that the agent wrote for itself are not candidates.
    """
    wanted = name_program(language)
    requested = _decode_text(files.get(wanted, b""))
    if requested:
        return wanted, requested
    others = []
    for name, data in files.items():
        path = Path(name)
        is_test = path.stem.lower().startswith("test")
        if languages.EXTENSIONS.get(path.suffix) == language and not is_test:
            text = _decode_text(data)
            if text:
                others.append((name, text))
    if len(others) == 1:
        return others[0]
    if others:
        return f"{len(others)} files could be meant", ""
    return f"no {wanted}", ""


def _decode_text(data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return ""
    return text if text.strip() else ""
