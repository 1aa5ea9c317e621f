"""Runs coding agents in place of a model: a vendor's command line in an empty sandbox workspace.

agent:codex[:MODEL], agent:claude-code[:MODEL], agent:openhands[:MODEL], agent:script:PATH. Vendors'
agents need the network, which a sandbox lacks by default: `Bounds.network` opens it, and the
isolation stamp records it. The agent gets its vendor's key and no other secret of this machine. The
key is passed on standard input, never on a command line, and is removed from all stored text.
"""

import json
import os
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kit.bridges import agent_events
from kit.core import languages
from kit.core.errors import KitError
from kit.core.records import Evidence, Sample, Status
from kit.generation import base
from kit.generation.base import Bounds
from kit.generation.cost import Price
from kit.harness.extract import fill_sample
from kit.sandbox import Sandbox

SEARCHED = "/usr/local/bin:/usr/bin:/bin"  # the machine's programs that the sandbox can see
PYTHON = "/usr/bin/python3"
WORK = "work"  # below /box; empty at the start
HOME = "/box/home"  # for the vendor program's own files; some refuse a home below /tmp
INTERPRETERS = {".py": [PYTHON, "-c"], ".js": ["/usr/bin/node", "-e"], ".sh": ["/bin/sh", "-c"]}
TASK = (
    "Specification:\n{task}\n\nThe current folder is an empty workspace and nobody will answer "
    "questions. Write the whole program into the single file {file} in this folder, and stop when "
    "it is finished."
)
LIMITS = {
    "steps": "the limit of actions",
    "cost": "the limit of cost",
    Status.TIMEOUT: "the limit of time",
    Status.OOM: "the limit of memory",
    Status.OUTPUT_LIMIT: "the limit of output",
}


@dataclass(frozen=True)
class Vendor:
    """argv: fills in {prompt}, {model}, {steps} and {dollars}; omits options without a value.

    keys: host variables that may hold the key; the first one set is used. key: its name inside.
    """

    argv: Sequence[str]
    options: Mapping[str, Sequence[str]]
    keys: Sequence[str]
    key: str
    package: str
    env: Mapping[str, str] = field(default_factory=dict)


FACTS = tomllib.loads(Path(__file__).with_name("vendors.toml").read_text(encoding="utf-8"))
VENDORS = {name: Vendor(**facts) for name, facts in FACTS.items()}
FORMS = "agent:codex, agent:claude-code, agent:openhands, each with :MODEL, or agent:script:PATH"


@dataclass(frozen=True)
class BoxedAgent:
    """One agent with its model, or a script."""

    vendor: str
    model: str = ""  # of a script: its path
    key_env: str | None = None
    price_key: str = ""

    @property
    def name(self) -> str:
        model = Path(self.model).name if self.vendor == "script" else self.model
        return ":".join(filter(None, ("agent", self.vendor, model)))

    def order(self, prompt: str, bounds: Bounds, prices: Sequence[float]) -> dict[str, Any]:
        """The watcher's input in the sandbox: command line, environment and limits."""
        values = {
            "prompt": prompt,
            "model": self.model,
            "steps": str(bounds.steps),
            "dollars": "" if bounds.dollars is None else str(bounds.dollars),
        }
        env = {"PATH": SEARCHED, "HOME": HOME, "TMPDIR": "/tmp", "LANG": "C.UTF-8"}
        source = ""
        if self.vendor == "script":
            path = Path(self.model)
            source = path.read_text()
            argv = [*INTERPRETERS[path.suffix], "{source}", prompt]
        else:
            maker = VENDORS[self.vendor]
            argv = [*maker.argv]
            for name, parts in maker.options.items():
                if values[name]:
                    argv += [part.format(**values) for part in parts]
            for name, text in maker.env.items():
                env[name] = text.format(**values)
            env |= self._read_key()
        limits = {"steps": bounds.steps, "dollars": bounds.dollars, "prices": list(prices)}
        return {"argv": argv, "env": env, "source": source, "folder": f"/box/{WORK}", **limits}

    def _read_key(self) -> dict[str, str]:
        maker = VENDORS[self.vendor]
        names = (self.key_env,) if self.key_env else maker.keys
        for name in names:
            value = os.environ.get(name)
            if value:
                return {maker.key: value}
        raise KitError(f"{self.name} needs a key; type: export {names[0]}=...")

    def ready(self, bounds: Bounds) -> None:
        """Raises KitError if the agent cannot start: no program, no key or no network."""
        if self.vendor == "script":
            return
        maker = VENDORS[self.vendor]
        if shutil.which(maker.argv[0], path=SEARCHED) is None:
            raise KitError(
                f"{self.name} needs the program {maker.argv[0]!r} in one of {SEARCHED}, "
                f"the folders visible in the sandbox; type: {maker.package}"
            )
        if not bounds.network:
            raise KitError(
                f"{self.name} needs the network, which the sandbox does not have. "
                "Pass --share-net to give it the network of this machine."
            )
        self._read_key()

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
        prompt = TASK.format(task=task, file=languages.require_runnable(slot.language).program)
        prices: tuple[float, ...] = ()
        if price:
            prices = (price.input_usd_per_mtok, price.output_usd_per_mtok)
        order = self.order(prompt, bounds, prices)
        source = Path(agent_events.__file__).read_text(encoding="utf-8")
        evidence = box.run(
            [PYTHON, "-I", "-c", source],
            stdin=json.dumps(order).encode(),
            observe=False,
            network=bounds.network,
        )
        secret = ""
        if self.vendor != "script":
            secret = order["env"][VENDORS[self.vendor].key]
        return collect_sample(slot, evidence, secret)


