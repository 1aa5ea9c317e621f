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
WHY = {
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


VENDORS = {
    name: Vendor(**facts)
    for name, facts in tomllib.loads(
        Path(__file__).with_name("vendors.toml").read_text(encoding="utf-8")
    ).items()
}
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
        named = Path(self.model).name if self.vendor == "script" else self.model
        return ":".join(filter(None, ("agent", self.vendor, named)))

    def order(self, prompt: str, bounds: Bounds, prices: Sequence[float]) -> dict[str, Any]:
        """The watcher's input in the sandbox: command line, environment and limits."""
        known = {
            "prompt": prompt,
            "model": self.model,
            "steps": str(bounds.steps),
            "dollars": "" if bounds.dollars is None else str(bounds.dollars),
        }
        env = {"PATH": SEARCHED, "HOME": HOME, "TMPDIR": "/tmp", "LANG": "C.UTF-8"}
        source = ""
        if self.vendor == "script":
            path = Path(self.model)
            argv, source = [*INTERPRETERS[path.suffix], "{source}", prompt], path.read_text()
        else:
            maker = VENDORS[self.vendor]
            used = [p for name, parts in maker.options.items() if known[name] for p in parts]
            argv = [*maker.argv, *(p.format(**known) if "{" in p else p for p in used)]
            env |= {k: v.format(**known) for k, v in maker.env.items()} | self._read_key()
        limits = {"steps": bounds.steps, "dollars": bounds.dollars, "prices": list(prices)}
        return {"argv": argv, "env": env, "source": source, "folder": f"/box/{WORK}", **limits}

    def _read_key(self) -> dict[str, str]:
        maker = VENDORS[self.vendor]
        names = (self.key_env,) if self.key_env else maker.keys
        value = next((os.environ[n] for n in names if os.environ.get(n)), "")
        if not value:
            raise KitError(f"{self.name} needs a key; type: export {names[0]}=...")
        return {maker.key: value}

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
        prices = (price.input_usd_per_mtok, price.output_usd_per_mtok) if price else ()
        order = self.order(prompt, bounds, prices)
        source = Path(agent_events.__file__).read_text(encoding="utf-8")
        evidence = box.run(
            [PYTHON, "-I", "-c", source],
            stdin=json.dumps(order).encode(),
            observe=False,
            network=bounds.network,
        )
        secret = "" if self.vendor == "script" else order["env"][VENDORS[self.vendor].key]
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
    return BoxedAgent(
        vendor, model, key_env, price_key=f"openai:{model}" if vendor == "codex" else ""
    )


def collect_sample(slot: Sample, seen: Evidence, secret: str = "") -> Sample:
    """The slot, filled from an agent's run that finished, was stopped or failed."""

    def remove_secret(text: str) -> str:
        return text.replace(secret, "***") if secret else text

    stream = remove_secret(seen.out)
    events = list(agent_events.parse_stream(stream.splitlines(keepends=True)))
    spent = agent_events.Used()
    for event in events:
        spent = spent.add_usage(agent_events.read_usage(event))
    try:
        report = json.loads(seen.channel)
    except ValueError:
        report = {}
    report = report if isinstance(report, dict) else {}
    ended = WHY.get(report.get("stopped", ""), "") or WHY.get(seen.status, "")
    sample = replace(
        slot,
        status=Status.COMPLETED,
        stream=stream,
        truncated=bool(ended),
        created=base.current_time(),
        response=remove_secret(
            next((m for e in reversed(events) if (m := agent_events.read_message(e))), "")
        ),
        input_tokens=spent.input,
        output_tokens=spent.output,
        finish_reason=f"ended at {ended}" if ended else "stop",
    )
    inside = f"{WORK}/"
    left = {n.removeprefix(inside): d for n, d in seen.files.items() if n.startswith(inside)}
    name, code = choose_program(left, slot.language)
    if code:
        note = f"{name} of its workspace; {seen.isolation}" + (f"; ended at {ended}" * bool(ended))
        return replace(sample, code=remove_secret(code), note=note)
    failed = seen.status == Status.INFRA_ERROR or not report or report.get("exit") not in (0, -9)
    idle = not sample.output_tokens and not any(map(agent_events.count_actions, events))
    if (failed and not ended) or (idle and seen.status == Status.TIMEOUT):
        parts = (seen.note, remove_secret(seen.err)[-150:], stream[-150:])
        failure = base.sanitize_message("; ".join(p for p in parts if p.strip()), secret or None)
        return replace(sample, status=Status.INFRA_ERROR, note=f"The agent failed: {failure}")
    if sample.response and not ended:
        return fill_sample(sample)
    note = f"It left no program ({name})" + (f"; ended at {ended}." if ended else ".")
    return replace(sample, status=Status.EXTRACTION_ERROR, note=note)


def choose_program(files: Mapping[str, bytes], language: str) -> tuple[str, str]:
    """(name, text) of the requested file or the only other one in its language; else (reason, "").

    Tests that the agent wrote for itself are not candidates.
    """
    wanted = languages.require_runnable(language).program
    if asked := _decode_text(files.get(wanted, b"")):
        return wanted, asked
    others = {
        n: t
        for n, data in files.items()
        if languages.EXTENSIONS.get(Path(n).suffix) == language
        and not Path(n).stem.lower().startswith("test")
        and (t := _decode_text(data))
    }
    if len(others) == 1:
        return next(iter(others.items()))
    return (f"{len(others)} files could be meant" if others else f"no {wanted}"), ""


def _decode_text(data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return ""
    return text if text.strip() else ""