def open_agent(spec: str, *, key_env: str | None = None) -> BoxedAgent:
    """The agent that `spec` names. Nothing is started; only a script's file is checked."""
    _, _, rest = spec.partition(":")
    vendor, _, model = rest.partition(":")
    if vendor not in (*VENDORS, "script"):
        raise KitError(f"Unknown agent {spec!r}. Use one of: {FORMS}.")
    if vendor == "script":
        path = Path(model)
        if not path.is_file() or path.suffix not in INTERPRETERS:
            kinds = ", ".join(INTERPRETERS)
            raise KitError(f"{spec!r} names no script. Give the path of a file ending in {kinds}.")
    if vendor == "openhands" and not model:
        raise KitError("agent:openhands needs a model. Use agent:openhands:openai/NAME.")
    price_key = f"openai:{model}" if vendor == "codex" else ""
    return BoxedAgent(vendor, model, key_env, price_key)


def collect_sample(slot: Sample, evidence: Evidence, secret: str = "") -> Sample:
    """The slot, filled from an agent's run that finished, was stopped or failed."""

    def remove_secret(text: str) -> str:
        return text.replace(secret, "***") if secret else text

    stream = remove_secret(evidence.out)
    events = list(agent_events.parse_stream(stream.splitlines(keepends=True)))
    spent = agent_events.Used()
    message = ""
    for event in events:
        spent = spent.add_usage(agent_events.read_usage(event))
        message = agent_events.read_message(event) or message
    report = _read_report(evidence.channel)
    limit = LIMITS.get(report.get("stopped", "")) or LIMITS.get(evidence.status, "")
    ended = f"ended at {limit}" if limit else ""
    sample = replace(
        slot,
        status=Status.COMPLETED,
        stream=stream,
        truncated=bool(limit),
        created=base.current_time(),
        response=remove_secret(message),
        input_tokens=spent.input,
        output_tokens=spent.output,
        finish_reason=ended or "stop",
    )
    workspace: dict[str, bytes] = {}
    for path, data in evidence.files.items():
        if path.startswith(f"{WORK}/"):
            workspace[path.removeprefix(f"{WORK}/")] = data
    name, code = choose_program(workspace, slot.language)
    if code:
        parts = [f"{name} of its workspace", evidence.isolation]
        if ended:
            parts.append(ended)
        return replace(sample, code=remove_secret(code), note="; ".join(parts))
    crashed = not report or report.get("exit") not in (0, -9)
    failed = evidence.status == Status.INFRA_ERROR or crashed
    idle = not spent.output and not any(map(agent_events.count_actions, events))
    if (failed and not limit) or (idle and evidence.status == Status.TIMEOUT):
        texts = (evidence.note, remove_secret(evidence.err)[-150:], stream[-150:])
        failure = base.sanitize_message("; ".join(filter(str.strip, texts)), secret or None)
        return replace(sample, status=Status.INFRA_ERROR, note=f"The agent failed: {failure}")
    if sample.response and not limit:
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


def choose_program(files: Mapping[str, bytes], language: str) -> tuple[str, str]:
    """(name, text) of the requested file or the only other one in its language; else (reason, "").

    Tests that the agent wrote for itself are not candidates.
    """
    wanted = languages.require_runnable(language).program
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
